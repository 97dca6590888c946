import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

struct LobbyStateTests {
  private let rooms = (1...12).map { Evening.room("Room \($0)") }

  private func lobby(_ count: Int) -> LobbyState {
    var state = LobbyState(name: Evening.name("Bob"))
    state.see(Array(rooms.prefix(count)), at: .zero)
    return state
  }

  @Test func `arrows move, and Enter joins`() {
    var state = lobby(3)
    #expect(state.press(.enter) == .join(rooms[0]))
    #expect(state.press(.down) == nil && state.press(.down) == nil && state.press(.down) == nil)
    #expect(state.press(.enter) == .join(rooms[2]))
    #expect(state.press(.up) == nil && state.press(.enter) == .join(rooms[1]))
    #expect(state.press(.home) == nil && state.press(.enter) == .join(rooms[0]))
    #expect(state.press(.end) == nil && state.press(.enter) == .join(rooms[2]))
  }

  @Test func `the choice stays with its room when others come and go`() {
    var state = lobby(3)
    _ = state.press(.down)
    state.see([Evening.room("Aha"), rooms[0], rooms[1]], at: .zero)
    #expect(state.selection == 2)
    state.see([rooms[0], rooms[2]], at: .zero)
    #expect(state.selection == 0)
    state.see([], at: .zero)
    #expect(state.selection == nil)
    #expect(state.press(.enter) == nil && state.press(.down) == nil)
  }

  @Test func `a chosen room that has gone is not chosen when it comes back`() {
    var state = lobby(3)
    _ = state.press(.end)
    state.see([rooms[0], rooms[1]], at: .zero)
    state.see(Array(rooms.prefix(3)), at: .zero)
    #expect(state.selection == 0)
  }

  @Test func `a number joins as soon as it can mean one room only`() {
    var state = lobby(3)
    #expect(state.press(.text("2")) == .join(rooms[1]))
    #expect(state.press(.text("4")) == nil && state.notice == "There is no room 4; there are: 1 to 3.")
    state = lobby(12)
    #expect(state.press(.text("1")) == nil && state.typed == "1" && state.selection == 0)
    #expect(state.press(.text("2")) == .join(rooms[11]))
    #expect(state.press(.text("1")) == nil && state.press(.enter) == .join(rooms[0]))
    #expect(state.press(.text("1")) == nil && state.press(.backspace) == nil && state.typed == "")
    #expect(state.press(.text("3")) == .join(rooms[2]))
    #expect(state.press(.text("0")) == nil && state.typed == "")
  }

  @Test func `letters are commands`() {
    var state = lobby(1)
    #expect(state.press(.text("h")) == .host)
    #expect(state.press(.text("r")) == .anyRoom)
    #expect(state.press(.text("n")) == .rename)
    #expect(state.press(.text("p")) == .practise)
    #expect(state.press(.text("q")) == .quit)
    #expect(state.press(.control("d")) == .quit)
    #expect(state.press(.control("l")) == .repaint)
    #expect(state.press(.text("x")) == nil)
  }

  @Test func `any room is one with a free place`() {
    var state = LobbyState(name: Evening.name("Bob"))
    var generator = SeededGenerator(seed: 1)
    #expect(state.anyRoom(using: &generator, where: { $0.advertisement.hasRoom }) == nil)
    let free = Evening.room("free", players: 1, max: 2)
    state.see([Evening.room("full", players: 2, max: 2), free], at: .zero)
    for _ in 0..<10 { #expect(state.anyRoom(using: &generator, where: { $0.advertisement.hasRoom }) == free) }
  }

  @Test func `the age of a room is remembered while it is away`() {
    var state = lobby(2)
    state.see([rooms[1]], at: .seconds(60))
    state.see([rooms[0], rooms[1], rooms[2]], at: .seconds(90))
    #expect(state.age(of: rooms[0], at: .seconds(100)) == .seconds(100))
    #expect(state.age(of: rooms[2], at: .seconds(100)) == .seconds(10))
    #expect(state.age(of: rooms[5], at: .seconds(100)) == .zero)
  }

  @Test func `rooms that are away are forgotten when there are too many`() {
    var state = LobbyState(name: Evening.name("Bob"))
    let many = (1...1_000).map { Evening.room("Room \($0)") }
    state.see(many, at: .zero)
    state.see([], at: .seconds(1))
    state.see([many[0]], at: .seconds(2))
    #expect(state.age(of: many[0], at: .seconds(10)) == .seconds(10))
    state.see([Evening.room("One more")], at: .seconds(3))
    state.see([], at: .seconds(4))
    state.see([many[0]], at: .seconds(5))
    #expect(state.age(of: many[0], at: .seconds(10)) == .seconds(5))
  }

  @Test func `pages are of ten rooms, and letters move, too`() {
    var state = lobby(12)
    for (key, selection) in [
      (Key.pageDown, 10), (.pageDown, 11), (.pageUp, 1), (.text("j"), 2), (.text("k"), 1), (.control("n"), 2),
      (.control("p"), 1), (.pageUp, 0), (.up, 0), (.end, 11), (.home, 0),
    ] {
      #expect(state.press(key) == nil)
      #expect(state.selection == selection, "\(key)")
    }
  }

  @Test func `capital letters are the same commands, and a number that was begun is taken back`() {
    var state = lobby(12)
    for (key, wish) in [
      (Key.text("H"), LobbyState.Wish.host), (.text("R"), .anyRoom), (.text("N"), .rename), (.text("P"), .practise),
      (.text("Q"), .quit),
    ] { #expect(state.press(key) == wish) }
    for key in [Key.escape, .down, .backspace] {
      #expect(state.press(.text("1")) == nil && state.typed == "1")
      #expect(state.press(key) == nil && state.typed == "", "\(key)")
    }
    // What was told is read when another key is pressed.
    state.notice = "told"
    #expect(state.press(.tab) == nil && state.notice == nil)
  }
}
