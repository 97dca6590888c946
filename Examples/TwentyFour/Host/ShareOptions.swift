import Rooms
import Screens
import _BonjourishConsole

/// The options about what the players of one address may have.
enum ShareOptions {
  static let seats = Option.optional(
    "per-address", "N", .integer(in: 0...1_000_000), default: 4,
    Phrases.Options.seatsPerAddress)
  static let matches = Option.optional(
    "matches-per-address", "N", .integer(in: 1...1_000_000), default: 2,
    Phrases.Options.matchesPerAddress)
  static let joins = Option.optional(
    "joins-per-second", "N", .integer(in: 1...1_000_000), default: 1,
    Phrases.Options.joinsPerSecond)
  static let messages = Option.optional(
    "messages-per-second", "N", .integer(in: 1...1_000_000), default: 50,
    Phrases.Options.messagesPerSecond)

  static let room: [any CommandOption] = [seats, joins, messages]
  static let server: [any CommandOption] = [seats, matches, joins, messages]

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
