/// The `end` line: how the capture went.
public struct CaptureEnd: Sendable, Equatable {
    /// Stages that were completed, in order.
    public var stages: [String]
    /// Microseconds from the handler's entry.
    public var durationMicroseconds: Int
    /// `libunwind` or `frame-pointer`.
    public var unwinder: String?
    /// What was cut short, and why.
    public var cut: [CutStage]

    /// The end of a capture.
    public init(
        stages: [String] = [],
        durationMicroseconds: Int,
        unwinder: String? = nil,
        cut: [CutStage] = []
    ) {
        self.stages = stages
        self.durationMicroseconds = durationMicroseconds
        self.unwinder = unwinder
        self.cut = cut
    }
}

/// A stage of the capture that was not completed.
public struct CutStage: Sendable, Equatable {
    /// Name of the stage.
    public let stage: String
    /// `deadline`, `fault`, `limit`, `io`.
    public let reason: String

    /// A stage and why it was cut short.
    public init(
        stage: String,
        reason: String
    ) {
        self.stage = stage
        self.reason = reason
    }
}
