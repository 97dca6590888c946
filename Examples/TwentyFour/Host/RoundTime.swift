import Screens
import TwentyFour
import _BonjourishConsole

/// The usual length of a round, which `--time` makes longer.
enum RoundTime {
  private static let longest = 86_400.0

  static let seconds = Option.optional(
    "round-seconds", "S", .seconds(in: 1...longest), default: .seconds(100), Phrases.Options.roundSeconds)

  /// Reads the usual length.
  ///
  /// - Throws: ``Failure`` with exit code 64 if `--time` makes it longer than a day.
  static func usual(_ arguments: Arguments) throws(Failure) -> Duration {
    let (usual, time) = (arguments[seconds], arguments[PlayerOptions.time])
    guard Match.Rules(roundDuration: usual, time: time).roundDuration <= .seconds(longest) else {
      throw Failure(.usage, Phrases.roundIsTooLong(time.rawValue))
    }
    return usual
  }
}
