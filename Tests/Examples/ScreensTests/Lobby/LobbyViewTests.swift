import Bonjourish
import Foundation
import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

struct LobbyViewTests {
  private func picture(
    _ state: LobbyState, at now: Duration, columns: Int = 80, rows: Int = 24, isUnicode: Bool = true
  ) -> String {
    let canvas = LobbyView(state: state, now: now)
      .draw(size: TerminalSize(columns: columns, rows: rows), appearance: Appearance(isUnicode: isUnicode))
    return canvas.lines.joined(separator: "\n")
  }

  private var three: LobbyState {
    var state = LobbyState(name: Evening.name("Bob"))
    let early = [Evening.room("Ada's game", players: 3, host: "h1.local")]
    state.see(early, at: .zero)
    state.see(
      early + [
        Evening.room("李雷's game", players: 16, state: .waiting, host: "h2.local", lock: .passcode),
        Evening.room(
          "The room with the long name that is cut", players: 1, max: 2, state: .waiting, host: "a-rather-long-host.local",
          lock: .none),
      ], at: .seconds(185))
    return state
  }

  @Test func `three rooms on 80 columns and 24 rows`() {
    #expect(
      picture(three, at: .seconds(200), rows: 12) == """
         TwentyFour · Rooms on this network                                    you: Bob

           #  Room              Players   State    Entry     Host             Seen for
         ▸ 1  The room with th… 1 of 2    waiting  UNSAFE    a-rather-long-h… 15 s
           2  Ada's game        3 of 16   playing            h1.local:4242    3 min
           3  李雷's game       16 of 16  full     passcode  h2.local:4242    15 s





         ↑↓ Enter: join   h: host   p: practice   /: filter   ?: help   q: quit
        """)
  }

  /// One room on this network, one in the directory, and one in both.
  private var far: LobbyState {
    var state = LobbyState(name: Evening.name("Bob"), usesDirectory: true)
    state.see(
      [
        Evening.room("Ada's game", players: 3, host: "h1.local", interfaces: ["eth0"]),
        Evening.room("Bea's game", players: 2, state: .waiting, host: "bea.directory.alt", interfaces: ["directory:eu-west"]),
        Evening.room("Cy's game", players: 4, state: .waiting, host: "h3.local", interfaces: ["directory:eu-west", "wlan0"]),
      ], at: .zero)
    return state
  }

  @Test func `rooms of a directory tell where they are`() {
    #expect(
      picture(far, at: .seconds(3), columns: 100, rows: 10) == """
         TwentyFour · Rooms here and in the directory                                              you: Bob

           #  Room        Players   State    Entry     Where   Host                   Seen for
         ▸ 1  Bea's game  2 of 16   waiting            eu-west port 4242              3 s
           2  Cy's game   4 of 16   waiting            here    h3.local:4242          3 s
           3  Ada's game  3 of 16   playing            here    h1.local:4242          3 s



         ↑↓ Enter: join   h: host   p: practice   /: filter   r: any room   n: name   ?: help   q: quit
        """)
    #expect(
      picture(far, at: .seconds(3), columns: 62, rows: 10) == """
         TwentyFour · Rooms here and in the directory        you: Bob

           #  Room        Players   State    Entry     Where
         ▸ 1  Bea's game  2 of 16   waiting            eu-west
           2  Cy's game   4 of 16   waiting            here
           3  Ada's game  3 of 16   playing            here



         ↑↓ Enter: join   h: host   p: practice   ?: help   q: quit
        """)
  }

  @Test(arguments: 40...200) func `columns of a lobby with a directory stay together`(columns: Int) {
    var state = far
    #expect(state.press(.down) == nil)
    let lines = picture(state, at: .seconds(3), columns: columns, rows: 12).split(separator: "\n").map { Array($0) }
    guard let head = lines.first(where: { String($0).contains("Room ") && String($0).contains("#") }) else {
      Issue.record("no heading at \(columns) columns")
      return
    }
    for (title, texts) in [("Where", ["here", "eu-west", "here"]), ("Players", ["4 of 16", "2 of 16", "3 of 16"])] {
      guard let place = String(head).range(of: title) else {
        #expect(title == "Where" && columns < 62)
        continue
      }
      let column = String(head).distance(from: String(head).startIndex, to: place.lowerBound)
      let cells = lines.filter { String($0).contains("'s game") }.map { String($0.dropFirst(column)) }
      for text in texts { #expect(cells.contains { $0.hasPrefix(text) }, "\(columns): \(title), \(cells)") }
    }
    #expect(lines.allSatisfy { String($0).columns <= columns })
  }

  @Test func `the second is chosen, in a small ASCII window`() {
    var state = three
    #expect(state.press(.down) == nil)
    #expect(
      picture(state, at: .seconds(4000), columns: 44, rows: 8, isUnicode: false) == """
         TwentyFour | Rooms on this net..  you: Bob
           #  Room              Players   State
           1  The room with t.. 1 of 2    waiting
         > 2  Ada's game        3 of 16   playing
           3  李雷's game       16 of 16  full

         The game needs 40x10, not 44x8.
         Up/Down Enter: join   ?: help   q: quit
        """)
  }

  @Test func `no rooms yet, and a notice`() {
    var state = LobbyState(name: Evening.name("Bob"))
    state.notice = "The host closed the room."
    #expect(
      picture(state, at: .zero, columns: 60, rows: 8) == """
         TwentyFour · Rooms on this network                you: Bob
          No rooms yet; they will show here.
          Press h to host one yourself, or p to practise alone.



         The host closed the room.
         ↑↓ Enter: join   h: host   p: practice   ?: help   q: quit
        """)
  }

  @Test func `more rooms than rows`() {
    var state = LobbyState(name: Evening.name("Bob"))
    state.see((1...30).map { Evening.room("Room \($0)") }, at: .zero)
    for _ in 0..<14 { _ = state.press(.down) }
    #expect(
      picture(state, at: .zero, columns: 60, rows: 10) == """
         TwentyFour · Rooms on this network                you: Bob

           #  Room        Players   State    Entry
           13 Room 13     3 of 16   playing
           14 Room 14     3 of 16   playing
         ▸ 15 Room 15     3 of 16   playing
           16 Room 16     3 of 16   playing
           12 more above, 14 more below

         ↑↓ Enter: join   h: host   p: practice   ?: help   q: quit
        """)
    _ = state.press(.text("2"))
    #expect(
      picture(state, at: .zero, columns: 30, rows: 9) == """
         TwentyFour · Room…  you: Bob
           #  Room
           1  Room 1
         ▸ 2  Room 2
           3  Room 3
           4  Room 4
           26 more below
         Room number: 2
         h: host   ?: help   q: quit
        """)
  }

  @Test func `a name is asked for`() {
    var form = TextForm<PlayerName>()
    for scalar in "\u{202E}李".unicodeScalars { #expect(form.press(.text(scalar)) == nil) }
    #expect(form.press(.enter) == nil)
    let canvas = form.draw(size: TerminalSize(columns: 50, rows: 9), appearance: Appearance())
    #expect(
      canvas.lines.joined(separator: "\n") == """
         TwentyFour

         Your name, as the others see it:
         > �李
         The name holds the invisible character U+202E;
         remove it.


         Enter: OK    Ctrl-C: leave
        """)
    #expect(canvas.cursor == Canvas.Position(row: 3, column: 6))
    #expect(form.press(.control("u")) == nil)
    #expect(form.press(.paste("  李 ")) == nil)
    #expect(form.press(.enter) == .answer(Evening.name("李")))
    #expect(form.press(.escape) == .cancelled)
  }
}
