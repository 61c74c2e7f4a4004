/// The `crash` line.
public struct Crash: Sendable, Equatable {
    /// The signal that ended the process.
    public var signal: CrashSignal
    /// Address whose access or execution faulted.
    public var faultAddress: UInt64?
    /// Who sent the signal, when it was sent.
    public var sender: SignalSender?
    /// Kernel id of the crashing thread.
    public var thread: Int
    /// The fatal message.
    public var message: String?
    /// Where the message came from: `swift`, `glibc`, `terminate`, `runtime_failure`.
    public var messageSource: String?
    /// Registers in the machine's own order.
    public var registers: [Register]

    /// A crash; what is not known is left out.
    public init(
        signal: CrashSignal,
        faultAddress: UInt64? = nil,
        sender: SignalSender? = nil,
        thread: Int,
        message: String? = nil,
        messageSource: String? = nil,
        registers: [Register] = []
    ) {
        self.signal = signal
        self.faultAddress = faultAddress
        self.sender = sender
        self.thread = thread
        self.message = message
        self.messageSource = messageSource
        self.registers = registers
    }
}

/// A signal by number and by name.
public struct CrashSignal: Sendable, Equatable {
    /// 11.
    public var number: Int
    /// `SIGSEGV`.
    public var name: String
    /// `si_code`.
    public var code: Int
    /// `SEGV_MAPERR`; nil when the code has no name.
    public var codeName: String?

    /// A signal with its code.
    public init(
        number: Int,
        name: String,
        code: Int,
        codeName: String? = nil
    ) {
        self.number = number
        self.name = name
        self.code = code
        self.codeName = codeName
    }
}

/// Process and user that sent a signal.
public struct SignalSender: Sendable, Equatable {
    /// Process id, as seen from the receiver.
    public let pid: Int
    /// User id.
    public let uid: Int

    /// A sender by process and user.
    public init(
        pid: Int,
        uid: Int
    ) {
        self.pid = pid
        self.uid = uid
    }
}

/// A register and its value at the crash.
public struct Register: Sendable, Equatable {
    /// `rip`.
    public let name: String
    /// Its value.
    public let value: UInt64

    /// A register by name and value.
    public init(
        name: String,
        value: UInt64
    ) {
        self.name = name
        self.value = value
    }
}
