import FramedCoding
import _BonjourishEventLoop

/// Runs a ``RequestMachine`` over a connection: takes frames, sends the machine's frames, and calls the request handlers.
///
/// It runs on the connection's thread, so that a received frame and the reply to it cost no change of threads.
///
/// Other jobs may run between the call that creates a continuation and its closure. So each condition of a wait is checked within
/// the closure. Cancellation is checked there, too, because a task is cancelled before its cancellation handlers run.
actor RequestCore {
  typealias Answer = Result<[UInt8], RemoteError>

  /// The app's handlers of the peer's requests and notifications.
  struct Handlers: Sendable {
    let answer: @Sendable ([UInt8], RequestCore) async -> Answer
    /// Answers a request with the given number by a stream. Returns the reason if there is no whole stream.
    var stream: (@Sendable ([UInt8], UInt64, RequestCore) async -> RemoteError?)?
    let notified: @Sendable ([UInt8], RequestCore) async -> Void
  }

  nonisolated let connection: Connection
  nonisolated let executor: any SerialExecutor & TaskExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let handlers: Handlers
  let limits: RequestLimits
  let time: MonotonicClock
  private(set) var machine: RequestMachine
  private let timer: DeadlineTimer
  /// The time at which the timer fires. It is moved earlier but never later, so that a frame costs no new timer.
  private var timerDeadline: ContinuousClock.Instant?

  private var lastNumber: UInt64 = 0
  private var callers: [UInt64: CheckedContinuation<RequestMachine.Outcome, Never>] = [:]
  var answerers: [UInt64: Task<Void, Never>] = [:]
  /// Let the handlers that stream wait for credit.
  var writers: [UInt64: Waiter] = [:]
  /// The streams that this side has asked for.
  var inboxes: [UInt64: ReplyInbox] = [:]
  private var waitersForEnd: [UInt64: CheckedContinuation<Void, Never>] = [:]

  var outbox = Outbox()
  var sender: Task<Void, Never>?

  var notifications: ArraySlice<[UInt8]> = []
  var notifier: Task<Void, Never>?
  /// Lets `takeFrames` wait for room among the notifications.
  let reader = Waiter()

  /// Whether the peer has ended its side, and its earlier frames are still being handled.
  private(set) var isFinishing = false
  private(set) var isOver = false
  /// The reason for the end; `nil` if either side has ended the connection in order.
  private(set) var failure: MessagingError?

  init(_ connection: Connection, limits: RequestLimits, handlers: Handlers, time: MonotonicClock) {
    limits.check()
    precondition(
      connection.format.largestBodySize >= RequestFrame.leastBodySize,
      "connection.format must permit bodies of at least \(RequestFrame.leastBodySize) bytes")
    self.connection = connection
    self.limits = limits
    self.handlers = handlers
    self.time = time
    executor = connection.executor
    machine = RequestMachine(limits: limits, at: time.now())
    timer = DeadlineTimer(time)
  }

  // MARK: - The scope

  /// Takes frames until there are no more, and returns when all handlers are done.
  func serve() async {
    setTimer()
    let failure = await takeFrames()
    if failure == nil { await finish() }
    end(failure)
    await notifier?.value
    while let answerer = answerers.values.first { await answerer.value }
    sender?.cancel()
    await sender?.value
  }

  /// Ends everything, and closes the connection in order.
  func stop() async {
    end(nil)
    await connection.close()
  }

  private func takeFrames() async -> MessagingError? {
    do throws(TransportError) {
      for try await frame in connection.frames {
        handle(.received(frame))
        if isOver { break }
        guard notifications.count >= limits.notified else { continue }
        handle(.listening(false))
        await waitForRoom()
        handle(.listening(true))
      }
      return nil
    } catch {
      return MessagingError(error, "Taking requests from \(connection.peer)")
    }
  }

  /// Handles the peer's frames from before it ended its side, and sends the replies.
  private func finish() async {
    guard !isOver else { return }
    isFinishing = true
    handle(.finished)
    while !isOver, let task = answerers.values.first ?? notifier ?? sender { await task.value }
  }

  func end(_ failure: MessagingError?) {
    guard !isOver else { return }
    isOver = true
    self.failure = failure
    handle(.ended)
    timer.cancel()
    notifications = []
    notifier?.cancel()
    reader.wake()
    for notifier in outbox.removeAll() { notifier.resume(returning: .failure(disconnected("A message"))) }
    for writer in writers.values { writer.wake() }
    sender?.cancel()
    for waiter in waitersForEnd.values { waiter.resume() }
    waitersForEnd = [:]
  }

  /// Waits for the end of the connection.
  ///
  /// - Throws: The reason, unless either side has ended the connection in order; `cancelled` if the task is cancelled.
  nonisolated func waitForEnd() async throws(MessagingError) {
    let number = await takeNumber()
    await withTaskCancellationHandler {
      await suspendUntilEnd(number)
    } onCancel: {
      Task(executorPreference: executor) { await self.stopWaiting(number) }
    }
    try await checkEnd()
  }

  private func checkEnd() throws(MessagingError) {
    guard isOver else { throw cancelled("Waiting for the end of the connection with") }
    if let failure { throw failure }
  }

  private func suspendUntilEnd(_ number: UInt64) async {
    await withCheckedContinuation { waiter in
      if isOver || Task.isCancelled { waiter.resume() } else { waitersForEnd[number] = waiter }
    }
  }

  private func stopWaiting(_ number: UInt64) {
    waitersForEnd.removeValue(forKey: number)?.resume()
  }

  func takeNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: - What the app wants

  /// Sends a request to the peer.
  func ask(_ message: [UInt8], within limit: Duration) async throws(MessagingError) -> [UInt8] {
    let number = takeNumber()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (caller: CheckedContinuation<RequestMachine.Outcome, Never>) in
        guard !Task.isCancelled else { return caller.resume(returning: .cancelled) }
        callers[number] = caller
        let deadline = time.now() + limit
        handle(.ask(number, message, deadline: earliest(deadline, RequestDeadline.current) ?? deadline))
      }
    } onCancel: {
      Task(executorPreference: executor) { await self.giveUp(number) }
    }
    guard case .replied(let reply) = outcome else { throw error(of: outcome) }
    return reply
  }

  private func giveUp(_ number: UInt64) {
    handle(.giveUp(number))
  }

  /// Sends a notification or an item, after all earlier frames.
  ///
  /// - Parameter what: What it is, for errors, such as "A notification".
  func deliver(_ body: [UInt8], _ what: String) async throws(MessagingError) {
    guard !isOver else { throw disconnected(what) }
    guard !sendAtOnce(body) else { return handle(.sent) }
    let number = takeNumber()
    try await withTaskCancellationHandler {
      await withCheckedContinuation { (notifier: Outbox.Notifier) in
        if isOver {
          notifier.resume(returning: .failure(disconnected(what)))
        } else if Task.isCancelled {
          notifier.resume(returning: .failure(cancelled("\(what) to")))
        } else {
          queue(body, from: .notifier(number, notifier))
        }
      }
    } onCancel: {
      Task(executorPreference: executor) { await self.drop(number) }
    }.get()
  }

  private func drop(_ number: UInt64) {
    outbox.dropNotifier(number)?.resume(returning: .failure(cancelled("A message to")))
  }

  // MARK: - What the machine wants

  func handle(_ event: RequestMachine.Event) {
    for effect in machine.handle(event, at: time.now()) { run(effect) }
    setTimer()
  }

  private func run(_ effect: RequestMachine.Effect) {
    switch effect {
    case .send(let frame):
      send(frame, from: .machine)
    case .refuse(let frame):
      send(frame, from: .refusal)
      guard outbox.refusalCount > limits.answered else { return }
      abort("it sends too many requests and does not read the refusals")
    case .finish(let number, let outcome):
      guard let caller = callers.removeValue(forKey: number) else { return endStream(number, outcome) }
      caller.resume(returning: outcome)
    case .deliver(let number, let message):
      addItem(message, to: number)
    case .permit(let number):
      writers[number]?.wake()
    case .answer(let number, let message):
      startAnswering(number, message)
    case .stopAnswering(let number):
      answerers[number]?.cancel()
      writers[number]?.wake()
    case .notify(let message):
      notifications.append(message)
      startNotifying()
    case .abort(let error):
      abort(error.message, error)
    case .dropSilentPeer:
      let reason = "nothing was received from \(connection.peer) for \(limits.heartbeat?.timeout ?? .zero)"
      connection.abort()
      end(MessagingError(TransportError(.timedOut, reason), "Waiting for requests and replies"))
    case .giveUpAnswering:
      end(nil)
    }
  }

  private func abort(_ reason: String, _ error: MessageError? = nil) {
    let peer = connection.peer
    connection.abort()
    end(MessagingError(.brokenRules, messageError: error, "\(peer) violated the protocol of requests: \(reason)"))
  }

  private func setTimer() {
    guard let next = machine.nextDeadline, timerDeadline.map({ next < $0 }) ?? true else { return }
    timerDeadline = next
    timer.set(next, on: self) { $0.timePassed() }
  }

  private func timePassed() {
    timerDeadline = nil
    handle(.timePassed)
  }
}
