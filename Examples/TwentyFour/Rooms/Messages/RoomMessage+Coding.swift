import FoundationEssentials
import FramedJSON
import TwentyFour

extension RoomMessage: Codable {
  private enum Key: String, CodingKey {
    case kind, number, action, seconds
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    switch self {
    case .hello(let hello):
      try fields.encode("hello", forKey: .kind)
      try hello.encode(to: encoder)
    case .act(let round, let action):
      try fields.encode("act", forKey: .kind)
      try fields.encode(round, forKey: .number)
      try fields.encode(action, forKey: .action)
    case .leaving: try fields.encode("leaving", forKey: .kind)
    case .look(let look):
      try fields.encode("look", forKey: .kind)
      try look.encode(to: encoder)
    case .room(let introduction):
      try fields.encode("room", forKey: .kind)
      try introduction.encode(to: encoder)
    case .ping: try fields.encode("ping", forKey: .kind)
    case .pong: try fields.encode("pong", forKey: .kind)
    case .welcome(let welcome):
      try fields.encode("welcome", forKey: .kind)
      try welcome.encode(to: encoder)
    case .approval(let limit):
      try fields.encode("approval", forKey: .kind)
      try fields.encode(Seconds(limit), forKey: .seconds)
    case .event(let event): try event.fields.encode(to: encoder)
    case .unknown(let kind): try fields.encode(kind, forKey: .kind)
    }
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let kind = try fields.decode(String.self, forKey: .kind)
    switch kind {
    case "hello": self = .hello(try Hello(from: decoder))
    case "leaving": self = .leaving
    case "look": self = .look(try Look(from: decoder))
    case "room": self = .room(try Introduction(from: decoder))
    case "ping": self = .ping
    case "pong": self = .pong
    case "welcome": self = .welcome(try Welcome(from: decoder))
    case "approval": self = .approval(within: try fields.decode(Seconds.self, forKey: .seconds).duration)
    case "act":
      let number = try fields.decode(Int.self, forKey: .number)
      let action = try? fields.decode(Match.Action.self, forKey: .action)
      self = action.map { .act(round: number, $0) } ?? .unknown(kind: kind)
    default:
      let isKnown = RoomEvent.Kind(rawValue: kind) != nil
      let event = isKnown ? try RoomEvent(try EventFields(from: decoder)) : nil
      self = event.map { .event($0) } ?? .unknown(kind: kind)
    }
  }
}

extension RoomMessage.Hello: Codable {
  private enum Key: String, CodingKey {
    case version, name, seat, invitation, admission, players, watch, place, room
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(version, forKey: .version)
    try fields.encode(name, forKey: .name)
    try fields.encodeIfPresent(seat, forKey: .seat)
    try fields.encodeIfPresent(invitation, forKey: .invitation)
    try fields.encodeIfPresent(admission, forKey: .admission)
    try fields.encodeIfPresent(players, forKey: .players)
    if spectates { try fields.encode(true, forKey: .watch) }
    try fields.encodeIfPresent(place, forKey: .place)
    try fields.encodeIfPresent(room, forKey: .room)
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let version = try fields.decode(Int.self, forKey: .version)
    // The other fields of another version are unknown.
    guard version == RoomMessage.version else {
      self.init(version: version, name: "")
      return
    }
    self.init(
      name: try fields.decode(String.self, forKey: .name), seat: try fields.decodeIfPresent(SeatProof.self, forKey: .seat),
      invitation: try fields.decodeIfPresent(Data.self, forKey: .invitation),
      admission: try fields.decodeIfPresent(String.self, forKey: .admission),
      players: try fields.decodeIfPresent(ClosedRange<Int>.self, forKey: .players),
      spectates: try fields.decodeIfPresent(Bool.self, forKey: .watch) ?? false,
      place: try fields.decodeIfPresent(String.self, forKey: .place),
      room: try fields.decodeIfPresent(RoomID.self, forKey: .room))
  }
}

extension RoomMessage.Welcome: Codable {
  private enum Key: String, CodingKey {
    case version, room, player, secret, admission, returnSeconds, rules, place
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(version, forKey: .version)
    try fields.encode(room, forKey: .room)
    try fields.encodeIfPresent(player, forKey: .player)
    try fields.encodeIfPresent(secret, forKey: .secret)
    try fields.encodeIfPresent(admission, forKey: .admission)
    try fields.encode(Seconds(returnLimit), forKey: .returnSeconds)
    try fields.encode(rules, forKey: .rules)
    try fields.encodeIfPresent(place, forKey: .place)
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    self.init(
      room: try fields.decode(RoomID.self, forKey: .room), player: try fields.decodeIfPresent(Player.self, forKey: .player),
      secret: try fields.decodeIfPresent(String.self, forKey: .secret),
      admission: try fields.decodeIfPresent(String.self, forKey: .admission),
      returnLimit: try fields.decode(Seconds.self, forKey: .returnSeconds).duration,
      rules: try fields.decode(RoomRules.self, forKey: .rules))
    version = try fields.decode(Int.self, forKey: .version)
    place = try fields.decodeIfPresent(String.self, forKey: .place)
  }
}

/// A time from 0 to one day, in messages in seconds to the millisecond.
struct Seconds: Codable, Hashable {
  let duration: Duration

  init(_ duration: Duration) {
    self.duration = duration
  }

  init(from decoder: any Decoder) throws {
    let seconds = try Double(from: decoder)
    guard 0...86_400 ~= seconds else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "0 to 86,400 seconds"))
    }
    duration = .milliseconds(Int((seconds * 1000).rounded()))
  }

  func encode(to encoder: any Encoder) throws {
    let (seconds, attoseconds) = duration.components
    try ((Double(seconds) * 1000 + (Double(attoseconds) / 1e15).rounded()) / 1000).encode(to: encoder)
  }
}
