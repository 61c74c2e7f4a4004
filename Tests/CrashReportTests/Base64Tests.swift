import Foundation
import TestSupport
import Testing

@testable import CrashReport

@Suite struct Base64Tests {
    @Test func `it is Foundation's, for bytes of every length`() {
        var random = SeededGenerator(seed: 7)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Base64.encode(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(Base64.decode(text) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AA", "AAA", "AA==A", "=AAA", "A===", "====", "AA-_", "AAA\n", "AB==", "AAB=", "AA=A", "é===",
    ])
    func `what is none is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `whatever the text, it ends`() {
        var random = SeededGenerator(seed: 8)
        let letters = Array("AZaz09+/=\n")
        for _ in 0..<5_000 {
            let text = String(
                (0..<Int.random(in: 0..<24, using: &random)).map { _ in letters.randomElement(using: &random) ?? "=" }
            )
            guard let bytes = Base64.decode(text) else { continue }
            #expect(Base64.encode(bytes) == text)
        }
    }
}
