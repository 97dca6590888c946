import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

struct GameStateTests {
  private func submit(_ line: String, to state: inout GameState) -> GameState.Wish? {
    state.editor.replace(with: line)
    return state.press(.enter)
  }

  @Test func `lines are answers or commands`() {
    var state = Evening.secondRound()
    #expect(submit("8/(3-8/3)", to: &state) == .act(.answer("8/(3-8/3)")))
    #expect(submit(" Give  UP ", to: &state) == .act(.giveUp))
    #expect(submit("hint", to: &state) == .act(.hint) && state.press(.control("t")) == .act(.hint))
    #expect(submit("  ", to: &state) == nil)
    #expect(submit("table", to: &state) == nil && state.panel == .table)
    #expect(submit("help", to: &state) == nil && state.panel == .help)
    #expect(submit("tries", to: &state) == nil && state.panel == .tries)
    #expect(state.press(.tab) == nil && state.panel == .table)
    #expect(state.press(.backtab) == nil && state.panel == .tries)
    #expect(!state.isLeaving && submit("quit", to: &state) == .leave && state.isLeaving)
    #expect(state.press(.control("d")) == .leave)
    #expect(state.press(.control("l")) == .repaint)
    state.editor.replace(with: "1+")
    #expect(state.press(.escape) == nil && state.editor.text == "")
    #expect(state.press(.up) == nil && state.editor.text == "quit")
  }

  @Test func `outcomes belong to the oldest try without one`() {
    var state = Evening.secondRound()
    let wrong = RoomReason(.wrongValue, "That is 16, not 24.")
    for line in ["8+8", "8*3"] { _ = submit(line, to: &state) }
    state.take(.refused(wrong), at: .zero)
    #expect(state.tries.map(\.outcome) == [.refused(wrong), .asked])
    state.take(.answer(Evening.ada, time: .seconds(3)), at: .zero)
    #expect(state.tries.map(\.outcome) == [.refused(wrong), .asked])
    state.take(.answer(Evening.bob, time: .seconds(4)), at: .zero)
    #expect(state.tries.map(\.outcome) == [.refused(wrong), .right])
    state.take(.refused(RoomReason(.noMoreHints, "There are no more.")), at: .zero)
    #expect(state.notices.last == "There are no more.")
    // Tries are kept when the same round is dealt again, not in a new round.
    state.take(.resumed, at: .zero)
    state.take(.round(Match.Deal(number: 2, hand: Evening.hand, remaining: .seconds(40))), at: .zero)
    #expect(state.tries.count == 2)
    state.take(.round(Match.Deal(number: 3, hand: Evening.hand, remaining: .seconds(100))), at: .zero)
    #expect(state.tries.isEmpty && state.hints.isEmpty)
  }

  @Test func `the table has the points of each round for players seen before it`() {
    var table = PointsTable()
    // Lei had 31 points at first sight, 18 of them from the current round.
    table.see([
      Evening.standing(Evening.lei, .solved(.seconds(12)), 31), Evening.standing(Evening.ada, .guessing, 12),
    ])
    table.enter(
      Match.RoundResult(
        number: 4, hand: Evening.hand, solution: Evening.firstResult.solution,
        standings: [
          Evening.standing(Evening.lei, .solved(.seconds(12)), 31), Evening.standing(Evening.ada, .solved(.seconds(80)), 24),
        ], pause: nil))
    #expect(table.columns == [PointsTable.Column(round: 4, points: [Evening.ada.id: 12])])
    table.enter(
      Match.RoundResult(
        number: 5, hand: Evening.hand, solution: Evening.firstResult.solution,
        standings: [Evening.standing(Evening.lei, .gaveUp, 31), Evening.standing(Evening.bob, .outOfTime, 0)], pause: nil))
    #expect(table.columns.last?.points == [Evening.lei.id: 0, Evening.bob.id: 0])
  }

  @Test func `memory is bounded`() {
    var state = Evening.secondRound()
    for number in 1...1_000 {
      state.take(.joined(Evening.ada), at: .zero)
      _ = submit("\(number)", to: &state)
      state.take(
        .roundEnded(
          Match.RoundResult(
            number: number, hand: Evening.hand, solution: Evening.firstResult.solution, standings: [], pause: nil)), at: .zero)
    }
    #expect(state.notices.count == 50 && state.tries.count == 50 && state.table.columns.count == 100)
  }

  @Test func `a player sees how the room ended, unless they wanted to leave`() {
    var state = Evening.secondRound()
    #expect(state.summary == "Ada's game, port 4242: 1 round, you have 0 points.")
    state.take(.closed(RoomReason(.finished, "")), at: .zero)
    #expect(state.isClosed && !state.isOver && state.press(.text("x")) == nil)
    #expect(state.press(.enter) == .leave)
    state = GameState(name: Evening.name("Bob"), title: "room")
    state.take(.closed(RoomReason(.full, "All 2 places are taken.")), at: .zero)
    #expect(state.isOver && state.summary == nil)
  }

  @Test func `a spectator cannot write`() {
    var state = GameState(name: Evening.name("Bob"), title: "room")
    state.take(.open(room: RoomID(), player: nil, rules: Evening.rules), at: .zero)
    #expect(state.isSpectator && !state.writes)
    #expect(state.press(.text("1")) == nil && state.press(.control("t")) == nil && state.press(.text("q")) == .leave)
  }

  @Test func `a player whose program plays has few keys`() {
    var state = GameState(name: Evening.name("Bob"), title: "room", isBot: true)
    #expect(state.press(.text("1")) == nil && state.editor.text == "")
    #expect(state.press(.enter) == nil && state.press(.text("q")) == .leave)
  }

  @Test func `whoever plays alone wins no match`() {
    var state = GameState(name: Evening.name("Bob"), title: "room")
    state.take(.open(room: RoomID(), player: Evening.bob, rules: Evening.rules), at: .zero)
    let alone = Match.RoundResult(
      number: 1, hand: Evening.hand, solution: Evening.firstResult.solution,
      standings: [Evening.standing(Evening.bob, .solved(.seconds(3)), 19)], pause: nil)
    state.take(.roundEnded(alone), at: .zero)
    state.take(.matchEnded, at: .zero)
    #expect(state.wins.isEmpty && state.outcome == "You have 19 points.")
  }

  @Test func `Tab turns to what there is, in both directions`() {
    var state = Evening.secondRound()
    func panels(_ key: Key, _ count: Int) -> [GameState.Panel] {
      (0..<count).map { _ in
        _ = state.press(key)
        return state.panel
      }
    }
    #expect(panels(.tab, 3) == [.table, .help, .tries] && panels(.backtab, 3) == [.help, .table, .tries])
    state.hosting = GameState.Hosting()
    state.take(.identified(nil, key: nil, comparison: "1"), at: .zero)
    #expect(panels(.tab, 5) == [.table, .help, .hosting, .codes, .tries])
    #expect(panels(.backtab, 5) == [.codes, .hosting, .help, .table, .tries])
  }

  @Test func `each event of others is told`() throws {
    var state = GameState(name: Evening.name("Ada"), title: "room")
    state.hosting = GameState.Hosting()
    state.take(.open(room: RoomID(), player: Evening.ada, rules: Evening.rules), at: .zero)
    let events: [(RoomEvent, String)] = [
      (.joined(Evening.bob), "Bob came."), (.away(Evening.bob), "Bob is away; the seat is kept for a while."),
      (.back(Evening.bob), "Bob is back."), (.left(Evening.bob), "Bob left."), (.spectators(1), "One person watches."),
      (.answer(Evening.ada, time: .seconds(3)), "You have it, after 3 seconds."),
      (.answer(Evening.bob, time: .seconds(3)), "Bob has it, after 3 seconds."),
      (.passcode("123456"), "The passcode is 123 456. Tell it to those who may come in."),
      (.passcode(nil), Phrases.passcodeUsedUp),
      (.waiting(.seconds(60)), "The host decides whether you may come in, within 60 s."),
      (.guess(from: "10.0.0.1", remaining: 2), "Somebody at 10.0.0.1 gave a wrong passcode; 2 more may be wrong."),
      (.resumed, "You are back in the room; your seat and points were kept."),
      (.rule(.lock(true), nil), "The room is locked: nobody new comes in."),
      (.matchBegan(number: 2), "Another match begins: everybody starts with 0 points."),
    ]
    for (event, notice) in events {
      let count = state.notices.count
      state.take(event, at: .zero)
      #expect(state.notices.count == count + 1 && state.notices.last == notice, "\(event)")
    }
    let count = state.notices.count
    // Fewer who watch are no news.
    state.take(.spectators(0), at: .zero)
    state.take(.web(["http://a/"]), at: .zero)
    #expect(state.notices.count == count && state.spectators == 0 && state.web == ["http://a/"] && state.passcode == nil)
    #expect(state.hosting?.isLocked == true && state.unread == count)
  }
}
