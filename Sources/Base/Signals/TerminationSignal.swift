import CBonjourishLinux

/// A signal that asks a process to end.
public struct TerminationSignal: Hashable, Sendable, CustomStringConvertible {
  /// The signal's number, as in signal(7).
  public let number: CInt

  /// Ctrl-C at the terminal (SIGINT).
  public static let interrupt = TerminationSignal(number: SIGINT)
  /// The usual request to end, from a service manager or `kill` (SIGTERM).
  public static let terminate = TerminationSignal(number: SIGTERM)
  /// The loss of the terminal (SIGHUP).
  public static let hangUp = TerminationSignal(number: SIGHUP)

  /// The signal's name, such as `SIGTERM`.
  public var description: String {
    switch self {
    case .interrupt: "SIGINT"
    case .terminate: "SIGTERM"
    default: "SIGHUP"
    }
  }
}

/// The way in which the body of ``withTerminationSignals(_:_:)`` ended.
public enum TerminationOutcome<Result: Sendable>: Sendable {
  /// The body returned this result, and no signal arrived.
  case finished(Result)
  /// This signal arrived, and the body has ended.
  case terminated(TerminationSignal)
}

extension TerminationOutcome: CustomStringConvertible {
  /// The outcome for display: `terminated by SIGTERM`, `finished`, or `finished: 3` with a result other than `()`.
  public var description: String {
    switch self {
    case .finished(let result): result is Void ? "finished" : "finished: \(result)"
    case .terminated(let signal): "terminated by \(signal)"
    }
  }
}
