/// The exit code of a program, from sysexits.h.
public enum ExitCode: Int32, Sendable {
  /// The program did what it was asked to.
  case done = 0
  /// The answer to what was asked is no: `bonjourish doctor` found a problem.
  case negative = 1
  /// The command line is wrong (EX_USAGE).
  case usage = 64
  /// A service, a host or a room is not available (EX_UNAVAILABLE).
  case unavailable = 69
  /// The program has a fault (EX_SOFTWARE).
  case software = 70
  /// Reading or writing failed (EX_IOERR).
  case inputOutput = 74
  /// The peer sent something that the protocol does not allow (EX_PROTOCOL).
  case protocolError = 76
  /// The program may not do it: a passcode is wrong, or a peer is not the one that it was (EX_NOPERM).
  case notPermitted = 77
}
