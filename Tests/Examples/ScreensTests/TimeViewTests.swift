import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

/// How much time a room gives, on the screen and in lines.
struct TimeViewTests {
  private func lines(_ state: GameState, at now: Duration = .zero, columns: Int = 80, rows: Int = 24) -> [String] {
    GameView(state: state, now: now).draw(size: TerminalSize(columns: columns, rows: rows), appearance: Appearance()).lines
  }

  private func lines(_ state: LobbyState, columns: Int) -> [String] {
    LobbyView(state: state, now: .zero).draw(size: TerminalSize(columns: columns, rows: 12), appearance: Appearance()).lines
  }

  private func state(_ time: TimeAllowance, isHost: Bool = false) -> GameState {
    var state = GameState(name: Evening.name("Bob"), title: "Ada's game")
    state.hosting = isHost ? GameState.Hosting() : nil
    state.take(.open(room: RoomID(), player: Evening.bob, rules: RoomRules(Match.Rules(time: time, rounds: 5))), at: .zero)
    state.take(.standings(Evening.beginning), at: .zero)
    return state
  }

  private func deal(_ time: TimeAllowance) -> Match.Deal {
    let rules = Match.Rules(time: time)
    let length = time == .unlimited ? Match.Rules.longestRound : rules.roundDuration
    return Match.Deal(number: 1, hand: Evening.hand, remaining: length, isLimited: time != .unlimited)
  }

  private func guessing(_ time: TimeAllowance, isHost: Bool = false) -> GameState {
    var state = state(time, isHost: isHost)
    state.take(.round(deal(time)), at: .zero)
    state.take(
      .standings([Evening.standing(Evening.ada, .guessing, 0), Evening.standing(Evening.bob, .guessing, 0)]), at: .zero)
    return state
  }

  @Test(arguments: [(80, 24), (40, 12), (200, 50), (60, 10)])
  func `before the first round, everybody sees how much time there will be`(columns: Int, rows: Int) {
    for (time, text) in [(TimeAllowance.half, "1.5 times the time: 150 s"), (.double, "Twice the time: 200 s for each round.")]
    {
      let shown = lines(state(time), columns: columns, rows: rows).joined(separator: " ")
      #expect(shown.contains(text), "\(time)")
    }
    let unlimited = lines(state(.unlimited), columns: columns, rows: rows).map { $0.filter { $0 != "│" } }
      .joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(unlimited.contains("No time limit: a round ends when everybody has answered or given up."))
    let usual = lines(state(.usual), columns: columns, rows: rows).joined()
    #expect(!usual.contains("the time") && !usual.contains("time limit"))
  }

  @Test(arguments: [(80, 24), (40, 12), (40, 10)])
  func `a round without a limit has no clock, and stays on the screen`(columns: Int, rows: Int) {
    let state = guessing(.unlimited)
    for now in [Duration.zero, .seconds(3_599), .seconds(90_000)] {
      let lines = lines(state, at: now, columns: columns, rows: rows)
      #expect(lines.contains { $0.contains("There is no time limit.") }, "\(lines)")
      #expect(!lines.contains { $0.contains("█████░") || $0.contains(" s ") })
      #expect(lines.contains { $0.contains("8   9   2   5") || $0.contains("██████") })
      #expect(!lines.contains { $0.contains("begins soon") })
    }
    let clock = lines(guessing(.double), at: .seconds(60), columns: columns, rows: rows)
    #expect(clock.contains { $0.hasSuffix("140 s") }, "\(clock)")
  }

  @Test func `the host is told how to end a round without a limit, and does it with a word`() {
    var host = guessing(.unlimited, isHost: true)
    #expect(lines(host, columns: 120).last?.contains("\"next\": end the round") == true)
    #expect(lines(guessing(.double, isHost: true), columns: 120).last?.contains("next") == false)
    #expect(lines(guessing(.unlimited), columns: 120).last?.contains("next") == false)
    // First of all once the host's player has answered.
    host.take(.answer(Evening.bob, time: .seconds(3)), at: .seconds(3))
    host.take(
      .standings([
        Evening.standing(Evening.bob, .solved(.seconds(3)), 19), Evening.standing(Evening.ada, .guessing, 0),
      ]), at: .seconds(3))
    #expect(lines(host).last?.hasPrefix(" \"next\": end the round") == true)
    #expect(lines(host, columns: 40, rows: 12).last?.hasPrefix(" \"next\": end the round") == true)
    host.editor.replace(with: "next")
    #expect(host.press(.enter) == .decide(.next))
    host.take(.rule(.next, nil), at: .seconds(4))
    #expect(host.notices.last == "You ended the round.")
    host.take(.refused(RoomReason.noRound), at: .seconds(5))
    #expect(host.notices.last == "No round is running that could be ended.")
  }

  @Test func `the time is told when it is asked for`() {
    var state = guessing(.unlimited)
    state.editor.replace(with: "time")
    #expect(state.press(.enter, at: .seconds(50)) == nil && state.notices.last == "There is no time limit.")
    let company = Company(Evening.bob.name, isHost: false)
    company.see(.open(room: RoomID(), player: Evening.bob, rules: RoomRules(Match.Rules(time: .unlimited))))
    company.see(.round(deal(.unlimited)))
    #expect(EventLines.answer(to: .time, company, isNumbered: false) == ["  There is no time limit."])
  }

  @Test func `whoever comes back after the end of a round without a limit waits for the next one`() {
    var state = guessing(.unlimited)
    state.take(.reconnecting(attempt: 1, in: .seconds(1)), at: .seconds(10))
    state.take(.resumed, at: .seconds(40))
    // The round goes on.
    var still = state
    still.take(.round(deal(.unlimited)), at: .seconds(40))
    still.take(.standings([Evening.standing(Evening.bob, .guessing, 0)]), at: .seconds(40))
    #expect(still.isUnlimited && still.isGuessing)
    // Another player guesses, this one has answered.
    still = state
    still.take(
      .standings([Evening.standing(Evening.bob, .gaveUp, 0), Evening.standing(Evening.ada, .guessing, 0)]), at: .seconds(40))
    #expect(still.isUnlimited)
    state.take(.standings([Evening.standing(Evening.bob, .outOfTime, 0)]), at: .seconds(40))
    #expect(state.phase == .waiting)
    // In a round, the last answer is followed by its end.
    var last = guessing(.unlimited)
    last.take(.standings([Evening.standing(Evening.bob, .gaveUp, 0)]), at: .seconds(40))
    #expect(last.isUnlimited)
  }

  @Test func `in lines, the time is told at the beginning, and each round says that it has no limit`() {
    var lines = EventLines(own: Evening.bob.name, isHost: false)
    func open(_ time: TimeAllowance, _ player: Player?) -> [String] {
      lines.lines(for: .open(room: RoomID(), player: player, rules: RoomRules(Match.Rules(time: time))), at: nil)
    }
    #expect(open(.double, Evening.bob)[1] == "* Twice the time: 200 s for each round.")
    #expect(open(.half, nil)[1] == "* 1.5 times the time: 150 s for each round.")
    #expect(open(.unlimited, nil)[1] == "* No time limit: a round ends when everybody has answered or given up.")
    #expect(!open(.usual, nil).contains { $0.contains("time") })
    #expect(
      lines.lines(for: .round(deal(.unlimited)), at: nil).last == "Round 1:   8   9   2   5      no time limit to make 24")
    #expect(lines.lines(for: .round(deal(.half)), at: nil).last == "Round 1:   8   9   2   5      150 s to make 24")
  }

  // MARK: - The lobby

  private var lobby: LobbyState {
    var state = LobbyState(name: Evening.name("Bob"))
    state.see(
      [
        Evening.room("Ada's game", state: .waiting, time: .unlimited), Evening.room("Bea's game", state: .waiting, time: .half),
        Evening.room("Cy's game", state: .waiting),
      ], at: .zero)
    return state
  }

  @Test func `the list of rooms has a column for the time, if a room has another than the usual one`() {
    #expect(
      lines(lobby, columns: 80).dropFirst(2).prefix(4).map { $0 } == [
        "   #  Room        Players   State    Time     Entry     Host         Seen for",
        " ▸ 1  Ada's game  3 of 16   waiting  no limit           h1.local:42… 0 s",
        "   2  Bea's game  3 of 16   waiting  x 1.5              h1.local:42… 0 s",
        "   3  Cy's game   3 of 16   waiting                     h1.local:42… 0 s",
      ])
    var usual = LobbyState(name: Evening.name("Bob"))
    usual.see([Evening.room("Cy's game")], at: .zero)
    #expect(!lines(usual, columns: 80).contains { $0.contains("Time") })
    // Where there is no room for it, the selected room's time stands below.
    var narrow = lobby
    #expect(lines(narrow, columns: 40).contains(" No time limit."))
    #expect(narrow.press(.down) == nil)
    #expect(lines(narrow, columns: 40).contains(" 1.5 times the time."))
    #expect(narrow.press(.down) == nil)
    #expect(!lines(narrow, columns: 40).contains { $0.contains("time") })
  }

  @Test(arguments: [("x 1.5", ["Bea's game"]), ("no limit", ["Ada's game"]), ("x 2", []), ("cy", ["Cy's game"])])
  func `rooms are filtered by their time`(text: String, names: [String]) {
    var state = lobby
    #expect(state.press(.text("/")) == nil)
    for scalar in text.unicodeScalars { #expect(state.press(.text(scalar)) == nil) }
    #expect(state.rooms.map(\.name) == names)
  }

  @Test func `in lines, a room's time stands behind its state`() {
    #expect(
      Phrases.line(Evening.room("Ada's game", state: .waiting, time: .unlimited), named: "Ada's game")
        == "Ada's game   3 of 16 players, waiting, no time limit   h1.local:4242")
    #expect(Phrases.line(Evening.room("Bea's game", time: .double), named: "B").contains("playing, twice the time   h1"))
    #expect(Phrases.line(Evening.room("Cy's game"), named: "C").contains("players, playing   h1"))
  }
}
