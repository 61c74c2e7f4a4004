import CrashReport
import Testing

@Suite("What to do about errors of the system")
struct ErrorRemedyTests {
    @Test(
        "a library that cannot be loaded: by the error that the loader names, else it is not there",
        arguments: [
            ("cannot open shared object file: Too many open files", "raise the limit of open files (ulimit -n)"),
            ("failed to map segment from shared object: Cannot allocate memory", "raise the memory limit"),
            ("cannot open shared object file: Permission denied", "let this user read it"),
            ("cannot open shared object file: No such file or directory", "install libdw1"),
            ("", "install libdw1"),
        ]
    )
    func loading(problem: String, remedy: String) {
        #expect(ErrorRemedy.ofLoading(problem, package: "libdw1") == remedy)
    }
}
