import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

/// The keys of a host's screen.
struct HostKeysTests {
  /// Ada's view of her room, in which Bob is number 3 and Lei number 2.
  private func state(more: [Player] = []) -> GameState {
    var state = GameState(name: Evening.name("Ada"), title: "Ada's game")
    state.hosting = GameState.Hosting()
    state.take(.open(room: RoomID(), player: Evening.ada, rules: Evening.rules), at: .zero)
    state.take(.standings(Evening.beginning + more.map { Evening.standing($0, .waiting, 0) }), at: .zero)
    return state
  }

  private func submit(_ line: String, to state: inout GameState) -> GameState.Wish? {
    state.editor.replace(with: line)
    return state.press(.enter)
  }

  @Test func `two keys remove or ban a player`() {
    var state = state()
    #expect(state.press(.control("x")) == nil)
    #expect(state.questionText == "Remove player number: ")
    #expect(state.press(.text("3")) == .decide(.kick(PlayerID(rawValue: 3))))
    #expect(state.questionText == nil)
    #expect(state.press(.control("v")) == nil)
    #expect(state.press(.text("2")) == .decide(.ban(PlayerID(rawValue: 2))))
    #expect(state.editor.text == "")
  }

  @Test func `a number that could go on waits for Enter or the next digit`() throws {
    let players = try [20, 21].map { Player(id: PlayerID(rawValue: $0), name: try PlayerName("P\($0)")) }
    var state = state(more: players)
    #expect(state.press(.control("x")) == nil && state.press(.text("2")) == nil)
    #expect(state.questionText == "Remove player number: 2")
    #expect(state.press(.text("1")) == .decide(.kick(PlayerID(rawValue: 21))))
    #expect(state.press(.control("x")) == nil && state.press(.text("2")) == nil)
    #expect(state.press(.enter) == .decide(.kick(PlayerID(rawValue: 2))))
  }

  @Test func `other keys, other numbers and the host's own remove nobody`() {
    var state = state()
    for key in [.text("1"), .text("9"), .text("x"), .escape, .enter] as [Key] {
      #expect(state.press(.control("x")) == nil)
      #expect(state.press(key) == nil, "\(key)")
      #expect(state.questionText == nil, "\(key)")
    }
    #expect(state.notices.contains("There is no other player 9."))
  }

  @Test func `lines decide too, by number, whatever the names`() {
    var state = state()
    #expect(submit("kick 3", to: &state) == .decide(.kick(PlayerID(rawValue: 3))))
    #expect(submit("lock", to: &state) == .decide(.lock(true)))
    var guest = Evening.secondRound()
    #expect(submit("kick 3", to: &guest) == nil && guest.notices.last == "Only the host can do that.")
    #expect(guest.press(.control("x")) == nil && guest.questionText == nil)
  }

  @Test func `one key locks and unlocks the room`() {
    var state = state()
    #expect(state.press(.control("o")) == .decide(.lock(true)))
    state.take(.rule(.lock(true), nil), at: .zero)
    #expect(state.press(.control("o")) == .decide(.lock(false)))
  }

  @Test func `new players are admitted or refused in the order of their coming`() throws {
    var state = state()
    #expect(state.press(.control("g")) == nil)
    let (cy, dan) = (
      Player(id: PlayerID(rawValue: 7), name: try PlayerName("Cy")),
      Player(id: PlayerID(rawValue: 8), name: try PlayerName("Dan"))
    )
    state.take(.asked(cy), at: .zero)
    state.take(.asked(dan), at: .zero)
    #expect(state.notices.last == "8 Dan asks to come in: admit 8, or refuse 8.")
    #expect(state.press(.control("g")) == .decide(.admit(cy.id)))
    state.take(.joined(cy), at: .zero)
    #expect(state.press(.control("r")) == .decide(.refuse(dan.id)))
    state.take(.left(dan), at: .zero)
    #expect(state.press(.control("r")) == nil)
  }

  @Test func `leaving asks whether to close the room for the others`() {
    var state = state()
    #expect(submit("quit", to: &state) == nil)
    #expect(state.questionText == "Close the room for 2 players? y/n")
    #expect(state.press(.text("n")) == nil && !state.isLeaving)
    #expect(state.press(.control("d")) == nil)
    #expect(state.press(.text("y")) == .leave && state.isLeaving)
    // Alone, and in another's room, there is nothing to ask.
    var alone = GameState(name: Evening.name("Ada"), title: "Ada's game")
    alone.hosting = GameState.Hosting()
    alone.take(.open(room: RoomID(), player: Evening.ada, rules: Evening.rules), at: .zero)
    alone.take(.standings([Evening.standing(Evening.ada, .waiting, 0)]), at: .zero)
    #expect(alone.press(.control("d")) == .leave)
  }

  @Test func `the screen shows the numbers, the question and the keys`() {
    var state = state()
    let appearance = Appearance(isUnicode: true)
    let lines = GameView(state: state, now: .zero).draw(size: TerminalSize(columns: 120, rows: 24), appearance: appearance)
      .lines
    #expect(lines.contains { $0.contains("3 Bob") })
    _ = state.press(.control("x"))
    let asking = GameView(state: state, now: .zero).draw(size: TerminalSize(columns: 120, rows: 24), appearance: appearance)
      .lines
    #expect(asking.contains { $0.contains("Remove player number:") })
  }
}
