/// Why a program is asked to end.
package enum Termination: Sendable, Equatable {
  /// Ctrl-C (SIGINT).
  case interrupt
  /// The usual request to end (SIGTERM).
  case terminate
  /// The terminal is gone (SIGHUP).
  case hangUp
  /// Nobody reads standard output any more.
  case brokenPipe
}
