public import TwentyFour

/// A room's advertisement: the pairs of its TXT record.
///
/// | key | value |
/// | --- | --- |
/// | `v` | the version of the messages that the room speaks: `3` |
/// | `id` | the room's UUID |
/// | `players` | the number of players, in decimal digits |
/// | `max` | the largest number of players |
/// | `state` | `waiting` between rounds, `playing` in one |
/// | `time` | `1.5` or `2` if the players have so many times the usual time, `none` if rounds have no limit; else there is no such key |
/// | `lock` | `open` for a room that is encrypted, `passcode` if it also asks for a passcode, `none` if it is not encrypted |
/// | `key` | the first 16 letters and digits of the fingerprint of the host's key, in groups of four; only if it is encrypted |
///
/// Other keys are ignored. An advertisement is not trusted and may be old: only joining shows the truth.
public struct RoomAdvertisement: Hashable, Sendable {
  /// The room's ID, independent of its name on the network.
  public let room: RoomID
  /// The number of players.
  public let players: Int
  /// The largest number of players: 1 to `Match.Rules.playerLimit`, at least ``players``.
  public let maximumPlayers: Int
  /// Whether a round is running.
  public let state: RoomState
  /// How much time the players have for each round; a hint. The usual time if it is one that this version does not know.
  public let time: TimeAllowance
  /// How the room is protected; a hint.
  public let lock: RoomLock
  /// The beginning of the fingerprint of the host's key; a hint. It may come from the network.
  public let key: String?

  public init(
    room: RoomID, players: Int, maximumPlayers: Int, state: RoomState, time: TimeAllowance = .usual, lock: RoomLock = .open,
    key: String? = nil
  ) {
    self.room = room
    self.players = players
    self.maximumPlayers = maximumPlayers
    self.state = state
    self.time = time
    self.lock = lock
    self.key = key
  }

  /// Whether a place is free.
  public var hasRoom: Bool { players < maximumPlayers }

  /// The pairs of the TXT record.
  public var pairs: [String: String] {
    var pairs = [
      "v": String(RoomMessage.version), "id": room.text, "players": String(players), "max": String(maximumPlayers),
      "state": state.rawValue, "lock": lock.rawValue,
    ]
    pairs["time"] = time == .usual ? nil : time.rawValue
    pairs["key"] = key
    return pairs
  }

  /// Parses the pairs of a TXT record.
  ///
  /// - Throws: ``Invalid`` if a key is missing, a value is invalid, or the room speaks another version.
  public init(pairs: [String: String]) throws(Invalid) {
    func value(_ key: String) throws(Invalid) -> String {
      guard let value = pairs[key] else { throw .missing(key: key) }
      return value
    }
    func number(_ key: String, in range: ClosedRange<Int>) throws(Invalid) -> Int {
      let digits = try value(key)
      // `Int` would also accept a sign.
      guard 1...3 ~= digits.utf8.count, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
        let number = Int(digits), range ~= number
      else { throw .invalid(key: key) }
      return number
    }

    guard try value("v") == String(RoomMessage.version) else { throw .otherVersion }
    guard let room = RoomID(try value("id")) else { throw .invalid(key: "id") }
    guard let state = RoomState(rawValue: try value("state")) else { throw .invalid(key: "state") }
    guard let lock = RoomLock(rawValue: try value("lock")) else { throw .invalid(key: "lock") }
    self.room = room
    self.state = state
    self.lock = lock
    time = pairs["time"].flatMap(TimeAllowance.init) ?? .usual
    key = pairs["key"]
    guard key.map({ $0.utf8.count <= 64 }) ?? true else { throw .invalid(key: "key") }
    maximumPlayers = try number("max", in: 1...Match.Rules.playerLimit)
    players = try number("players", in: 0...maximumPlayers)
  }
}

/// The state of a room.
public enum RoomState: String, Hashable, Sendable {
  /// Between two rounds, or before the first.
  case waiting
  /// A round is running.
  case playing
}

extension RoomAdvertisement {
  /// The reason why a TXT record does not describe a room.
  public enum Invalid: Error, Hashable, Sendable {
    case missing(key: String)
    case invalid(key: String)
    /// The room speaks another version of the messages than this program.
    case otherVersion
  }
}

extension RoomAdvertisement.Invalid: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let key): "The room's TXT record has no \(key); it may not be a room of this game."
    case .invalid(let key): "The room's TXT record has an unusable \(key); it may not be a room of this game."
    case .otherVersion: "The room speaks another version; update the program here or there."
    }
  }
}
