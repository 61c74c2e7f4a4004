import Testing

/// Says by name which builds the other tests leave out.
@Suite struct BuildTests {
    @Test(
        .enabled(
            if: Build.missing.isEmpty || Build.areAllRequired,
            "not built: \(Build.missing.map(\.rawValue)); `make test` builds them"
        )
    )
    func everyBuildIsTested() {
        #expect(Build.missing.isEmpty)
        #expect(Build.tested == Build.allCases)
    }
}
