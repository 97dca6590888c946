/// The frames that the connection has no room for yet, in order.
///
/// Its size is bounded by its sources: the limits bound requests and replies, and each notification has a waiting task. Only
/// refusals of excess requests have no such bound, so they are counted.
struct Outbox {
  typealias Notifier = CheckedContinuation<Result<Void, MessagingError>, Never>

  enum Sender {
    /// The machine, whose frames are bounded by the limits.
    case machine
    case refusal
    /// A task that waits until the connection has accepted the frame, and its number.
    case notifier(UInt64, Notifier)
    /// A task that no longer waits. The frame need not be sent.
    case nobody
  }

  private var frames: ArraySlice<(body: [UInt8], sender: Sender)> = []
  private(set) var refusalCount = 0

  var isEmpty: Bool { frames.isEmpty }

  mutating func append(_ body: [UInt8], from sender: Sender) {
    if case .refusal = sender { refusalCount += 1 }
    frames.append((body, sender))
  }

  /// The next frame to send. It stays in the outbox.
  mutating func first() -> [UInt8]? {
    while let (body, sender) = frames.first {
      guard case .nobody = sender else { return body }
      frames.removeFirst()
    }
    return nil
  }

  /// Removes the first frame, and returns its waiting notifier.
  mutating func removeFirst() -> Notifier? {
    switch frames.removeFirst().sender {
    case .machine, .nobody:
      return nil
    case .refusal:
      refusalCount -= 1
      return nil
    case .notifier(_, let notifier):
      return notifier
    }
  }

  /// Removes a waiting notifier, and drops its frame unless it is already being sent.
  mutating func dropNotifier(_ number: UInt64) -> Notifier? {
    for index in frames.indices {
      guard case .notifier(number, let notifier) = frames[index].sender else { continue }
      frames[index].sender = .nobody
      return notifier
    }
    return nil
  }

  /// Removes everything, and returns the waiting notifiers.
  mutating func removeAll() -> [Notifier] {
    defer { self = Outbox() }
    return frames.compactMap { frame in
      guard case .notifier(_, let notifier) = frame.sender else { return nil }
      return notifier
    }
  }
}
