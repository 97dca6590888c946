import _BonjourishEventLoop

/// Streams of replies: those that this side asks for, and those of its handlers.
extension RequestCore {
  // MARK: - Taking

  /// Asks the peer for a stream. `closeStream` must follow.
  ///
  /// - Returns: The number of the stream.
  func openStream(_ message: [UInt8], within limit: Duration?, each: Duration) -> UInt64 {
    let number = takeNumber()
    inboxes[number] = ReplyInbox()
    let deadline = earliest(limit.map { time.now() + $0 }, RequestDeadline.current)
    handle(.askForStream(number, message, deadline: deadline, each: each))
    return number
  }

  /// Waits for items, and takes some of them.
  ///
  /// - Parameter count: The number of items that were taken before and are no longer in memory.
  /// - Returns: The items; none at the end.
  func takeItems(of number: UInt64, after count: Int) async throws(MessagingError) -> ArraySlice<[UInt8]> {
    if count > 0 { handle(.taken(number, count)) }
    guard let reader = inboxes[number]?.reader else { return [] }
    await reader.wait { inboxes[number].map { $0.items.isEmpty && $0.outcome == nil } ?? false }
    guard let inbox = inboxes[number] else { return [] }
    guard inbox.items.isEmpty else {
      // No more than half a window, so that the peer can send the other half meanwhile.
      let items = inbox.items.prefix(max(1, limits.streamed / 2))
      inboxes[number]?.items.removeFirst(items.count)
      return items
    }
    guard let outcome = inbox.outcome else {
      closeStream(number)
      throw cancelled("A request to")
    }
    inboxes[number] = nil
    guard outcome == .ended else { throw error(of: outcome) }
    return []
  }

  /// Drops a stream, and tells the peer if it has not ended.
  func closeStream(_ number: UInt64) {
    inboxes[number] = nil
    handle(.giveUp(number))
  }

  func addItem(_ message: [UInt8], to number: UInt64) {
    inboxes[number]?.items.append(message)
    inboxes[number]?.reader.wake()
  }

  func endStream(_ number: UInt64, _ outcome: RequestMachine.Outcome) {
    guard inboxes[number] != nil else { return }
    if case .replied(let message) = outcome {
      inboxes[number]?.items.append(message)
      inboxes[number]?.outcome = .ended
    } else {
      inboxes[number]?.outcome = outcome
    }
    inboxes[number]?.reader.wake()
  }

  // MARK: - Answering

  /// Calls the handler for a request of the peer.
  func startAnswering(_ number: UInt64, _ message: [UInt8]) {
    let terms = machine.terms(ofAnswering: number)
    let stream = terms.isStream ? handlers.stream : nil
    if stream != nil { writers[number] = Waiter() }
    answerers[number] = Task {
      let event = await RequestDeadline.$current.withValue(terms.deadline) {
        guard let stream else { return RequestMachine.Event.answered(number, await handlers.answer(message, self)) }
        return await stream(message, number, self).map { .answered(number, .failure($0)) } ?? .streamEnded(number)
      }
      answerers[number] = nil
      writers[number] = nil
      handle(event)
    }
  }

  /// Sends an item of a handler's stream, as soon as there is credit and room.
  ///
  /// - Parameter body: The whole body of the frame.
  func sendItem(_ body: [UInt8], of number: UInt64) async throws(MessagingError) {
    await writers[number]?.wait { !isOver && machine.mustWaitForCredit(number) }
    guard !isOver else { throw disconnected("An item") }
    guard !Task.isCancelled, machine.mayStream(number) else { throw cancelled("An item to") }
    handle(.streamed(number))
    try await deliver(body, "An item")
  }
}
