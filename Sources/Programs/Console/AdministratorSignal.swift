/// A request of an administrator: a signal that does not end the program at once.
public enum AdministratorSignal: Sendable, Equatable {
  /// Show the program's statistics (SIGUSR1).
  case statistics
  /// Accept no new work, finish the present work, then end (SIGUSR2).
  case drain

  /// The signals, in the order of their arrival. Until the first call, these signals end the program.
  ///
  /// The sequence keeps the last 16 signals for a slow reader. Only the sequence of the latest call receives signals.
  public static var all: AsyncStream<AdministratorSignal> { ProgramSignals.administration() }
}
