import Bonjourish
import Rooms
import TwentyFour

extension String {
  /// The text with a capital at its beginning and a full stop at its end if it has no other mark there, as it stands by itself on a screen.
  var asSentence: String {
    guard let first, let last else { return self }
    return first.uppercased() + dropFirst() + (".?!:…".contains(last) ? "" : ".")
  }
}

/// All texts of the game, of its programs and of its page. To translate the game, translate this folder; `.ci/texts` finds sentences
/// that stand elsewhere. The manual pages are documents of their own.
///
/// Texts from the network are escaped here, so that a name cannot control the terminal.
public enum Phrases {
  static let game = "TwentyFour"

  /// Seconds with two decimals, or none if both are zeros.
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

  /// A duration in its largest unit, rounded down.
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

  static func name(_ player: Player) -> String { player.name.text.escapedForDisplay }

  // MARK: - The player's own name

  static let nameQuestion = "Your name, as the others see it:"
  static let formHelp = "Enter: OK    Ctrl-C: leave"
  static let missingName = "--name is missing; give --name NAME"
  static func remembered(_ name: PlayerName) -> String {
    "You are \(name.text.escapedForDisplay), as last time; --name gives another name."
  }
  static func nameForgotten(_ path: String, _ reason: String) -> String {
    "the name in \(path) cannot be used and is ignored: \(reason)"
  }
  static func nameNotKept(_ path: String, _ reason: String) -> String {
    "your name cannot be kept in \(path): \(reason); you will be asked again"
  }

  // MARK: - Lines of input that cannot be used

  static func lineTooLong(_ limit: Int) -> String { "that line has more than \(limit) bytes; write less" }
  static func inputOfPlayerEnded(isHost: Bool) -> String {
    "standard input has ended, so you cannot answer: "
      + (isHost ? "the room stays open for others until a signal ends it" : "you stay in the room until a signal ends it")
      + "; --bot lets the program play"
  }
  static let notUTF8 = "not UTF-8"
  static let lineNotText = "that line is not UTF-8; write it again"

  // MARK: - Endings

  static func couldNotGoOn(_ reason: RoomReason) -> String { "could not go on: \(Self.reason(reason))" }
}
