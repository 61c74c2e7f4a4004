import CrashReport
import Testing

/// Text from a report in a chat.
@Suite("Code in a chat")
struct ChatCodeTests {
    @Test(
        "What a chat would obey is shown instead",
        arguments: [
            ("Index out of range", "`Index out of range`"),
            ("<!channel> & <@U024BE7LH|bob> <!here>", "`‹!channel› & ‹@\u{200b}U024BE7LH|bob› ‹!here›`"),
            ("<users/all> <https://evil.example|your bank>", "`‹users/all› ‹https://evil.example|your bank›`"),
            (
                "[text](https://evil.example) ![](https://evil.example/x.png)",
                "`[text](https://evil.example) ![](https://evil.example/x.png)`"
            ),
            ("` ```\n# *a* _b_ ~c~ ||d|| :key:", #"`' '''\n# *a* _b_ ~c~ ||d|| :key:`"#),
            (
                "@here @channel, @everyone @all @bob",
                "`@\u{200b}here @\u{200b}channel, @\u{200b}everyone @\u{200b}all @\u{200b}bob`"
            ),
            ("x@everyone x@Here x.@all", "`x@\u{200b}everyone x@\u{200b}Here x.@\u{200b}all`"),
            ("shop@1.2.0 ops@example.com", "`shop@1.2.0 ops@example.com`"),
            // Discord takes some invisible characters out of a message before it looks for who is called.
            ("@\u{202e}everyone @\u{200b}here", #"`@\#u{200b}\u{202e}everyone @\#u{200b}\u{200b}here`"#),
            ("&lt;!channel&gt; &amp;lt; a && b &x", "`&\u{200b}lt;!channel&\u{200b}gt; &\u{200b}amp;lt; a && b &x`"),
            ("a\r\n\u{1b}[31m\u{7}\u{2028}", #"`a\r\n\u{1b}[31m\u{7}\u{2028}`"#),
            ("", "` `"),
        ]
    )
    func hostile(_ text: String, _ expected: String) {
        #expect(text.codeInChat(limit: 300) == expected)
    }

    @Test(
        "It is no longer than it may be, whatever it is made of",
        arguments: ["x", "é", "😀", "\u{1b}", "<", "@", "&lt;", "\u{30b}"]
    )
    func short(_ piece: String) {
        for count in [1, 9, 10, 11, 5_000] {
            let code = String(repeating: piece, count: count).codeInChat(limit: 10)
            #expect(code.utf16.count <= 12, "\(code)")
            let quotes = code.unicodeScalars.indices.filter { code.unicodeScalars[$0] == "`" }
            #expect(quotes.count == 2 && code.unicodeScalars.first == "`" && code.unicodeScalars.last == "`")
            if piece == "x" { #expect(code.hasSuffix("…`") == (count > 10)) }
        }
    }
}
