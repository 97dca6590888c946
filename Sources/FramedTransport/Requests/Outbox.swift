/// Frames that the connection has no room for yet, in order.
///
/// What is in it is bounded by those who put it there: so many requests can be asked, so many answered, and whoever notifies
/// waits. Only refusals of what comes in excess have no such bound, so they are counted.
struct Outbox {
  typealias Notifier = CheckedContinuation<Result<Void, MessagingError>, Never>

  enum Sender {
    /// It is bounded by the limits.
    case machine
    case refusal
    /// Somebody waits until the connection has taken it, and can be found by the number.
    case notifier(UInt64, Notifier)
    /// Nobody waits any more, and it need not be sent.
    case nobody
  }

  private var frames: ArraySlice<(body: [UInt8], sender: Sender)> = []
  private(set) var refusalCount = 0

  var isEmpty: Bool { frames.isEmpty }

  mutating func append(_ body: [UInt8], from sender: Sender) {
    if case .refusal = sender { refusalCount += 1 }
    frames.append((body, sender))
  }

  /// The frame to be sent next, which stays.
  mutating func first() -> [UInt8]? {
    while let (body, sender) = frames.first {
      guard case .nobody = sender else { return body }
      frames.removeFirst()
    }
    return nil
  }

  /// Takes out the first frame, and who waits for that.
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

  /// Forgets who waits for a frame; it may be on its way.
  mutating func dropNotifier(_ number: UInt64) -> Notifier? {
    for index in frames.indices {
      guard case .notifier(number, let notifier) = frames[index].sender else { continue }
      frames[index].sender = .nobody
      return notifier
    }
    return nil
  }

  /// Takes out everything, and returns those who wait.
  mutating func removeAll() -> [Notifier] {
    defer { self = Outbox() }
    return frames.compactMap { frame in
      guard case .notifier(_, let notifier) = frame.sender else { return nil }
      return notifier
    }
  }
}
