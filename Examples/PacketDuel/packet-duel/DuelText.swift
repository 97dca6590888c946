import Bonjourish
import FourInARow
import PacketDuel

/// Describes the events of a duel, for people.
struct DuelText {
  static let help = """
      Four discs in a row win: across, upright or slanting. A disc falls to the lowest free place of its column.
      1 to \(Board.columns)   to drop a disc into that column
      quit     to leave
    """

  private var own: Disc?
  private var opponent = ""

  mutating func lines(for event: DuelEvent) -> [String] {
    switch event {
    case .opponent(let name, let own):
      self.own = own
      opponent = name.escapedForDisplay
      return ["Your opponent is \(opponent). You have \(own.letter), and x begins.", Self.help] + lines(for: Board())
    case .moved(let player, let column, let board):
      let who = player == own ? "You drop" : "\(opponent) drops"
      return ["", "\(who) \(player.letter) into column \(column + 1)."] + lines(for: board)
    case .closed(let ending):
      return ["* \(ending.text)"]
    }
  }

  private func lines(for board: Board) -> [String] {
    let picture = [(1...Board.columns).map(String.init).joined(separator: " ")] + board.lines.map(Self.spaced)
    return picture.map { "  \($0)" } + [remark(on: board)]
  }

  private func remark(on board: Board) -> String {
    switch board.outcome {
    case .won(own): "Four in a row: you win."
    case .won: "Four in a row: \(opponent) wins."
    case .draw: "The board is full: a draw."
    case nil: board.turn == own ? "It is your turn." : "It is \(opponent)'s turn."
    }
  }

  private static func spaced(_ line: String) -> String { line.map(String.init).joined(separator: " ") }
}

extension Disc {
  /// The letter that stands for the disc on a board.
  var letter: String {
    switch self {
    case .first: "x"
    case .second: "o"
    }
  }
}

extension DuelEvent.Ending {
  /// A sentence for people; text from the other side is escaped.
  var text: String {
    switch self {
    case .finished: "The game is over."
    case .left: "You left."
    case .opponentLeft: "The other side left."
    case .turnedAway: "The host has another opponent; choose another host."
    case .lost: "The connection with the other side was lost; start again when both are on the network."
    case .violated(let violation): "The other side broke the rules: \(violation.description.escapedForDisplay)."
    case .accused(let text): "The other side says that this side broke the rules: \(text.escapedForDisplay)."
    }
  }
}
