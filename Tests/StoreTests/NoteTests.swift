import TestSupport
import Testing

@testable import Store

@Suite("Notes for the process after this one")
struct NoteTests {
    @Test("a note is replaced, taken once, and does not get into another's subject", arguments: Backend.allCases)
    func kept(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let store = fixture.store
        try store.setPublicURL("http://127.0.0.1:7171")
        #expect(try store.takeNotes(about: "the webhook").isEmpty)
        try store.keepNote([1], about: "the webhook")
        try store.keepNote([2], about: "the webhook")
        try store.keepNote([3], about: "the command")
        #expect(try store.takeNotes(about: "the web").isEmpty)
        #expect(try store.takeNotes(about: "the webhook") == [[2]])
        #expect(try store.takeNotes(about: "the webhook").isEmpty)
        try store.keepNote(nil, about: "the command")
        #expect(try store.takeNotes(about: "the command").isEmpty)
        #expect(try store.publicURL() == "http://127.0.0.1:7171" && store.tokens().count == 1)
        #expect(try store.check().isEmpty)
    }

    @Test("only what a process kept that is gone is taken by another node")
    func nodes() throws {
        let fixture = try Fixture(.postgres)
        let other = try fixture.location.open()
        try fixture.store.keepNote([1], about: "the webhook")
        #expect(try other.takeNotes(about: "the webhook").isEmpty)
        fixture.store.close()
        // The server takes a moment to end the connection.
        var taken: [[UInt8]] = []
        let end = ContinuousClock.now + Patience.wait
        while taken.isEmpty, ContinuousClock.now < end { taken = try other.takeNotes(about: "the webhook") }
        #expect(taken == [[1]])
        other.close()
    }
}
