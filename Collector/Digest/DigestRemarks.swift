public import Grouping
public import Store
import Symbolication

extension DigestRemarks {
    /// What the store keeps of a digested report besides the report.
    ///
    /// - Parameter warnings: of the reading, from `DecodedReport`.
    public init(of digested: DigestedReport, warnings: [String]) {
        self.init(warnings: warnings, grouping: digested.explanation, notes: digested.notes)
    }

    init(warnings: [String], grouping: [String], notes: [ImageNote]) {
        self.init(
            warnings: warnings,
            grouping: grouping,
            images: notes.map { DigestRemarks.Image(index: $0.image, text: $0.description) }
        )
    }
}
