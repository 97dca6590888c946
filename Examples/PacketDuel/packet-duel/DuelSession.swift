import Bonjourish
import FourInARow
import PacketDuel
import _BonjourishConsole
import _BonjourishJSONOutput

/// A player at a terminal, or a bot: shows the events of a duel, and plays.
struct DuelSession: Sendable {
  private let invocation: DuelInvocation
  private let duel: Duel

  init(_ invocation: DuelInvocation, in duel: Duel) {
    self.invocation = invocation
    self.duel = duel
  }

  /// Plays until the duel is over.
  ///
  /// - Throws: ``Failure`` if an error ended the duel early.
  func play() async throws {
    let ending = await withTaskGroup(of: DuelEvent.Ending?.self) { group -> DuelEvent.Ending? in
      group.addTask { await show() }
      if let lines = invocation.lines {
        group.addTask {
          await obey(lines)
          return nil
        }
      }
      defer { group.cancelAll() }
      for await case let ending? in group { return ending }
      return nil
    }
    if let ending, let failure = Failure(ending) { throw failure }
  }

  /// Shows every event, makes the bot's moves if it plays, and returns how the duel ended.
  private func show() async -> DuelEvent.Ending? {
    var text = DuelText()
    var player = invocation.isBot ? BotPlayer(generator: invocation.generator) : nil
    var own: Disc?
    for await event in duel.events {
      if case .opponent(_, let disc) = event { own = disc }
      if invocation.json {
        for record in DuelRecord.records(of: event, own: own) { Output.standard.json(record) }
      } else {
        for line in text.lines(for: event) { Output.standard.line(line) }
      }
      if let column = player?.column(after: event) {
        // The move is refused only if the opponent has left; that is the next event.
        try? await duel.drop(in: column)
      }
      if case .closed(let ending) = event { return ending }
    }
    return nil
  }

  private func obey(_ lines: LineReader) async {
    for await line in lines {
      switch line {
      case .text(let text): await obey(text)
      case .tooLong(let limit): invocation.diagnostics.warning("that line has more than \(limit) bytes; write less")
      case .notText: invocation.diagnostics.warning("that line is not UTF-8; write it again")
      }
    }
    // Without input, no move is possible.
    if !Task.isCancelled { await duel.leave() }
  }

  private func obey(_ text: String) async {
    switch text.filter({ !$0.isWhitespace }).lowercased() {
    case "": return
    case "quit": await duel.leave()
    // The help is for the player, even if a program reads the output.
    case "help", "?": Output.error.line(DuelText.help)
    case let word:
      guard let number = Int(word) else {
        return invocation.diagnostics.warning("type the number of a column from 1 to \(Board.columns), or quit")
      }
      do throws(MoveRefusal) {
        // The rules refuse a number that is not a column. The subtraction must not overflow for the smallest integer.
        try await duel.drop(in: number == .min ? number : number - 1)
      } catch {
        invocation.diagnostics.warning(error.description)
      }
    }
  }
}

/// Chooses the program's moves.
private struct BotPlayer {
  private let bot = Bot()
  private var generator: SeededNumbers
  private var own: Disc?

  init(generator: SeededNumbers) {
    self.generator = generator
  }

  /// The column of the move to make after an event; nil for no move.
  mutating func column(after event: DuelEvent) -> Int? {
    switch event {
    case .opponent(_, let own):
      self.own = own
      return own == .first ? bot.column(for: Board(), using: &generator) : nil
    case .moved(_, _, let board):
      guard board.turn == own, board.outcome == nil else { return nil }
      return bot.column(for: board, using: &generator)
    case .closed:
      return nil
    }
  }
}

extension Failure {
  /// The failure to end the program with; nil for a normal end.
  fileprivate init?(_ ending: DuelEvent.Ending) {
    switch ending {
    case .finished, .left, .opponentLeft: return nil
    case .turnedAway, .lost: self.init(.unavailable, ending.text)
    case .violated, .accused: self.init(.protocolError, ending.text)
    }
  }
}
