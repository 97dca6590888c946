import Rooms
import Testing
import _BonjourishTerminal

@testable import Screens

/// What people stumbled over in the lobby.
struct LobbyEveningTests {
  private func lobby(_ rooms: DiscoveredRoom...) -> LobbyState {
    var state = LobbyState(name: Evening.name("Bob"))
    state.see(rooms, at: .zero)
    return state
  }

  private func lines(_ state: LobbyState, columns: Int = 80, rows: Int = 24) -> [String] {
    LobbyView(state: state, now: .zero)
      .draw(size: TerminalSize(columns: columns, rows: rows), appearance: Appearance()).lines
  }

  private func type(_ text: String, in state: inout LobbyState) {
    for scalar in text.unicodeScalars { #expect(state.press(.text(scalar)) == nil) }
  }

  @Test func `rooms that wait come first, then those that play, then full ones, each by name`() {
    let state = lobby(
      Evening.room("b", players: 16), Evening.room("Room 10", state: .waiting), Evening.room("a"),
      Evening.room("room 2", state: .waiting), Evening.room("Room 2a", state: .waiting), Evening.room("a", players: 16))
    #expect(state.rooms.map(\.name) == ["room 2", "Room 2a", "Room 10", "a", "a", "b"])
    #expect(state.rooms[3].advertisement.hasRoom && !state.rooms[4].advertisement.hasRoom)
  }

  @Test(arguments: [
    ("2", "10", true), ("Room 2", "room 10", true), ("a1b2", "a1b10", true), ("a", "b", true), ("A", "b", true),
    ("b", "A", false),
    ("a", "a1", true), ("007", "8", true), ("9", "10000000000000000000000000", true), ("10", "9", false),
  ])
  func `names are compared as people do`(left: String, right: String, isFirst: Bool) {
    #expect(NaturalOrder(left).precedes(NaturalOrder(right)) == isFirst)
    #expect(NaturalOrder(right).precedes(NaturalOrder(left)) == !isFirst)
  }

  @Test func `equal names have no order, and any order is one`() {
    #expect(NaturalOrder("Room 01").precedes(NaturalOrder("room 1")) == nil)
    #expect(NaturalOrder("").precedes(NaturalOrder("")) == nil)
    let names = ["", "1", "01", "a", "a1", "a01b", "A10", "李雷", "a2", "é", "2", "10", "a 1", "1a"]
    for left in names {
      for right in names {
        guard let first = NaturalOrder(left).precedes(NaturalOrder(right)) else {
          #expect(NaturalOrder(right).precedes(NaturalOrder(left)) == nil)
          continue
        }
        #expect(NaturalOrder(right).precedes(NaturalOrder(left)) == !first)
        for third in names where first && NaturalOrder(right).precedes(NaturalOrder(third)) == true {
          #expect(NaturalOrder(left).precedes(NaturalOrder(third)) == true, "\(left) \(right) \(third)")
        }
      }
    }
  }

  @Test func `a filter shows the rooms with a text in their names`() {
    var state = lobby(Evening.room("Ada's game"), Evening.room("Bob's game"), Evening.room("Barb's room"))
    type("/B'S", in: &state)
    #expect(state.rooms.map(\.name) == ["Barb's room", "Bob's game"])
    #expect(lines(state).contains { $0.contains("Rooms with: B'S") })
    // Letters and digits belong to the text, arrows and Enter to the list.
    #expect(state.press(.down) == nil && state.press(.enter) == .join(state.rooms[1]))
    type("q1", in: &state)
    #expect(state.rooms.isEmpty && lines(state).contains { $0.contains("No room has \"B'Sq1\" in its name.") })
    for _ in 1...2 { #expect(state.press(.backspace) == nil) }
    #expect(state.rooms.count == 2)
    state.see([Evening.room("Bob's game")], at: .zero)
    #expect(state.rooms.count == 1)
    #expect(state.press(.escape) == nil && state.filter == nil)
    #expect(state.press(.text("q")) == .quit)
  }

  @Test func `a filter is bounded, and ends when nothing is left of it`() {
    var state = lobby(Evening.room("Ada's game"))
    _ = state.press(.text("/"))
    _ = state.press(.paste(String(repeating: "a", count: 1_000)))
    #expect(state.filter?.count == 63)
    _ = state.press(.control("u"))
    #expect(state.filter == nil && state.rooms.count == 1)
    _ = state.press(.text("/"))
    _ = state.press(.backspace)
    #expect(state.filter == nil)
  }

  @Test(arguments: [(80, 24), (40, 12)])
  func `a question mark explains the keys, and any key brings the rooms back`(columns: Int, rows: Int) {
    var state = lobby(Evening.room("Ada's game"))
    #expect(state.press(.text("?")) == nil)
    let text = lines(state, columns: columns, rows: rows).joined(separator: " ")
    for key in ["h: ", "p: ", "/: ", "r: ", "n: "] { #expect(text.contains(key), "\(key)") }
    #expect(state.press(.text("q")) == nil && !state.showsHelp)
    #expect(state.press(.text("q")) == .quit)
  }

  @Test(arguments: 24...120)
  func `the keys never lose the way out`(columns: Int) {
    #expect(lines(lobby(), columns: columns).last?.hasSuffix("q: quit") == true)
  }

  @Test func `errors are shown in full, whatever the window`() {
    var state = lobby(Evening.room("Ada's game"))
    let long =
      "the host of \"Ada's game\" has another key than before, or than the link says: it may be another machine, or somebody "
      + "who sits between; ask the host for the key"
    state.notice = long
    for (columns, rows) in [(80, 24), (40, 12), (200, 50)] {
      let text = lines(state, columns: columns, rows: rows).joined(separator: " ").split(separator: " ").joined(separator: " ")
      #expect(text.contains(long) && text.hasSuffix("q: quit"))
    }
  }

  @Test func `a number without a room is told which there are`() {
    var none = lobby()
    type("3", in: &none)
    #expect(none.notice == "There is no room 3; there are none yet.")
    var one = lobby(Evening.room("Ada's game"))
    type("3", in: &one)
    #expect(one.notice == "There is no room 3; there is only: 1.")
    #expect(
      Phrases.noSuchRoom("Adas game", of: ["Ada's game", "Bob's game"])
        == "there is no room \"Adas game\"; there are: Ada's game; Bob's game")
    #expect(Phrases.noSuchRoom("x", of: (1...10).map { "R\($0)" }).hasSuffix("R8; and 2 more"))
    #expect(Phrases.noSuchRoom("x", of: []) == "there is no room \"x\"; there are none at present")
  }

  @Test func `a tiny window says what the game needs`() {
    #expect(lines(lobby(Evening.room("Ada's game")), columns: 30, rows: 8).joined().contains("The game needs 40×10"))
    #expect(!lines(lobby(Evening.room("Ada's game")), columns: 40, rows: 10).joined().contains("needs"))
  }
}
