import CrashReport
import Foundation
import Store
import Testing

@Suite("Projects and secrets in the store")
struct ProjectStoreTests {
    @Test("a store is set up once", arguments: Backend.allCases)
    func setUp(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        #expect(fixture.project.id == 1)
        let again = try fixture.store.setUp(
            project: "again",
            key: Secret("x").hash,
            adminToken: Secret("y").hash,
            at: .now()
        )
        #expect(again == nil)
        #expect(try fixture.store.projects().map(\.name) == ["default"])
        #expect(try fixture.store.tokens() == [.admin: Secret("admin").hash])
    }

    @Test("keys are replaced, names are unique", arguments: Backend.allCases)
    func projects(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let added = try #require(try fixture.store.addProject(name: "b", key: Secret("old").hash, at: .now()))
        #expect(try fixture.store.addProject(name: "b", key: Secret("other").hash, at: .now()) == nil)
        #expect(try fixture.store.replaceKey(ofProject: added.id, with: Secret("new").hash))
        #expect(try fixture.store.project(added.id)?.key.matches(Secret("new")) == true)
        #expect(try fixture.store.project(added.id)?.key.matches(Secret("old")) == false)
        #expect(try !fixture.store.replaceKey(ofProject: 99, with: Secret("new").hash))
        #expect(try fixture.store.project(99) == nil)
        #expect(try fixture.store.replaceToken(.admin, with: Secret("fresh").hash))
        #expect(try fixture.store.tokens().kind(of: Secret("fresh")) == .admin)
        #expect(try fixture.store.tokens().kind(of: Secret("admin")) == nil)
        try fixture.store.setPublicURL("http://a:1")
        try fixture.store.setPublicURL("http://a:2")
        #expect(try fixture.store.publicURL() == "http://a:2")
    }

    @Test("the store holds SHA-256 of a secret, never the secret")
    func secrets() throws {
        let fixture = try Fixture()
        #expect(fixture.key.text.count == 32)
        #expect(fixture.key.text != Secret.random().text)
        fixture.store.close()
        for file in try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(fixture.directory.path)/\(file)"))
            #expect(bytes.range(of: Data(fixture.key.text.utf8)) == nil, "\(file)")
        }
        // FIPS 180-2, appendix B.1.
        #expect(Secret("abc").hash.hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("a token is of one kind, and goes with its project", arguments: Backend.allCases)
    func tokens(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let added = try #require(try fixture.store.addProject(name: "b", key: Secret("k").hash, at: .now()))
        let kinds: [TokenKind] = [
            .admin, .symbols, .reader(project: nil), .reader(project: 1), .reader(project: added.id),
        ]
        for kind in kinds {
            #expect(try fixture.store.replaceToken(kind, with: Secret("old \(kind)").hash))
            #expect(try fixture.store.replaceToken(kind, with: Secret("\(kind)").hash))
        }
        #expect(try !fixture.store.replaceToken(.reader(project: 99), with: Secret("nobody's").hash))
        let tokens = try fixture.store.tokens()
        #expect(Set(tokens.keys) == Set(kinds))
        for kind in kinds {
            #expect(tokens.kind(of: Secret("\(kind)")) == kind)
            #expect(tokens.kind(of: Secret("old \(kind)")) == nil)
        }
        #expect(try fixture.store.removeProject(added.id))
        #expect(try fixture.store.tokens().kind(of: Secret("\(TokenKind.reader(project: added.id))")) == nil)
        #expect(try fixture.store.tokens().count == kinds.count - 1)
    }
}
