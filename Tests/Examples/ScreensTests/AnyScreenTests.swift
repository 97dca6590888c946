import Rooms
import TestSupport
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

/// Any events and keys, on a screen of any size: the picture has that size, and nothing traps.
struct AnyScreenTests {
  private static let names = ["Ada", "李雷", "👩\u{200D}🚀 Zoë", "한국어 이름", "A name of thirty-two characters!"]

  @Test(arguments: seeds(1, of: 3)) func `any game is drawn within its screen`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      let players = try (0..<generator.number(in: 1..<20)).map { number in
        Player(id: PlayerID(rawValue: number), name: try PlayerName(Self.names[generator.number(in: 0..<Self.names.count)]))
      }
      var state = GameState(name: players[0].name, title: "Ada's game, port 4242", isBot: generator.once(in: 5))
      if generator.once(in: 3) { state.hosting = GameState.Hosting() }
      var now = Duration.zero
      for _ in 0..<generator.number(in: 0..<30) {
        now += .milliseconds(generator.number(in: 0..<20_000))
        if generator.once(in: 2) {
          state.take(event(players, &generator), at: now)
        } else {
          _ = state.press(Self.keys[generator.number(in: 0..<Self.keys.count)])
        }
        let size = TerminalSize(columns: generator.number(in: 0..<230), rows: generator.number(in: 0..<55))
        check(GameView(state: state, now: now).draw(size: size, appearance: appearance(&generator)), size, seed)
      }
    }
  }

  @Test(arguments: seeds(1, of: 2)) func `any lobby and any name are drawn within their screen`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<15 {
      var state = LobbyState(name: try PlayerName(Self.names[generator.number(in: 0..<Self.names.count)]))
      var form = TextForm<PlayerName>()
      for _ in 0..<20 {
        if generator.once(in: 3) {
          let rooms = (0..<generator.number(in: 0..<30)).map { _ in
            Evening.room(
              Self.names[generator.number(in: 0..<Self.names.count)] + "'s game", players: generator.number(in: 0..<17),
              time: TimeAllowance.allCases[generator.number(in: 0..<4)])
          }
          state.see(rooms, at: .seconds(generator.number(in: 0..<1_000_000)))
        }
        let key = Self.keys[generator.number(in: 0..<Self.keys.count)]
        _ = state.press(key)
        _ = form.press(key)
        let size = TerminalSize(columns: generator.number(in: 0..<130), rows: generator.number(in: 0..<45))
        check(
          LobbyView(state: state, now: .seconds(2_000_000)).draw(size: size, appearance: appearance(&generator)), size, seed)
        check(form.draw(size: size, appearance: appearance(&generator)), size, seed)
      }
    }
  }

  private func check(_ canvas: Canvas, _ size: TerminalSize, _ seed: UInt64) {
    #expect(canvas.size == size, "seed \(seed)")
    #expect(canvas.lines.allSatisfy { $0.columns <= size.columns }, "seed \(seed)")
    if let cursor = canvas.cursor {
      #expect(0..<size.rows ~= cursor.row && 0..<size.columns ~= cursor.column, "seed \(seed)")
    }
  }

  private func appearance(_ generator: inout SeededGenerator) -> Appearance {
    Appearance(isUnicode: generator.once(in: 2))
  }

  private static let keys: [Key] =
    "0123456789+-*/() qhrnkp/?a".unicodeScalars.map { .text($0) } + [
      .enter, .enter, .tab, .backtab, .escape, .backspace, .delete, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown,
      .wordLeft, .wordRight, .control("t"), .control("u"), .control("w"), .paste("8*(9/(5-2))"), .paste("give up"), .text("李"),
      .paste("table"), .paste("help"), .paste("hnt"), .paste("again"),
    ]

  private func event(_ players: [Player], _ generator: inout SeededGenerator) -> RoomEvent {
    let player = players[generator.number(in: 0..<players.count)]
    let number = generator.number(in: 1..<2_000)
    let reason = RoomReason(
      .init(rawValue: "other"), "Some reason with \u{1B} and 李雷 in it, which is rather long for a small window.")
    switch generator.number(in: 0..<16) {
    case 0:
      let time = TimeAllowance.allCases[number % 4]
      return .open(room: RoomID(), player: players[0], rules: RoomRules(Match.Rules(time: time, rounds: 5)))
    case 1: return .joined(player)
    case 2: return .left(player)
    case 3: return .away(player)
    case 4: return .back(player)
    case 5: return .missing(number % 5)
    case 6, 7:
      return .round(
        Match.Deal(
          number: number, hand: .random(using: &generator), remaining: .seconds(number % 101), isLimited: number % 3 > 0))
    case 8: return .answer(player, time: .milliseconds(number * 40))
    case 9: return .refused(reason)
    case 10: return .hint(.lastStep(Rational(8), .over, Rational(3)), cost: 2)
    case 11: return .standings(standings(players, &generator))
    case 12, 13:
      return .roundEnded(
        Match.RoundResult(
          number: number, hand: Evening.hand, solution: Evening.firstResult.solution, standings: standings(players, &generator),
          pause: generator.once(in: 3) ? nil : .seconds(10)))
    case 14 where generator.once(in: 2): return generator.once(in: 2) ? .matchEnded : .matchBegan(number: number)
    case 14: return generator.once(in: 2) ? .resumed : .reconnecting(attempt: number, in: .seconds(number % 20))
    default: return .closed(reason)
    }
  }

  private func standings(_ players: [Player], _ generator: inout SeededGenerator) -> [Standing] {
    players.map { player in
      let status: [Standing.Status] = [
        .guessing, .joinedAndGuessing, .waiting, .gaveUp, .outOfTime, .solved(.milliseconds(generator.number(in: 0..<100_000))),
      ]
      return Standing(
        player: player, status: status[generator.number(in: 0..<status.count)], points: generator.number(in: 0..<100_000),
        isAway: generator.once(in: 4), best: generator.once(in: 2) ? nil : .milliseconds(number(&generator)))
    }
  }

  private func number(_ generator: inout SeededGenerator) -> Int { generator.number(in: 0..<100_000) }
}
