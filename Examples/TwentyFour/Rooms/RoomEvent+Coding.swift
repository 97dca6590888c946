import FramedJSON
import FramedSecurity
import TwentyFour

/// The JSON form is an object whose `event` is the name of the case, with the fields
///
/// - `open`: `room`, `rules` (`{"roundSeconds","pauseSeconds"}`, `rounds` if limited, and `time` if it is not the usual one), and `player`
///   unless watching;
/// - `joined`, `left`, `away`, `back`: `player`;
/// - `missing`, `spectators`: `count`;
/// - `round`: `number`, `hand`, the remaining `seconds`, and `limited` (false) if there is no limit;
/// - `answer`: `player`, `seconds`;
/// - `refused`, `closed`: `reason` (a ``RoomReason/Code``) and `text`;
/// - `hint`: `cost` in points, `step`, and for step 1 `operation`, for 2 `expression`, for 3 `left`, `operation` and `right`;
/// - `asked`: `player` and its `number`, by which the host decides;
/// - `rule`: `rule`, the word of a ``HostRule``, and if it is about a player `player` and `number`;
/// - `identified`: `player` and its `number`, or neither for the host; `key`, a key's fingerprint, and `comparison`, six digits;
/// - `guess`: `address`, `remaining`;
/// - `passcode`: `passcode`, or none if no guess is evaluated;
/// - `web`: `web`, the address of the page for phones, and `others`, its other addresses, if there are some;
/// - `waiting`: `seconds`;
/// - `standings`: `standings`, an array of `{"player","number","status","points"}`; solvers have `seconds`, players who are away `away`
///   (true), players with a solution so far `best`, players who took hints in the round `hints`, their number, and players on phones
///   `phone` (true);
/// - `roundEnded`: `number`, `hand`, `solution`, `standings`, and `pause`, the seconds until the next round if there is one;
/// - `matchEnded`: nothing else; `matchBegan`: `number`;
/// - `reconnecting`: `attempt`, and `seconds` until the attempt;
/// - `resumed`: nothing else.
///
/// Players are given by name, and in standings by their number too; times in seconds to the millisecond. ``RoomMessage`` describes the differences between host and
/// player.
extension RoomEvent: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try fields.record.encode(to: encoder)
  }
}

extension RoomEvent {
  enum Kind: String, Codable {
    case open, joined, left, away, back, missing, round, answer, refused, hint, standings, roundEnded, matchEnded,
      matchBegan, reconnecting, resumed, asked, rule, identified, guess, passcode, web, waiting, spectators, closed
  }

  /// The event as its fields.
  var fields: EventFields {
    switch self {
    case .open(let room, let player, let rules): .init(kind: .open, room: room, player: player.map { .init($0) }, rules: rules)
    case .joined(let player): .init(kind: .joined, player: .init(player))
    case .left(let player): .init(kind: .left, player: .init(player))
    case .away(let player): .init(kind: .away, player: .init(player))
    case .back(let player): .init(kind: .back, player: .init(player))
    case .missing(let count): .init(kind: .missing, count: count)
    case .spectators(let count): .init(kind: .spectators, count: count)
    case .round(let deal):
      .init(
        kind: .round, number: deal.number, hand: deal.hand, seconds: .init(deal.remaining),
        limited: deal.isLimited ? nil : false)
    case .answer(let player, let time): .init(kind: .answer, player: .init(player), seconds: .init(time))
    case .refused(let reason): .init(kind: .refused, code: reason.code, text: reason.text)
    case .hint(let hint, let cost): EventFields(hint, cost: cost)
    case .standings(let standings): .init(kind: .standings, standings: standings.map { .init($0) })
    case .roundEnded(let result):
      .init(
        kind: .roundEnded, number: result.number, hand: result.hand, standings: result.standings.map { .init($0) },
        solution: result.solution, pause: result.pause.map { .init($0) })
    case .matchEnded: .init(kind: .matchEnded)
    case .matchBegan(let number): .init(kind: .matchBegan, number: number)
    case .reconnecting(let attempt, let wait): .init(kind: .reconnecting, seconds: .init(wait), attempt: attempt)
    case .resumed: .init(kind: .resumed)
    case .asked(let player): .init(kind: .asked, player: .init(player), number: player.id.rawValue)
    case .rule(let rule, let player):
      .init(kind: .rule, player: player.map { .init($0) }, number: rule.player?.rawValue, rule: rule.word)
    case .identified(let player, let key, let comparison):
      .init(
        kind: .identified, player: player.map { .init($0) }, number: player?.id.rawValue, key: key?.description,
        comparison: comparison)
    case .guess(let address, let remaining): .init(kind: .guess, address: address, remaining: remaining)
    case .passcode(let passcode): .init(kind: .passcode, passcode: passcode)
    case .web(let addresses):
      .init(kind: .web, web: addresses.first, others: addresses.count > 1 ? Array(addresses.dropFirst()) : nil)
    case .waiting(let limit): .init(kind: .waiting, seconds: .init(limit))
    case .closed(let reason): .init(kind: .closed, code: reason.code, text: reason.text)
    }
  }

  /// Reads an event of a host; `nil` for an event that each side makes itself.
  ///
  /// - Throws: `MessageError` with the missing or wrong field.
  init?(_ fields: EventFields) throws(MessageError) {
    switch fields.kind {
    case .joined: self = .joined(try fields.value(\.player, "player").player)
    case .left: self = .left(try fields.value(\.player, "player").player)
    case .away: self = .away(try fields.value(\.player, "player").player)
    case .back: self = .back(try fields.value(\.player, "player").player)
    case .missing: self = .missing(try fields.count(\.count, "count"))
    case .round:
      self = .round(
        Match.Deal(
          number: try fields.count(\.number, "number"), hand: try fields.value(\.hand, "hand"),
          remaining: try fields.value(\.seconds, "seconds").duration, isLimited: fields.limited ?? true))
    case .answer:
      self = .answer(try fields.value(\.player, "player").player, time: try fields.value(\.seconds, "seconds").duration)
    case .refused: self = .refused(try fields.roomReason())
    case .hint: self = .hint(try fields.hint(), cost: try fields.count(\.cost, "cost"))
    case .standings: self = .standings(try fields.allStandings())
    case .roundEnded:
      self = .roundEnded(
        Match.RoundResult(
          number: try fields.count(\.number, "number"), hand: try fields.value(\.hand, "hand"),
          solution: try fields.value(\.solution, "solution"), standings: try fields.allStandings(),
          pause: fields.pause?.duration))
    case .matchEnded: self = .matchEnded
    case .matchBegan: self = .matchBegan(number: try fields.count(\.number, "number"))
    case .closed: self = .closed(try fields.roomReason())
    case .open, .reconnecting, .resumed, .asked, .rule, .identified, .guess, .passcode, .web, .waiting, .spectators, nil:
      return nil
    }
  }
}

/// The fields of all events; each kind has some of them.
struct EventFields: Codable {
  var kind: RoomEvent.Kind?
  /// The kind, in a record.
  var event: RoomEvent.Kind?
  var room: RoomID?
  var player: PlayerField?
  var rules: RoomRules?
  var count: Int?
  var number: Int?
  var hand: Hand?
  var seconds: Seconds?
  var limited: Bool?
  var code: RoomReason.Code?
  /// The code, in a record.
  var reason: RoomReason.Code?
  var text: String?
  var cost: Int?
  var step: Int?
  var operation: String?
  var expression: TwentyFour.Expression?
  var left: Rational?
  var right: Rational?
  var standings: [StandingFields]?
  var solution: TwentyFour.Expression?
  var pause: Seconds?
  var attempt: Int?
  var rule: String?
  var key: String?
  var comparison: String?
  var address: String?
  var remaining: Int?
  var passcode: String?
  var web: String?
  var others: [String]?

  /// The same fields in the form of a record, for people and scripts.
  var record: EventFields {
    var record = self
    swap(&record.kind, &record.event)
    swap(&record.code, &record.reason)
    record.player?.isByName = true
    record.standings = standings?.map(\.record)
    return record
  }

  // MARK: - Checked

  func value<Value>(_ field: KeyPath<EventFields, Value?>, _ name: String) throws(MessageError) -> Value {
    guard let value = self[keyPath: field] else { throw .wrong(name, "a value, but there is none") }
    return value
  }

  func count(_ field: KeyPath<EventFields, Int?>, _ name: String) throws(MessageError) -> Int {
    let count = try value(field, name)
    guard count >= 0 else { throw .wrong(name, "a number that is not negative") }
    return count
  }

  func roomReason() throws(MessageError) -> RoomReason {
    let (code, text) = (try value(\.code, "code"), try value(\.text, "text"))
    guard code.rawValue.utf8.count <= 64 else { throw .wrong("code", "at most 64 bytes") }
    guard text.utf8.count <= RoomReason.longestText else { throw .wrong("text", "at most \(RoomReason.longestText) bytes") }
    return RoomReason(code, text)
  }

  func allStandings() throws(MessageError) -> [Standing] {
    let lines = try value(\.standings, "standings")
    guard lines.count <= Match.Rules.playerLimit else { throw .wrong("standings", "at most \(Match.Rules.playerLimit)") }
    var standings: [Standing] = []
    for line in lines { standings.append(try line.standing()) }
    return standings
  }
}

// MARK: - Hints

extension EventFields {
  init(_ hint: Hint, cost: Int) {
    self.init(kind: .hint, cost: cost, step: hint.step)
    switch hint {
    case .lastOperation(let operation): self.operation = String(operation.rawValue)
    case .firstStep(let expression): self.expression = expression
    case .lastStep(let left, let operation, let right):
      (self.left, self.operation, self.right) = (left, String(operation.rawValue), right)
    }
  }

  func hint() throws(MessageError) -> Hint {
    switch step {
    case 1: .lastOperation(try knownOperation())
    case 2: .firstStep(try value(\.expression, "expression"))
    case 3: .lastStep(try value(\.left, "left"), try knownOperation(), try value(\.right, "right"))
    default: throw .wrong("step", "1, 2 or 3")
    }
  }

  private func knownOperation() throws(MessageError) -> TwentyFour.Expression.Operation {
    let known = TwentyFour.Expression.Operation.allCases.first { String($0.rawValue) == operation }
    guard let known else { throw .wrong("operation", "one of + - * /") }
    return known
  }
}

// MARK: - Parts

/// A player: number and name between host and players, only the name in a record.
struct PlayerField: Codable {
  let player: Player
  var isByName = false

  init(_ player: Player) {
    self.player = player
  }

  init(from decoder: any Decoder) throws {
    self.init(try Player(from: decoder))
  }

  func encode(to encoder: any Encoder) throws {
    if isByName { try player.name.encode(to: encoder) } else { try player.encode(to: encoder) }
  }
}

/// A line of the standings.
struct StandingFields: Codable {
  var player: PlayerField
  let status: String
  let seconds: Seconds?
  let points: Int
  let away: Bool?
  let best: Seconds?
  let hints: Int?
  let phone: Bool?
  /// The player's number, in a record.
  var number: Int?

  init(_ standing: Standing) {
    player = PlayerField(standing.player)
    status = Self.names.first { $0.status == standing.status }?.name ?? "solved"
    seconds = standing.time.map { Seconds($0) }
    points = standing.points
    away = standing.isAway ? true : nil
    best = standing.best.map { Seconds($0) }
    hints = standing.hints > 0 ? standing.hints : nil
    phone = standing.isOnPhone ? true : nil
  }

  /// The line in the form of a record.
  var record: StandingFields {
    var record = self
    record.player.isByName = true
    record.number = player.player.id.rawValue
    return record
  }

  /// The names of the statuses without a time.
  private static let names: [(name: String, status: Standing.Status)] = [
    ("guessing", .guessing), ("joinedAndGuessing", .joinedAndGuessing), ("waiting", .waiting), ("gaveUp", .gaveUp),
    ("outOfTime", .outOfTime),
  ]

  func standing() throws(MessageError) -> Standing {
    let solved = status == "solved" ? seconds.map { Standing.Status.solved($0.duration) } : nil
    guard let status = solved ?? Self.names.first(where: { $0.name == status })?.status else {
      throw .wrong("status", "one that is known")
    }
    guard points >= 0 else { throw .wrong("points", "a number that is not negative") }
    guard hints ?? 0 >= 0 else { throw .wrong("hints", "a number that is not negative") }
    return Standing(
      player: player.player, status: status, points: points, isAway: away ?? false, best: best?.duration, hints: hints ?? 0,
      isOnPhone: phone ?? false)
  }
}

extension MessageError {
  fileprivate static func wrong(_ field: String, _ expected: String) -> MessageError {
    MessageError(.invalidValue, field: field, expected: expected)
  }
}
