package import TwentyFour

/// Why something was refused or came to an end: a code for programs and a sentence for people.
public struct RoomReason: Hashable, Sendable {
  /// The reason as programs know it; there may be more codes than the named ones.
  public let code: Code
  /// The reason as people read it. It may come from the network: make control characters visible before printing it.
  public let text: String

  package init(_ code: Code, _ text: String) {
    self.code = code
    self.text = text
  }

  /// A reason as programs know it.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }
}

/// Why a room is closed or left.
extension RoomReason.Code {
  /// All rounds were played.
  public static let finished = Self(rawValue: "finished")
  /// The host closed the room.
  public static let hostLeft = Self(rawValue: "hostLeft")
  /// The player left by his own wish.
  public static let left = Self(rawValue: "left")
  /// The connection broke.
  public static let lost = Self(rawValue: "lost")
  /// Nothing was heard from the other side for too long.
  public static let silent = Self(rawValue: "silent")
}

/// Why someone was not let in, or was shown out.
extension RoomReason.Code {
  /// The two sides speak different versions.
  public static let version = Self(rawValue: "version")
  /// The name cannot be used.
  public static let name = Self(rawValue: "name")
  /// All places are taken.
  public static let full = Self(rawValue: "full")
  /// A message could not be read.
  public static let malformed = Self(rawValue: "malformed")
  /// The host showed the player out.
  public static let kicked = Self(rawValue: "kicked")
  /// The player came back over another connection.
  public static let replaced = Self(rawValue: "replaced")
  /// A message came when it must not.
  public static let outOfOrder = Self(rawValue: "outOfOrder")
}

/// Why an answer does not count, or there is no hint.
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
  /// Who looks on does not play.
  public static let watching = Self(rawValue: "watching")
  /// Our own connection is broken.
  public static let away = Self(rawValue: "away")
}

extension RoomReason {
  package init(_ refusal: Match.AnswerRefusal) {
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
      }
    self.init(code, refusal.description)
  }

  package init(_ refusal: Match.HintRefusal) {
    switch refusal {
    case .notGuessing(let refusal): self.init(refusal)
    case .noneLeft: self.init(.noMoreHints, refusal.description)
    }
  }

  package init(_ refusal: Match.JoinRefusal) {
    let code: Code =
      switch refusal {
      case .full: .full
      case .over: .finished
      }
    self.init(code, refusal.description)
  }

  static let finished = RoomReason(.finished, "All rounds have been played.")
  static let hostLeft = RoomReason(.hostLeft, "The host closed the room.")
  static let left = RoomReason(.left, "You left the room.")
  static let lost = RoomReason(.lost, "The connection to the room broke.")
  static let kicked = RoomReason(.kicked, "The host showed you out.")
  static let replaced = RoomReason(.replaced, "You came back over another connection.")
  static let watching = RoomReason(.watching, "You look on; join the room to play.")
  static let away = RoomReason(.away, "The connection is broken; wait until it stands again.")
  static let otherVersion = RoomReason(.version, "The other side speaks another version; update the older program.")
  static let noWelcome = RoomReason(.silent, "The room did not answer within \(Watch.helloLimit.components.seconds) seconds.")
  static let silent = RoomReason(.silent, "Nothing was heard for \(Watch.silenceLimit.components.seconds) seconds.")

  static func tooManyWatch(_ maximum: Int) -> RoomReason {
    RoomReason(.full, "\(maximum) look on already; try again later.")
  }

  static func outOfOrder(_ message: RoomMessage) -> RoomReason {
    RoomReason(.outOfOrder, "The message \(message.kind.rawValue) must not come now.")
  }
}

extension RoomReason: CustomStringConvertible {
  public var description: String { text }
}
