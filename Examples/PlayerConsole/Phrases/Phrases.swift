import Bonjourish
import Rooms
import TwentyFour

/// Everything that a player reads, in one place: to translate the game is to write this folder in another language.
///
/// What comes from the network is made visible here, so that no name or text does anything to a terminal.
enum Phrases {
  static let game = "TwentyFour"

  /// Seconds with two decimals, fewer when those are zeros.
  static func seconds(_ duration: Duration) -> String {
    let hundredths = (duration / .milliseconds(10)).rounded()
    guard hundredths.truncatingRemainder(dividingBy: 100) != 0 else { return String(Int(hundredths) / 100) }
    let rest = Int(hundredths) % 100
    return "\(Int(hundredths) / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// Seconds with two decimals, always.
  static func time(_ duration: Duration) -> String {
    let hundredths = Int((duration / .milliseconds(10)).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
  }

  /// About how long something lasts, in one unit.
  static func roughly(_ duration: Duration) -> String {
    let seconds = Int(duration.components.seconds)
    switch seconds {
    case ..<60: return "\(max(0, seconds)) s"
    case ..<3600: return "\(seconds / 60) min"
    case ..<86_400: return "\(seconds / 3600) h"
    default: return "\(seconds / 86_400) d"
    }
  }

  static func points(_ count: Int) -> String { count == 1 ? "1 point" : "\(count) points" }

  static func name(_ player: Player) -> String { player.name.text.visible }

  // MARK: - The player's own name

  static let nameQuestion = "Your name, as the others see it:"
  static let nameHelp = "Enter: take it    Ctrl-C: leave"
  static let missingName = "--name is missing; give --name NAME"
  static func remembered(_ name: PlayerName) -> String {
    "You are \(name.text.visible), as last time; --name gives another name."
  }
  static func nameForgotten(_ path: String, _ reason: String) -> String {
    "the name in \(path) cannot be used and is ignored: \(reason)"
  }
  static func nameNotKept(_ path: String, _ reason: String) -> String {
    "your name cannot be kept in \(path): \(reason); you will be asked again"
  }

  // MARK: - Lines of input that are none

  static func lineTooLong(_ limit: Int) -> String { "that line has more than \(limit) bytes; write less" }
  static let lineNotText = "that line is not UTF-8; write it again"

  // MARK: - Endings

  static func couldNotGoOn(_ reason: RoomReason) -> String { "could not go on: \(Self.reason(reason))" }
  static func summary(_ room: String, rounds: Int, points: Int, best: Duration?) -> String {
    let best = best.map { ", your best time \(time($0))" } ?? ""
    return "\(room): \(rounds == 1 ? "1 round" : "\(rounds) rounds"), you have \(Self.points(points))\(best)."
  }
}
