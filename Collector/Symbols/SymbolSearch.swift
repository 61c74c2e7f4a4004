import Foundation
public import Symbolication

/// Finds files with symbols: a file by its path, or all below a directory, such as a build directory or a container's root.
public enum SymbolSearch {
    /// A file that was found.
    public struct Found: Sendable, Equatable {
        /// Where it is.
        public var path: String
        /// What it says of itself; nil when it is no ELF file.
        public var facts: DebugFileFacts?
    }

    /// The file, or the files below the directory that are worth keeping; nil when there is nothing at the path. Links are not followed,
    /// which may lead out of a container's root.
    public static func files(at path: String) -> [Found]? {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            return [Found(path: path, facts: isELF(path) ? DebugFileFacts(path: path) : nil)]
        }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.sorted().compactMap { name in
            let file = "\(path)/\(name)"
            var facts = stat()
            guard lstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, isELF(file),
                let found = DebugFileFacts(path: file), found.buildID != nil
            else { return nil }
            // Programs of a distribution have exported names at most, and no report is about them; its libraries do matter.
            let isLibrary = file.contains(".so")
            guard found.content >= .names || isLibrary && found.content > .nothing else { return nil }
            return Found(path: file, facts: found)
        }
    }

    private static func isELF(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 18)
        guard read(descriptor, &header, header.count) == header.count, header.starts(with: [0x7f, 0x45, 0x4c, 0x46])
        else { return false }
        // Programs and libraries; neither objects that are still to be linked nor core files.
        return header[16] == 2 || header[16] == 3
    }
}
