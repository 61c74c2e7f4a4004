import CrashReport

/// What is known of one build: answers that were given before, also by other processes, and its debug files, which are opened only
/// when an address is asked for that has none.
///
/// Not thread-safe.
final class Build {
    /// By address, counted from where the image begins, with `call` set for one inside a call.
    private var answers: [UInt64: DebugModule.Answer] = [:]
    private static let call: UInt64 = 1 << 63
    private var module: DebugModule?
    private let find: () -> Result<DebugModule, ImageNote.Reason>
    /// Why there are no files.
    private var failure: ImageNote.Reason?
    private let file: AnswerFile?
    /// What the answers in the file were made from; nil when there are none that serve.
    private var source: DebugFileFacts.Content?
    private var isFileWhole = false
    /// Keys of answers that are not in the file.
    private var fresh: [UInt64] = []

    /// Answers kept; a long-running collector would otherwise keep every address it has ever seen.
    private static let answerLimit = 65_536

    /// - Parameters:
    ///   - file: where answers are kept, if anywhere.
    ///   - find: opens the debug files.
    init(file: AnswerFile?, find: @escaping () -> Result<DebugModule, ImageNote.Reason>) {
        self.file = file
        self.find = find
        if let content = file?.read() {
            (answers, source, isFileWhole) = (content.answers, content.source, content.isWhole)
        }
        // Nothing says more than debug information. Where the answers were made from less, more may have come.
        if source != .debugInformation { open() }
    }

    /// True when neither files nor answers are there.
    var isEmpty: Bool { module == nil && answers.isEmpty }

    /// Bytes of the files that are open, as a measure of the memory that they take.
    var size: Int { module?.size ?? 0 }

    /// What to say about this build, if anything.
    var shortcoming: ImageNote.Reason? {
        // An address was asked for that the answers do not have.
        if let failure { return failure }
        if let module, module.isCut { return .cut }
        // The tables of a file are made when they are needed, and where there are answers they may not be.
        if let source, module?.isUnread ?? true { return source == .debugInformation ? nil : .noDebugInformation }
        return module?.shortcoming
    }

    /// Functions at an address, counted from where the image begins, which is inside a call or not (`CompileUnit.places`).
    func answer(at offset: UInt64, isCall: Bool) -> DebugModule.Answer? {
        guard offset & Self.call == 0 else { return nil }
        let key = offset | (isCall ? Self.call : 0)
        if let known = answers[key] { return known }
        if module == nil, failure == nil { open() }
        guard let module else { return nil }
        let answer = module.answer(at: module.base &+ offset, isCall: isCall)
        if answers.count >= Self.answerLimit { answers.removeAll(keepingCapacity: true) }
        answers[key] = answer
        if file != nil { fresh.append(key) }
        return answer
    }

    /// Takes files that say more, and forgets what the others said.
    func take(_ better: DebugModule) {
        (module, failure, answers, fresh, source) = (better, nil, [:], [], nil)
    }

    /// Takes `better` if it says more than what is there.
    func takeIfMoreComplete(_ better: DebugModule) {
        if let module, !better.isMoreComplete(than: module) { return }
        take(better)
    }

    /// Writes what is new to the file, where it helps the next process.
    func save() {
        defer { fresh = [] }
        guard let file, let module, !fresh.isEmpty, module.isWhole else { return }
        let content = module.content
        // Files that say less, such as a binary that was stripped since, have nothing to add.
        if let source, source > content { return }
        let new = fresh.compactMap { key in answers[key].map { (key: key, answer: $0) } }
        if source == content, isFileWhole {
            // A full one begins anew, with what is asked for these days.
            if !file.append(new, source: content) { file.replace(new, source: content) }
        } else {
            file.replace(answers.map { (key: $0.key, answer: $0.value) }, source: content)
        }
        (source, isFileWhole) = (content, true)
    }

    private func open() {
        switch find() {
        case .success(let module):
            self.module = module
            if let source, module.announced > source { take(module) }
        case .failure(let reason):
            // Answers that are there serve without the files.
            if answers.isEmpty || source == .debugInformation { failure = reason }
        }
    }
}
