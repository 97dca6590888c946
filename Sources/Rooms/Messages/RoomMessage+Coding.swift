import FoundationEssentials
import TwentyFour

extension RoomMessage {
  /// The body of a frame: the message as JSON.
  package func encoded() -> [UInt8] {
    JSON.bytes(of: self)
  }

  /// Reads the body of a frame; any bytes are safe.
  ///
  /// - Throws: ``MalformedMessage``. One that is ``MalformedMessage/unknownKind`` is to be ignored.
  package init(decoding body: [UInt8]) throws(MalformedMessage) {
    guard body.count <= RoomMessage.maximumByteCount else { throw .tooLarge }
    guard String(validating: body, as: UTF8.self) != nil else { throw .notUTF8 }
    do {
      self = try JSONDecoder().decode(RoomMessage.self, from: Data(body))
    } catch let error as MalformedMessage {
      throw error
    } catch DecodingError.keyNotFound(let key, _) where key.stringValue != Key.kind.rawValue {
      throw .invalid(field: key.stringValue)
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context)
    {
      // Only names of our own fields can stand in the path.
      guard let key = context.codingPath.last(where: { $0.intValue == nil }) else { throw .notJSON }
      throw .invalid(field: key.stringValue)
    } catch {
      throw .notJSON
    }
  }

  enum Key: String, CodingKey {
    case kind, version, name, token, players, watch, room, player, state, returnSeconds, rules, code, text, count
    case number, hand, seconds, expression, cost, standings, solution, pause
  }
}

extension RoomMessage: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(kind.rawValue, forKey: .kind)
    switch self {
    case .hello(let hello):
      try fields.encode(hello.version, forKey: .version)
      try fields.encode(hello.name, forKey: .name)
      try fields.encodeIfPresent(hello.token, forKey: .token)
      try fields.encodeIfPresent(hello.players.map(PlayersFields.init), forKey: .players)
      if hello.watches { try fields.encode(true, forKey: .watch) }
    case .welcome(let welcome):
      try fields.encode(welcome.version, forKey: .version)
      try fields.encode(welcome.room.text, forKey: .room)
      try fields.encodeIfPresent(welcome.player.map(PlayerFields.init), forKey: .player)
      try fields.encode(welcome.state.rawValue, forKey: .state)
      try fields.encodeIfPresent(welcome.token, forKey: .token)
      try fields.encode(welcome.returnLimit.inSeconds, forKey: .returnSeconds)
      try fields.encode(RulesFields(welcome.rules), forKey: .rules)
    case .refused(let reason), .answerRefused(let reason), .hintRefused(let reason), .closed(let reason):
      try fields.encode(reason.code.rawValue, forKey: .code)
      try fields.encode(reason.text, forKey: .text)
    case .joined(let player), .left(let player), .away(let player), .back(let player):
      try fields.encode(PlayerFields(player), forKey: .player)
    case .round(let deal):
      try fields.encode(deal.number, forKey: .number)
      try fields.encode(deal.hand.numbers, forKey: .hand)
      try fields.encode(deal.remaining.inSeconds, forKey: .seconds)
    case .answer(let round, let expression):
      try fields.encode(round, forKey: .number)
      try fields.encode(expression, forKey: .expression)
    case .giveUp(let round), .hint(let round):
      try fields.encode(round, forKey: .number)
    case .hinted(let round, let hint, let cost):
      try fields.encode(round, forKey: .number)
      try fields.encode(cost, forKey: .cost)
      try HintFields(hint).encode(to: encoder)
    case .missing(let count):
      try fields.encode(count, forKey: .count)
    case .accepted(let player, let time):
      try fields.encode(PlayerFields(player), forKey: .player)
      try fields.encode(time.inSeconds, forKey: .seconds)
    case .standings(let standings):
      try fields.encode(standings.map(StandingFields.init), forKey: .standings)
    case .roundEnded(let result):
      try fields.encode(result.number, forKey: .number)
      try fields.encode(result.hand.numbers, forKey: .hand)
      try fields.encode(result.solution.description, forKey: .solution)
      try fields.encode(result.standings.map(StandingFields.init), forKey: .standings)
      try fields.encodeIfPresent(result.pause?.inSeconds, forKey: .pause)
    case .leaving, .ping, .pong:
      break
    }
  }
}

extension RoomMessage: Decodable {
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    guard let kind = Kind(rawValue: try fields.decode(String.self, forKey: .kind)) else { throw MalformedMessage.unknownKind }
    switch kind {
    case .hello: self = .hello(try fields.hello())
    case .welcome: self = .welcome(try fields.welcome())
    case .refused: self = .refused(try fields.reason())
    case .joined: self = .joined(try fields.player())
    case .left: self = .left(try fields.player())
    case .away: self = .away(try fields.player())
    case .back: self = .back(try fields.player())
    case .missing: self = .missing(try fields.number(.count))
    case .round:
      self = .round(Match.Deal(number: try fields.number(), hand: try fields.hand(), remaining: try fields.duration(.seconds)))
    case .answer:
      self = .answer(round: try fields.number(), expression: try fields.decode(String.self, forKey: .expression))
    case .giveUp: self = .giveUp(round: try fields.number())
    case .hint: self = .hint(round: try fields.number())
    case .hinted:
      self = .hinted(round: try fields.number(), try HintFields(from: decoder).hint(), cost: try fields.number(.cost))
    case .hintRefused: self = .hintRefused(try fields.reason())
    case .accepted: self = .accepted(try fields.player(), time: try fields.duration(.seconds))
    case .answerRefused: self = .answerRefused(try fields.reason())
    case .standings: self = .standings(try fields.standings())
    case .roundEnded:
      self = .roundEnded(
        Match.RoundResult(
          number: try fields.number(), hand: try fields.hand(), solution: try fields.solution(),
          standings: try fields.standings(),
          pause: fields.contains(.pause) ? try fields.duration(.pause) : nil))
    case .leaving: self = .leaving
    case .closed: self = .closed(try fields.reason())
    case .ping: self = .ping
    case .pong: self = .pong
    }
  }
}

/// Fields, checked.
extension KeyedDecodingContainer<RoomMessage.Key> {
  fileprivate func hello() throws -> RoomMessage.Hello {
    RoomMessage.Hello(
      version: try decode(Int.self, forKey: .version), name: try decode(String.self, forKey: .name), token: try token(),
      players: try decodeIfPresent(PlayersFields.self, forKey: .players)?.players(),
      watches: try decodeIfPresent(Bool.self, forKey: .watch) ?? false)
  }

  /// What an older host does not say: then nobody can come back, and the rules are those of the game.
  fileprivate func welcome() throws -> RoomMessage.Welcome {
    RoomMessage.Welcome(
      version: try decode(Int.self, forKey: .version), room: try room(),
      player: contains(.player) ? try player() : nil, state: try state(), token: try token(),
      returnLimit: contains(.returnSeconds) ? try duration(.returnSeconds) : .zero,
      rules: try decodeIfPresent(RulesFields.self, forKey: .rules)?.rules() ?? RoomRules(Match.Rules()))
  }

  private func token() throws -> String? {
    guard contains(.token) else { return nil }
    return try checked(.token) { try decode(String.self, forKey: $0).bounded(to: SeatToken.maximumByteCount) }
  }

  fileprivate func room() throws -> RoomID {
    try checked(.room) { RoomID(try decode(String.self, forKey: $0)) }
  }

  fileprivate func player() throws -> Player {
    try decode(PlayerFields.self, forKey: .player).player()
  }

  fileprivate func state() throws -> RoomState {
    try checked(.state) { RoomState(rawValue: try decode(String.self, forKey: $0)) }
  }

  fileprivate func reason() throws -> RoomReason {
    let code = try checked(.code) { try decode(String.self, forKey: $0).bounded(to: 64) }
    let text = try checked(.text) { try decode(String.self, forKey: $0).bounded(to: 1_000) }
    return RoomReason(RoomReason.Code(rawValue: code), text)
  }

  fileprivate func number(_ key: Key = .number) throws -> Int {
    try checked(key) {
      let number = try decode(Int.self, forKey: $0)
      return number >= 0 ? number : nil
    }
  }

  fileprivate func hand() throws -> Hand {
    try checked(.hand) { try? Hand(try decode([Int].self, forKey: $0)) }
  }

  fileprivate func solution() throws -> TwentyFour.Expression {
    try checked(.solution) { try? TwentyFour.Expression(try decode(String.self, forKey: $0)) }
  }

  fileprivate func standings() throws -> [Standing] {
    let standings = try decode([StandingFields].self, forKey: .standings)
    guard standings.count <= Match.Rules.playerLimit else { throw MalformedMessage.invalid(field: Key.standings.rawValue) }
    return try standings.map { try $0.standing() }
  }

  fileprivate func duration(_ key: Key) throws -> Duration {
    try checked(key) { Duration(inSeconds: try decode(Double.self, forKey: $0)) }
  }

  private func checked<Value>(_ key: Key, _ value: (Key) throws -> Value?) throws -> Value {
    guard let value = try value(key) else { throw MalformedMessage.invalid(field: key.rawValue) }
    return value
  }
}

extension String {
  fileprivate func bounded(to byteCount: Int) -> String? { utf8.count <= byteCount ? self : nil }
}
