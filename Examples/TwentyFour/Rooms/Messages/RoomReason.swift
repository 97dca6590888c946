import FramedTransport
public import TwentyFour

/// The reason for a refusal or an end: a code for programs and a sentence for people.
public struct RoomReason: Error, Hashable, Sendable {
  /// The longest text, in bytes.
  static let longestText = 1_000

  /// The reason for programs; there may be more codes than the named ones.
  public let code: Code
  /// The reason for people. It may come from the network: print ``description``, which is escaped.
  public let text: String

  public init(_ code: Code, _ text: String) {
    self.code = code
    self.text = text
  }

  /// A code of a reason.
  public struct Code: RawRepresentable, Hashable, Codable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }
}

/// Reasons why a room is closed or left.
extension RoomReason.Code {
  /// All rounds were played.
  public static let finished = Self(rawValue: "finished")
  /// The host closed the room.
  public static let hostLeft = Self(rawValue: "hostLeft")
  /// The player left.
  public static let left = Self(rawValue: "left")
  /// The connection broke.
  public static let lost = Self(rawValue: "lost")
  /// The room is on another host than the one that welcomed the player.
  public static let moved = Self(rawValue: "moved")
  /// The room did not answer hello.
  public static let silent = Self(rawValue: "silent")
  /// The program did not read the room's events, until too many waited.
  public static let behind = Self(rawValue: "behind")
}

/// Reasons why a player was refused or removed.
extension RoomReason.Code {
  /// The two sides speak different versions.
  public static let version = Self(rawValue: "version")
  /// The name cannot be used.
  public static let name = Self(rawValue: "name")
  /// All places are taken.
  public static let full = Self(rawValue: "full")
  /// A message could not be read.
  public static let malformed = Self(rawValue: "malformed")
  /// The host removed the player.
  public static let kicked = Self(rawValue: "kicked")
  /// The player came back over another connection.
  public static let replaced = Self(rawValue: "replaced")
  /// The player's seat was taken over, with its secret, by somebody with another key, or without one from another address.
  public static let takenOver = Self(rawValue: "takenOver")
  /// A message came that is not allowed at this time.
  public static let outOfOrder = Self(rawValue: "outOfOrder")
  /// Other connections from the same address have its share of the places.
  public static let share = Self(rawValue: "share")
  /// Too many players or messages came from the address in a short time.
  public static let tooFast = Self(rawValue: "tooFast")
  /// The host lets nobody in from the address.
  public static let banned = Self(rawValue: "banned")
  /// The host lets nobody in any more.
  public static let locked = Self(rawValue: "locked")
  /// The host did not let the new player in.
  public static let notApproved = Self(rawValue: "notApproved")
  /// The host did not decide in time whether the new player may come in.
  public static let unanswered = Self(rawValue: "unanswered")
  /// The room that the player was in is not there any more.
  public static let otherRoom = Self(rawValue: "otherRoom")
  /// The room asks for a passcode, and the new player has proved none.
  public static let passcode = Self(rawValue: "passcode")
  /// The room lets a page in only with a token that was not used before, and is not too old.
  public static let admission = Self(rawValue: "admission")
}

/// Reasons why a decision of the host has no effect.
extension RoomReason.Code {
  /// There is no player, new player or ban with this number.
  public static let noSuchPlayer = Self(rawValue: "noSuchPlayer")
  /// The room asks for no passcode.
  public static let noPasscode = Self(rawValue: "noPasscode")
  /// The first round has begun already.
  public static let hasBegun = Self(rawValue: "hasBegun")
  /// No round is running that could be ended.
  public static let noRound = Self(rawValue: "noRound")
  /// No match is running that could be ended.
  public static let notBegun = Self(rawValue: "notBegun")
  /// The match has not ended, so that no other one can begin.
  public static let notOver = Self(rawValue: "notOver")
}

/// Reasons why an answer does not count, or there is no hint.
extension RoomReason.Code {
  public static let syntax = Self(rawValue: "syntax")
  public static let wrongDigits = Self(rawValue: "wrongDigits")
  public static let wrongValue = Self(rawValue: "wrongValue")
  public static let divisionByZero = Self(rawValue: "divisionByZero")
  public static let overflow = Self(rawValue: "overflow")
  public static let noSuchRound = Self(rawValue: "noSuchRound")
  public static let waiting = Self(rawValue: "waiting")
  public static let alreadySolved = Self(rawValue: "alreadySolved")
  public static let gaveUp = Self(rawValue: "gaveUp")
  /// All hints to the hand were given.
  public static let noMoreHints = Self(rawValue: "noMoreHints")
  /// Spectators do not play.
  public static let watching = Self(rawValue: "watching")
  /// The match waits until its server can store it. Answers are kept: this is not about one.
  public static let held = Self(rawValue: "held")
  /// The player's own connection is broken.
  public static let away = Self(rawValue: "away")
}

extension RoomReason {
  public init(_ refusal: Match.Refusal) {
    let code: Code =
      switch refusal {
      case .wrong(.syntax): .syntax
      case .wrong(.wrongDigits): .wrongDigits
      case .wrong(.wrongValue): .wrongValue
      case .wrong(.arithmetic(.divisionByZero)): .divisionByZero
      case .wrong(.arithmetic(.overflow)): .overflow
      case .noSuchRound: .noSuchRound
      case .waiting: .waiting
      case .alreadySolved: .alreadySolved
      case .gaveUp: .gaveUp
      case .noMoreHints: .noMoreHints
      }
    self.init(code, refusal.description)
  }

  public init(_ refusal: Match.JoinRefusal) {
    let code: Code =
      switch refusal {
      case .full: .full
      case .over: .finished
      }
    self.init(code, refusal.description)
  }

  static let finished = RoomReason(.finished, "All rounds have been played.")
  public static let hostLeft = RoomReason(.hostLeft, "The host closed the room.")
  static let left = RoomReason(.left, "You left the room.")
  static let lost = RoomReason(.lost, "The connection to the room broke.")
  static let kicked = RoomReason(.kicked, "The host removed you.")
  public static let replaced = RoomReason(.replaced, "You came back over another connection.")
  static let takenOver = RoomReason(
    .takenOver, "Somebody else took over your seat; if it was not you, tell the host.")
  public static let banned = RoomReason(.banned, "The host lets nobody in from your address, or with your key.")
  static let locked = RoomReason(.locked, "The host has locked the room.")
  static let notApproved = RoomReason(.notApproved, "The host did not let you in.")
  static let unanswered = RoomReason(.unanswered, "Nobody answered in time; ask again when the host looks at the screen.")
  static let tooManyWait = RoomReason(.full, "As many people as may are waiting to be let in; try again in a minute.")
  public static let otherRoom = RoomReason(.otherRoom, "The room that you were in is not here any more.")
  public static let passcode = RoomReason(.passcode, "The room asks for a passcode.")
  public static let admission = RoomReason(.admission, "Scan the code on the host’s screen again: each code lets one phone in.")
  public static let noPasscode = RoomReason(.noPasscode, "There is no passcode to ask for.")
  public static let tooManyJoins = RoomReason(
    .tooFast, "Too many players came from your address in a short time; try again in a few seconds.")
  public static let tooManyMessages = RoomReason(.tooFast, "Too many messages came from your address in a short time.")
  public static let lastQuarter = RoomReason(
    .share, "The last quarter of the places is for others than those who play at your address already.")

  static func seatShare(_ count: Int) -> RoomReason {
    RoomReason(.share, "Your address, or your key, has its share of the seats, \(count); the host can allow more.")
  }

  static func spectatorShare(_ count: Int) -> RoomReason {
    RoomReason(.share, "As many people as may are watching from your address, \(count); the host can allow more.")
  }

  public static func matchShare(_ count: Int) -> RoomReason {
    RoomReason(.share, "As many matches as may were begun from your address, \(count); try again later.")
  }

  public static func noSuchPlayer(_ player: PlayerID) -> RoomReason {
    RoomReason(.noSuchPlayer, "There is no player \(player) whom you can do that to.")
  }

  public static func noSuchBan(_ player: PlayerID) -> RoomReason {
    RoomReason(.noSuchPlayer, "No player \(player) was banned.")
  }

  static let hasBegun = RoomReason(.hasBegun, "The first round has begun already.")
  public static let noRound = RoomReason(.noRound, "No round is running that could be ended.")
  static let notBegun = RoomReason(.notBegun, "No match is running that could be ended.")
  static let notOver = RoomReason(.notOver, "The match is not over; end it with the command end.")

  static let watching = RoomReason(.watching, "You are watching; join the room to play.")
  static let away = RoomReason(.away, "The connection is broken; wait until it is back.")
  public static let otherVersion = RoomReason(.version, "The other side speaks another version; update the older program.")
  static let behind = RoomReason(.behind, "The program did not keep up with the room's events.")
  static let noWelcome = RoomReason(
    .silent, "The room did not answer within \(PlayerMachine.helloLimit.components.seconds) seconds.")

  static func tooManySpectators(_ maximum: Int) -> RoomReason {
    RoomReason(.full, "\(maximum) people are watching already; try again later.")
  }

  static func malformed(_ text: String) -> RoomReason {
    RoomReason(.malformed, String(text.prefix(200)))
  }

  /// A message came that is not allowed at this time.
  public static let outOfOrder = RoomReason(.outOfOrder, "A message arrived that is not allowed at this time.")
}

extension RoomReason: CustomStringConvertible {
  /// The text, escaped for display.
  public var description: String { text.escapedForDisplay }
}
