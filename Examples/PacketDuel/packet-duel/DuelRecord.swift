import FourInARow
import PacketDuel

/// A line of `--json`.
struct DuelRecord: Encodable {
  private var event: String
  private var name: String?
  private var port: UInt16?
  private var names: [String]?
  private var disc: String?
  private var by: String?
  private var number: Int?
  private var column: Int?
  private var board: [String]?
  private var winner: String?
  private var reason: String?
  private var text: String?

  private init(_ event: String) { self.event = event }

  /// The host listens, and can be found unless it is hidden.
  static func open(name: String, port: UInt16) -> DuelRecord {
    var record = DuelRecord("open")
    (record.name, record.port) = (name, port)
    return record
  }

  /// The hosts that wait for an opponent.
  static func hosts(_ names: [String]) -> DuelRecord {
    var record = DuelRecord("hosts")
    record.names = names
    return record
  }

  /// The records of an event: the result follows the last move.
  static func records(of event: DuelEvent, own: Disc?) -> [DuelRecord] {
    switch event {
    case .opponent(let name, let own):
      var record = DuelRecord("opponent")
      (record.name, record.disc) = (name, own.letter)
      return [record]
    case .moved(let player, let column, let board):
      var record = DuelRecord("move")
      (record.by, record.number, record.column) = (who(player, own), board.discCount, column + 1)
      record.board = board.lines
      return [record] + (board.outcome.map { [result($0, on: board, own: own)] } ?? [])
    case .closed(let ending):
      var record = DuelRecord("closed")
      (record.reason, record.text) = (ending.code, ending.text)
      return [record]
    }
  }

  private static func result(_ outcome: Outcome, on board: Board, own: Disc?) -> DuelRecord {
    var record = DuelRecord("result")
    record.board = board.lines
    record.winner =
      switch outcome {
      case .won(let player): who(player, own)
      case .draw: "nobody"
      }
    return record
  }

  private static func who(_ player: Disc, _ own: Disc?) -> String { player == own ? "you" : "opponent" }
}

extension DuelEvent.Ending {
  /// The reason as a word, for programs.
  fileprivate var code: String {
    switch self {
    case .finished: "finished"
    case .left: "left"
    case .opponentLeft: "opponentLeft"
    case .turnedAway: "turnedAway"
    case .lost: "lost"
    case .violated: "violated"
    case .accused: "accused"
    }
  }
}
