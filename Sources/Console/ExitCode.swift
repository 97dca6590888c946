/// How a program ended, in the numbers of sysexits.h.
package enum ExitCode: Int32, Sendable {
  /// What was asked for is done.
  case done = 0
  /// The command line is wrong (EX_USAGE).
  case usage = 64
  /// A service, a host or a room is not there (EX_UNAVAILABLE).
  case unavailable = 69
  /// The program itself is wrong (EX_SOFTWARE).
  case software = 70
  /// Reading or writing failed (EX_IOERR).
  case inputOutput = 74
  /// The other side said what the protocol does not allow (EX_PROTOCOL).
  case protocolError = 76
}
