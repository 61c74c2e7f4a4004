/// One request and its answer. Used only by the thread of its connection.
final class Exchange {
    let request: HTTPRequest
    /// True on a connection that is above the limit: its one request is refused.
    let isSpare: Bool
    let began = ContinuousClock.now
    private let handler: any HTTPHandler
    private let budget: UploadBudget
    private var state: State
    private var body: [UInt8] = []
    private var discarded = 0
    /// Bytes that were streamed.
    private var streamed = 0
    private(set) var answer: HTTPAnswer?

    private enum State {
        case receiving(limit: Int)
        case streaming(any BodyReceiver)
        case discarding(HTTPAnswer)
    }

    /// A body that nobody wants is read up to so many bytes, so that the client sees the answer and no broken connection.
    static let maximumDiscarded = 16 << 20

    init(_ request: HTTPRequest, handler: any HTTPHandler, budget: UploadBudget, isSpare: Bool) {
        self.request = request
        self.handler = handler
        self.budget = budget
        self.isSpare = isSpare
        if let refusal = request.framingRefusal {
            state = .discarding(refusal)
            return
        }
        guard !isSpare || handler.isOpenToAll(request) else {
            state = .discarding(handler.refusal(.tooManyConnections))
            return
        }
        state =
            switch handler.begin(request) {
            case .answer(let answer): .discarding(answer)
            case .receive(let limit): .receiving(limit: limit)
            case .stream(let receiver): .streaming(receiver)
            }
    }

    deinit { budget.giveBack(body.count) }

    /// True when the connection may go without loss to anybody who has a key or a token.
    var isExpendable: Bool {
        guard case .discarding(let answer) = state else { return false }
        return answer.status >= 400 || handler.isOpenToAll(request)
    }

    /// The answer, when it should be given before the body. The connection ends after it, since the body is never read.
    var earlyAnswer: HTTPAnswer? {
        guard case .discarding(let answer) = state, request.hasBody || request.framingRefusal != nil else { return nil }
        if request.framingRefusal != nil { return answer }
        return request.expectsContinue || (request.contentLength ?? 0) > Self.maximumDiscarded ? answer : nil
    }

    /// Takes a piece of the body; false when the connection should end.
    func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        if case .streaming(let receiver) = state {
            guard let answer = receiver.receive(piece) else {
                streamed += piece.count
                return true
            }
            state = .discarding(answer)
        }
        if case .receiving(let limit) = state {
            if body.count + piece.count > limit {
                refuse(.tooLarge(limit: limit))
            } else if !budget.take(piece.count, holding: body.count) {
                refuse(.noMemory)
            } else {
                body.append(contentsOf: piece)
                return true
            }
        }
        discarded += piece.count
        return discarded <= Self.maximumDiscarded
    }

    /// Steps of a megabyte that a streamed body has taken: a large one may take long, as long as it goes on.
    var steps: Int { streamed >> 20 }

    /// The answer, once all of the request is there.
    func finish() -> HTTPAnswer {
        switch state {
        case .receiving: handler.answer(request, body: body)
        case .streaming(let receiver): receiver.finish()
        case .discarding(let answer): answer
        }
    }

    /// Remembers what is being sent.
    func send(_ answer: HTTPAnswer) { self.answer = answer }

    /// It is over; `sent` is false when the client went away.
    func complete(sent: Bool) {
        handler.completed(
            request,
            status: sent ? answer?.status ?? 0 : 0,
            bytes: answer?.body.count ?? 0,
            duration: began.duration(to: .now)
        )
    }

    private func refuse(_ cause: RefusedBody) {
        budget.giveBack(body.count)
        body = []
        state = .discarding(handler.refusal(cause))
    }
}
