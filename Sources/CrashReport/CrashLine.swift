// The `crash` line.

extension Crash {
    init(from reader: inout JSONReader) throws(JSONError) {
        var signal: CrashSignal?
        var faultAddress: UInt64?
        var sender: SignalSender?
        var thread: Int?
        var message: String?
        var messageSource: String?
        var registers: [Register] = []
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "signal": signal = try CrashSignal(from: &reader)
            case "fault_address": faultAddress = try reader.hex()
            case "sender": sender = try SignalSender(from: &reader)
            case "thread": thread = try reader.integer()
            case "message": message = try reader.string()
            case "message_source": messageSource = try reader.string()
            case "registers":
                try reader.members { name, reader throws(JSONError) in
                    registers.append(Register(name: name.text, value: try reader.hex()))
                }
            default: try reader.skip()
            }
        }
        self.init(
            signal: try reader.required(signal, "signal"),
            faultAddress: faultAddress,
            sender: sender,
            thread: try reader.required(thread, "thread"),
            message: message,
            messageSource: messageSource,
            registers: registers
        )
    }

    func write(to writer: inout JSONWriter) {
        writer.object("signal") { writer in
            writer.field("number", signal.number)
            writer.field("name", signal.name)
            writer.field("code", signal.code)
            writer.field("code_name", signal.codeName)
        }
        writer.field("fault_address", hex: faultAddress)
        writer.field("sender", sender) { writer, sender in
            writer.object { writer in
                writer.field("pid", sender.pid)
                writer.field("uid", sender.uid)
            }
        }
        writer.field("thread", thread)
        writer.field("message", message)
        writer.field("message_source", messageSource)
        writer.object("registers") { writer in
            for register in registers { writer.field(register.name, hex: register.value) }
        }
    }
}

extension CrashSignal {
    init(from reader: inout JSONReader) throws(JSONError) {
        var number: Int?
        var name: String?
        var code: Int?
        var codeName: String?
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "number": number = try reader.integer()
            case "name": name = try reader.string()
            case "code": code = try reader.integer()
            case "code_name": codeName = try reader.string()
            default: try reader.skip()
            }
        }
        self.init(
            number: try reader.required(number, "number"),
            name: try reader.required(name, "name"),
            code: try reader.required(code, "code"),
            codeName: codeName
        )
    }
}

extension SignalSender {
    init(from reader: inout JSONReader) throws(JSONError) {
        var pid: Int?
        var uid: Int?
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "pid": pid = try reader.integer()
            case "uid": uid = try reader.integer()
            default: try reader.skip()
            }
        }
        self.init(pid: try reader.required(pid, "pid"), uid: try reader.required(uid, "uid"))
    }
}
