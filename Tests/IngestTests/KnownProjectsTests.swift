import CrashReport
import Store
import Testing
import TestSupport

@testable import Ingest

@Suite("What is remembered of projects")
struct KnownProjectsTests {
    @Test("a row is believed for a second, and a project that is not there is not remembered")
    func age() throws {
        let temporary = try TemporaryDirectory()
        let store = try DataDirectory("\(temporary.path)/data").createStore()
        let projects = KnownProjects(store: store)
        #expect(try projects.read(1) == nil)
        #expect(projects.known(1) == nil)
        let added = try #require(try store.addProject(name: "default", key: Secret("a").hash, at: .now()))
        #expect(try projects.read(1) == added)
        #expect(try store.replaceKey(ofProject: 1, with: Secret("b").hash))
        let now = ContinuousClock.now
        #expect(projects.known(1, at: now - .seconds(60)) == added)
        #expect(projects.known(1, at: now + KnownProjects.maximumAge) == nil)
        #expect(try projects.read(1)?.key == Secret("b").hash)
    }
}
