/// The exit code of a program: 1 as of grep(1), and the others as in sysexits.h. No program has another one.
public enum ExitCode: Int32, Sendable, CaseIterable {
  /// The program did what it was asked to.
  case done = 0
  /// The answer is no: nothing was found, or `bonjourish doctor` found a problem.
  case negative = 1
  /// The command line is wrong (EX_USAGE).
  case usage = 64
  /// It could not be tried: a network, a daemon, a host or a room is not available (EX_UNAVAILABLE).
  case unavailable = 69
  /// The program has a fault (EX_SOFTWARE).
  case software = 70
  /// Reading or writing failed (EX_IOERR).
  case inputOutput = 74
  /// The peer sent something that the protocol does not allow (EX_PROTOCOL).
  case protocolError = 76
  /// The program may not do it: a passcode is wrong, or a peer is not the one that it was (EX_NOPERM).
  case notPermitted = 77
  /// A second SIGINT came, before the program had ended in order.
  case interrupted = 130

  /// What it means, for `--help`.
  var meaning: String {
    switch self {
    case .done: "success, also when it was asked to end"
    case .negative: "the answer is no: nothing was found, or something does not work"
    case .usage: "the command line, or a name or file that it gives, is invalid"
    case .unavailable: "not available: it could not be tried, or was not answered"
    case .software: "an error in the program itself"
    case .inputOutput: "reading or writing failed"
    case .protocolError: "the other side broke the protocol"
    case .notPermitted: "not permitted"
    case .interrupted: "a second Ctrl-C ended it at once, without goodbyes"
    }
  }
}
