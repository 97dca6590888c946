/// The reason why a program is asked to end.
enum Termination: Sendable, Equatable {
  /// Ctrl-C (SIGINT).
  case interrupt
  /// The usual request to end (SIGTERM).
  case terminate
  /// The terminal is gone (SIGHUP).
  case hangUp
  /// The reader of standard output is gone.
  case brokenPipe
}
