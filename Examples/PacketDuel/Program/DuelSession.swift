import Console
import FourInARow
import PacketDuel
import TwentyFour

/// A player at a terminal, or a bot: shows what happens in a duel, and plays.
struct DuelSession: Sendable {
  private let invocation: DuelInvocation
  private let duel: Duel

  init(_ invocation: DuelInvocation, in duel: Duel) {
    self.invocation = invocation
    self.duel = duel
  }

  /// Plays until the duel is over.
  ///
  /// - Throws: ``Failure`` when it ended in another way than duels do.
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
        // It is refused only when the opponent has gone meanwhile, which is the next event.
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
    // Nobody is there any more to make a move.
    if !Task.isCancelled { await duel.leave() }
  }

  private func obey(_ text: String) async {
    switch text.filter({ !$0.isWhitespace }).lowercased() {
    case "": return
    case "quit": await duel.leave()
    // For the person, whoever reads the output.
    case "help", "?": Output.error.line(DuelText.help)
    case let word:
      guard let number = Int(word) else {
        return invocation.diagnostics.warning("type the number of a column from 1 to \(Board.columns), or quit")
      }
      do throws(MoveRefusal) {
        // What is no column is refused as such, also the smallest number of all.
        try await duel.drop(in: number == .min ? number : number - 1)
      } catch {
        invocation.diagnostics.warning(error.description)
      }
    }
  }
}

/// Makes the moves of a player who is a program.
private struct BotPlayer {
  private let bot = Bot()
  private var generator: SeededGenerator
  private var own: Disc?

  init(generator: SeededGenerator) {
    self.generator = generator
  }

  /// The move that an event calls for, if it calls for any.
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
  /// What the program ends with; nil when a duel may end so.
  fileprivate init?(_ ending: DuelEvent.Ending) {
    switch ending {
    case .finished, .left, .opponentLeft: return nil
    case .turnedAway, .lost: self.init(.unavailable, ending.text)
    case .violated, .accused: self.init(.protocolError, ending.text)
    }
  }
}
