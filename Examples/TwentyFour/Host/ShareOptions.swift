import Rooms
import _BonjourishConsole

/// The options about what the players of one address may have.
enum ShareOptions {
  static let seats = Option.optional(
    "per-address", "N", .integer(in: 0...1_000_000), default: 4,
    "the maximum number of players, and of spectators, from one address; 0 for no limits by address (default: 4)")
  static let matches = Option.optional(
    "matches-per-address", "N", .integer(in: 1...1_000_000), default: 2,
    "the maximum number of matches opened for players from one address (default: 2)")
  static let joins = Option.optional(
    "joins-per-second", "N", .integer(in: 1...1_000_000), default: 1,
    "the number of players a second who may come from one address (default: 1)")
  static let messages = Option.optional(
    "messages-per-second", "N", .integer(in: 1...1_000_000), default: 50,
    "the number of messages a second that may come from one address (default: 50)")

  static let room: [any CommandOption] = [seats, joins, messages]
  static let server: [any CommandOption] = [seats, matches, joins, messages]

  // What the manual says about them.

  static let joinsNote = "All players and spectators of an address may come at once."
  static let messagesNote = "Four times as many may come at once."
  static let addressNote = """
    An address is an IPv4 address, a neighbour's IPv6 address, or the /64 prefix of an IPv6 address from elsewhere. The players
    behind a router may have one address in common: give a larger number if you expect more of them. With 0, nothing is limited
    by address.
    """

  /// The limits on the command line.
  ///
  /// - Parameter matches: The maximum number of matches; nil for a room.
  static func limits(_ arguments: Arguments, matches: Int? = nil) -> ShareLimits {
    guard arguments[seats] > 0 else { return .none }
    return ShareLimits(
      seats: arguments[seats], matches: matches ?? 1, joinsPerSecond: arguments[joins],
      messagesPerSecond: arguments[messages])
  }
}
