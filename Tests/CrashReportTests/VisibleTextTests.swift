import CrashReport
import Testing

/// Text from a report that is shown on a terminal.
@Suite("Visible text")
struct VisibleTextTests {
    @Test("Marks that pile up are written out, those of languages are not")
    func showsMarks() {
        #expect("Tiếng Việt é ẹ̀ที่".madeVisible() == "Tiếng Việt é ẹ̀ที่")
        let pile = "a" + String(repeating: "\u{30b}", count: 6) + "b\u{30b}"
        #expect(pile.madeVisible() == "a" + String(repeating: "\u{30b}", count: 4) + "\\u{30b}\\u{30b}b\u{30b}")
    }

    @Test("JSON holds nothing that a terminal obeys, and gives it back")
    func escapesJSON() throws {
        let hostile = "\u{1b}[2J\u{7f}\u{9b}31m\u{202e}\u{2028}\u{e0041}\u{85} é 👩‍💻"
        let value = JSONValue.object([hostile: .array([.string(hostile)])])
        let text = value.text
        #expect(text.unicodeScalars.allSatisfy { !$0.isHostileOnTerminal })
        #expect(text.contains("\\u009b31m\\u202e\\u2028\\udb40\\udc41\\u0085 é 👩‍💻"))
        #expect(try JSONReader.parse(Array(text.utf8)) == value)
    }
}
