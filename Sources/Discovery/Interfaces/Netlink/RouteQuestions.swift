import _BonjourishEventLoop

/// Questions about routes, over one socket that stays open.
///
/// After an error the socket is closed, and the kernel is not asked for a while: a question that is not answered takes 300 ms, and a
/// stranger can cause hundreds of questions.
struct RouteQuestions {
  typealias Ask = ([UInt8]) throws(SystemError) -> [UInt8]

  /// How long no question is asked after an error.
  static let pause = Duration.seconds(1)

  private let now: @Sendable () -> ContinuousClock.Instant
  private let open: @Sendable () throws(SystemError) -> Ask
  private var socket: Ask?
  private var failure: (error: SystemError, until: ContinuousClock.Instant)?

  /// - Parameters:
  ///   - now: The clock.
  ///   - open: Opens a socket; the result asks a question, and is not used again after an error.
  init(now: @escaping @Sendable () -> ContinuousClock.Instant, open: @escaping @Sendable () throws(SystemError) -> Ask) {
    self.now = now
    self.open = open
  }

  /// The kernel's answer.
  mutating func ask(_ question: [UInt8]) throws(SystemError) -> [UInt8] {
    if let failure {
      if now() < failure.until { throw failure.error }
      self.failure = nil
    }
    do throws(SystemError) {
      let ask = if let socket { socket } else { try open() }
      socket = ask
      return try ask(question)
    } catch {
      socket = nil
      failure = (error, now() + Self.pause)
      throw error
    }
  }
}
