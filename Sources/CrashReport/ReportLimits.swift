/// Bounds of what a reader accepts, so that a hostile or damaged report cannot take its memory.
public struct ReportLimits: Sendable, Equatable {
    /// Bytes that the gzip data may expand to.
    public var expandedBytes: Int
    /// How many times as large as the gzip data they may become, once they are larger than `ratioFrom`.
    public var ratio: Int
    /// Bytes up to which the ratio does not matter: a thousand threads that wait at one place are 100 times as large as their gzip.
    public var ratioFrom: Int
    /// Bytes of one line.
    public var lineBytes: Int
    /// Lines.
    public var lines: Int
    /// Frames of all threads together.
    public var frames: Int
    /// Symbols of all frames together.
    public var symbols: Int
    /// JSON values in the context and the data of breadcrumbs together.
    public var values: Int
    /// Attachments by name.
    public var attachments: Int

    /// The limits of the report format; give those that are to be different.
    public init(
        expandedBytes: Int = 64 << 20,
        ratio: Int = 100,
        ratioFrom: Int = 16 << 20,
        lineBytes: Int = 1 << 20,
        lines: Int = 65_536,
        frames: Int = 100_000,
        symbols: Int = 500_000,
        values: Int = 250_000,
        attachments: Int = 64
    ) {
        self.expandedBytes = expandedBytes
        self.ratio = ratio
        self.ratioFrom = ratioFrom
        self.lineBytes = lineBytes
        self.lines = lines
        self.frames = frames
        self.symbols = symbols
        self.values = values
        self.attachments = attachments
    }

    /// For reports from outside: the limits of the report format.
    public static let standard = ReportLimits()

    /// For reports that were accepted before and then symbolicated, which makes their lines longer.
    public static let symbolicated = ReportLimits(
        expandedBytes: 512 << 20,
        ratioFrom: 512 << 20,
        lineBytes: 64 << 20
    )

    /// Bytes that so many bytes of gzip data may expand to.
    func expandedBytes(of compressed: Int) -> Int {
        let (product, isHuge) = compressed.multipliedReportingOverflow(by: ratio)
        return isHuge ? expandedBytes : min(expandedBytes, max(ratioFrom, product))
    }
}
