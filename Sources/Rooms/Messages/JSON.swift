import FoundationEssentials
import TwentyFour

/// How this module writes JSON: keys in order, so that the same value is always the same bytes.
enum JSON {
  static func bytes(of value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(value))
    } catch {
      preconditionFailure("only a number that is not finite cannot be written, and none is: \(error)")
    }
  }
}

extension Duration {
  /// The longest duration that is taken from the network.
  private static let maximum = Duration.seconds(86_400)

  /// The duration in seconds, to the millisecond.
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return (Double(seconds) * 1000 + (Double(attoseconds) / 1e15).rounded()) / 1000
  }

  /// A duration from the network; `nil` when it is negative or longer than a day.
  init?(inSeconds seconds: Double) {
    guard 0...Duration.maximum.inSeconds ~= seconds else { return nil }
    self = .milliseconds(Int((seconds * 1000).rounded()))
  }
}

/// The fields of a player.
struct PlayerFields: Codable {
  let id: Int
  let name: String

  init(_ player: Player) {
    id = player.id.rawValue
    name = player.name.text
  }

  func player() throws(MalformedMessage) -> Player {
    do {
      return Player(id: PlayerID(rawValue: id), name: try PlayerName(name))
    } catch {
      throw .invalid(field: "name")
    }
  }
}

/// The fields of one line of the standings.
struct StandingFields: Codable {
  let player: PlayerFields
  let status: String
  let seconds: Double?
  let points: Int
  let away: Bool?
  let best: Double?
  let hints: Int?

  init(_ standing: Standing) {
    player = PlayerFields(standing.player)
    status = standing.status.code
    seconds = standing.time?.inSeconds
    points = standing.points
    away = standing.isAway ? true : nil
    best = standing.best?.inSeconds
    hints = standing.hints > 0 ? standing.hints : nil
  }

  func standing() throws(MalformedMessage) -> Standing {
    guard let status = Standing.Status(code: status, time: seconds.flatMap(Duration.init(inSeconds:))) else {
      throw .invalid(field: "status")
    }
    guard points >= 0 else { throw .invalid(field: "points") }
    guard hints ?? 0 >= 0 else { throw .invalid(field: "hints") }
    return Standing(
      player: try player.player(), status: status, points: points, isAway: away ?? false,
      best: best.flatMap(Duration.init(inSeconds:)), hints: hints ?? 0)
  }
}

extension Standing.Status {
  /// The name of the status in JSON.
  var code: String {
    switch self {
    case .solved: "solved"
    case .guessing: "guessing"
    case .joinedAndGuessing: "joinedAndGuessing"
    case .waiting: "waiting"
    case .gaveUp: "gaveUp"
    case .outOfTime: "outOfTime"
    }
  }

  init?(code: String, time: Duration?) {
    switch (code, time) {
    case ("solved", let time?): self = .solved(time)
    case ("guessing", _): self = .guessing
    case ("joinedAndGuessing", _): self = .joinedAndGuessing
    case ("waiting", _): self = .waiting
    case ("gaveUp", _): self = .gaveUp
    case ("outOfTime", _): self = .outOfTime
    default: return nil
    }
  }
}
