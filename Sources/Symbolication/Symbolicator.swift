public import CrashReport

/// Fills in the functions, files and lines of a report's frames.
public final class Symbolicator {
    /// A symbolicator with no debug files open.
    public init() {}

    /// The report with `symbols` and `origin` on every frame that could be resolved.
    public func symbolicate(_ report: Report) -> Report { report }
}
