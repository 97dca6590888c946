import Screens
import TwentyFour
import _BonjourishConsole

/// The usual length of a round, which `--time` makes longer.
enum RoundTime {
  private static let longest = 86_400.0

  static let seconds = Option.optional(
    "round-seconds", "S", .seconds(in: 1...longest), default: .seconds(100), "the length of a round in seconds (default: 100)")

  // What the manual says about them.

  static let secondsNote = "From 1 to 86400, also with the time that `--time` gives."
  static let timeNote = """
    Everybody in the room has the same time, and the points are counted by it: half of it left is worth 15 points. With `none` a round
    ends when nobody is guessing any more, or with the command `next`, or by itself after an hour. A quick solution still gets more
    points, by the usual time. Players see how much time there is in the list of rooms and before the first round; those with an
    earlier version of the program see a clock of an hour.
    """

  /// Reads the usual length.
  ///
  /// - Throws: ``Failure`` with exit code 64 if `--time` makes it longer than a day.
  static func usual(_ arguments: Arguments) throws(Failure) -> Duration {
    let (usual, time) = (arguments[seconds], arguments[PlayerOptions.time])
    guard Match.Rules(roundDuration: usual, time: time).roundDuration <= .seconds(longest) else {
      throw Failure(.usage, "--round-seconds with --time \(time.rawValue) is longer than 86400 seconds; give less")
    }
    return usual
  }
}
