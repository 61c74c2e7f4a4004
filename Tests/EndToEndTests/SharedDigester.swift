import CrashReport
import Grouping

/// One digester for all tests, so that each debug file is opened once.
actor SharedDigester {
    static let shared = SharedDigester()
    private let digester = Digester()

    func digest(_ report: Report) -> DigestedReport { digester.digest(report) }
}
