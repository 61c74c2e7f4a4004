internal import CrashReport

extension Mayday {
    /// Something that the report of a handled error takes along.
    public struct Attachment: Sendable, Equatable {
        let file: AttachedFile

        /// A file, which is read when the report is written; see `addAttachment` for what is read of it.
        ///
        /// - Parameters:
        ///   - path: absolute path.
        ///   - name: by which it is shown; by default the last part of the path.
        ///   - contentType: by default what the name ends with says.
        public static func file(_ path: String, name: String? = nil, contentType: String? = nil) -> Attachment {
            let name = name ?? Attachments.name(of: path)
            let type = contentType ?? Attachments.contentType(of: name)
            return Attachment(file: AttachedFile(name: name, contentType: type, path: path))
        }

        /// Bytes; of more than 512 KiB the end is taken.
        public static func bytes(_ bytes: [UInt8], name: String, contentType: String? = nil) -> Attachment {
            let largest = AttachedFile.largestData
            return Attachment(
                file: AttachedFile(
                    name: name,
                    contentType: contentType ?? Attachments.contentType(of: name),
                    data: bytes.suffix(largest),
                    wholeSize: bytes.count > largest ? bytes.count : nil
                )
            )
        }
    }

    /// Has reports take a file along from now on, those of crashes and those of handled errors; as
    /// `MaydayConfiguration.attachments` does from the start.
    ///
    /// The file is read after the crash, by the reporter, or when the report is delivered where none ran. Of a file above
    /// 512 KiB the end is taken, where logs have what matters. A report takes at most 8. What is not there, is no regular file or
    /// cannot be read within a quarter of the time for its delivery is named in the report, with the reason. Attachments are **not scrubbed**: `beforeSend`
    /// may look into `Report.attachments`.
    ///
    /// - Parameters:
    ///   - path: absolute path, up to about 300 bytes.
    ///   - name: by which it is shown, up to 64 bytes; by default the last part of the path. A second one of a name replaces the first.
    ///   - contentType: by default what the name ends with says.
    public static func addAttachment(path: String, name: String? = nil, contentType: String? = nil) {
        guard let problem = Attachments.add(path: path, name: name, contentType: contentType) else { return }
        StandardError.warn("the attachment \(path.madeVisible(limit: 300)) is not in reports: \(problem)")
    }

    /// Has reports no longer take the attachment of this name along.
    public static func removeAttachment(name: String) { Attachments.remove(name) }
}
