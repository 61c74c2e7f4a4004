extension String {
    /// The text as code in a chat's message, `` `like this` ``: a text of the service's that calls nobody, links nowhere and
    /// ends nothing, in whatever chat.
    ///
    /// Code is what all of them show as it is: no bold, no links, no emoji for the `:key:` of a Swift function. What some obey
    /// in it still is replaced by what looks like it: entities would be shown as they are by all but Slack.
    ///
    /// - Parameter limit: the most UTF-16 units between the quotes; what is longer is cut and ends with `…`.
    package func codeInChat(limit: Int) -> String {
        let scalars = Array(madeVisible(limit: limit).unicodeScalars)
        var (result, count) = ("`", 0)
        for (index, scalar) in scalars.enumerated() {
            var piece: String
            switch scalar {
            // Slack's and Google's links and mentions: <!channel>, <users/all>, <https://a|b>.
            case "<": piece = "‹"
            case ">": piece = "›"
            case "`": piece = "'"
            case "&" where Self.isEntity(scalars[(index + 1)...]): piece = "&\u{200b}"
            case "@" where Self.isMention(scalars[..<index], scalars[(index + 1)...]): piece = "@\u{200b}"
            default: piece = String(scalar)
            }
            count += piece.utf16.count
            guard count < limit || index == scalars.count - 1 && count <= limit else { return result + "…`" }
            result += piece
        }
        return result + (scalars.isEmpty ? " `" : "`")
    }

    /// Slack reads three of them: `&lt;` in a message would be shown as `<`.
    private static func isEntity(_ following: ArraySlice<Unicode.Scalar>) -> Bool {
        ["amp;", "lt;", "gt;"].contains { following.starts(with: $0.unicodeScalars) }
    }

    /// The `@` of `shop@1.2.0` calls nobody; Discord finds `@everyone` and `@here` in the middle of a word too.
    private static func isMention(
        _ before: ArraySlice<Unicode.Scalar>,
        _ following: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let last = before.last, last.properties.isAlphabetic || last.properties.numericType != nil else {
            return true
        }
        let word = following.prefix(8).map { $0.properties.lowercaseMapping }.joined()
        return ["all", "channel", "everyone", "here"].contains(where: word.hasPrefix)
    }
}
