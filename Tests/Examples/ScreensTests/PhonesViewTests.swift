import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

/// The panel with the code for phones.
struct PhonesViewTests {
  private static let addresses = [
    "http://192.168.178.100:8024/#q6rzr7q2zltnk2kiqfp6qk6kpq", "http://[fd00::1]:8024/#q6rzr7q2zltnk2kiqfp6qk6kpq",
  ]

  private func state(_ web: [String]? = addresses) -> GameState {
    var state = GameState(name: Evening.name("Ada"), title: "Ada's game")
    state.hosting = GameState.Hosting()
    state.web = web
    state.take(.open(room: RoomID(), player: Evening.ada, rules: Evening.rules), at: .zero)
    state.take(.standings(Evening.beginning), at: .zero)
    return state
  }

  private func lines(_ state: GameState, _ columns: Int = 80, _ rows: Int = 24, isUnicode: Bool = true) -> [String] {
    GameView(state: state, now: .zero).draw(
      size: TerminalSize(columns: columns, rows: rows), appearance: Appearance(isUnicode: isUnicode)
    ).lines
  }

  private func hasCode(_ lines: [String]) -> Bool { lines.count { $0.contains("▀") || $0.contains("▄") } >= 10 }

  @Test func `one key shows the code and the address, again the next, and then the game`() {
    var state = state()
    #expect(!hasCode(lines(state)))
    #expect(state.press(.text("w")) == .letPhonesIn)
    let first = lines(state)
    #expect(hasCode(first) && first.contains { $0.contains(Self.addresses[0]) })
    #expect(first.contains { $0.contains("Ada's game") })
    #expect(state.press(.text("w")) == nil)
    let second = lines(state, 80, 40)
    #expect(hasCode(second) && second.contains { $0.contains(Self.addresses[1]) })
    #expect(second.contains { $0.contains("Address 2 of 2") })
    #expect(state.press(.text("w")) == nil)
    #expect(!hasCode(lines(state)) && state.editor.text.isEmpty)
  }

  @Test func `another token is drawn at once, and Esc leads back`() {
    var state = state()
    _ = state.press(.text("w"))
    let before = lines(state)
    state.take(.web(["http://192.168.178.100:8024/#aaaaaaaaaaaaaaaaaaaaaaaaaa"]), at: .zero)
    let after = lines(state)
    #expect(before != after && after.contains { $0.contains("#aaaaaaaaaaaaaaaaaaaaaaaaaa") })
    #expect(state.press(.escape) == nil && !hasCode(lines(state)))
  }

  @Test func `within a line the letter is a letter, and the game is played on beside the code`() {
    var state = state()
    _ = state.press(.text("1"))
    _ = state.press(.text("w"))
    #expect(state.editor.text == "1w" && state.shownAddress == nil)
    state.editor.replace(with: "")
    _ = state.press(.text("w"))
    for scalar in "1+2".unicodeScalars { _ = state.press(.text(scalar)) }
    #expect(state.press(.enter) == .act(.answer("1+2")))
    #expect(state.shownAddress != nil)
  }

  @Test func `where the code does not fit, that is said, and the address is there`() {
    var state = state()
    _ = state.press(.text("w"))
    for (columns, rows) in [(40, 12), (30, 10), (80, 16)] {
      let lines = lines(state, columns, rows)
      #expect(!hasCode(lines))
      #expect(lines.joined().contains("too small"))
      #expect(lines.map { $0.trimmed }.joined().contains(Self.addresses[0]), "\(columns)×\(rows): \(lines)")
    }
    #expect(!hasCode(lines(state, 200, 50, isUnicode: false)))
  }

  @Test func `the key asks to let phones in, and guests have no such key`() {
    var state = state(nil)
    #expect(state.press(.text("w")) == .letPhonesIn && state.shownAddress == nil)
    state.take(.web(Self.addresses), at: .zero)
    #expect(state.shownAddress?.address == Self.addresses[0])
    var guest = Evening.secondRound()
    _ = guest.press(.text("w"))
    #expect(guest.editor.text == "w")
  }

  @Test func `who plays on a phone is marked, briefly where there is little space`() {
    var state = state()
    var standings = Evening.beginning
    standings[1].isOnPhone = true
    let name = standings[1].player.name.text
    state.take(.standings(standings), at: .zero)
    #expect(lines(state, 120).contains { $0.contains("\(name) (phone)") })
    #expect(lines(state, 64).contains { $0.contains("\(name)*") })
    #expect(Phrases.standing(standings[1]).hasPrefix("\(name) (phone): "))
  }

  @Test func `the code is black on white`() {
    #expect(Style.blackOnWhite.sequence(hasColor: true) == "\u{1B}[0;38;5;16;48;5;231m")
    #expect(Style.blackOnWhite.sequence(hasColor: false) == "\u{1B}[0;7m")
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
