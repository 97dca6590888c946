import Rooms
import TestSupport
import Testing
import TwentyFour

@testable import Screens
@testable import _BonjourishTerminal

/// What windows of every size show, in few characters for each: `twentyfour-heights.txt` and others of `Tests/Transcripts`.
struct WindowSizeTests {
  private static let glyphs = Appearance().glyphs

  /// A line for each width at which something else is there than in a window that is narrower by a column.
  private func widths(_ title: String, _ widths: ClosedRange<Int> = 20...112, _ draw: (Int) -> [String]) -> String {
    var (text, former) = ("# \(title), by columns\n", "")
    for columns in widths {
      let line = draw(columns).joined(separator: " / ")
      // Longer gaps and bars alone are no change.
      var shape: [Character] = []
      for character in line where shape.last != character || !" █░ ".contains(character) { shape.append(character) }
      if String(shape) != former { text += "\(columns)".leftPadded(to: 3) + "|\(line)\n" }
      former = String(shape)
    }
    return text + "\n"
  }

  /// A line for each height, with the first character of each row.
  private func heights(_ title: String, _ heights: ClosedRange<Int>, _ draw: (TerminalSize) -> Canvas) -> String {
    [60, 40].map { columns in
      "# \(title), on \(columns) columns, by rows\n"
        + heights.map { rows in
          let canvas = draw(TerminalSize(columns: columns, rows: rows))
          return "\(rows)".leftPadded(to: 3) + "|\(canvas.firstCharacters)|\(canvas.cursor.map { "\($0.row)" } ?? "")\n"
        }.joined()
    }.joined(separator: "\n") + "\n"
  }

  // MARK: - States

  /// A room after many rounds, with names of many lengths.
  private static let long: GameState = PictureTests.changed(PictureTests.host()) { state in
    let players = ["Maximiliane Langer-Schmidt-Maier", "李雷", "Bob of the house"].enumerated().map {
      Player(id: PlayerID(rawValue: $0 + 9), name: Evening.name($1))
    }
    for round in 1...14 {
      let standings = players.enumerated().map { place, player in
        Evening.standing(player, place == 0 ? .outOfTime : .solved(.seconds(round)), round * place, best: .seconds(1))
      }
      state.take(
        .roundEnded(
          Match.RoundResult(
            number: round, hand: Evening.hand, solution: Evening.firstResult.solution, standings: standings, pause: nil)),
        at: .zero)
    }
    state.me = players[1]
  }

  private static let guest = PictureTests.changed(long) { $0.hosting = nil }

  private static let tried = PictureTests.changed(Evening.secondRound()) { state in
    state.take(.hint(.firstStep(try! Expression("8/3")), cost: 2), at: .zero)
    for line in ["8+8", "8/(3-8/3)+1+1+1+1+1"] { PictureTests.submit(line, to: &state) }
    state.take(.refused(RoomReason(.wrongDigits, "Use each of the four numbers exactly once.")), at: .zero)
  }

  private static let alone = PictureTests.changed(
    PictureTests.host(.standings([Evening.standing(Evening.ada, .waiting, 0)]), .missing(1))
  ) { state in
    state.network = "Nobody finds the room: a firewall may drop what is sent to UDP port 5353."
    state.notices = ["Somebody at 10.0.0.1 gave a wrong passcode; 2 more may be wrong.", "Bob left."]
    (state.spectators, state.unread) = (2, 1)
  }

  private static let addressed = PictureTests.changed(PictureTests.host(.standings(Evening.beginning))) { state in
    state.web = ["http://192.168.178.100:8024/#q6rzr7q2zltnk2kiqfp6qk6kpq", "http://[fd00::1]:8024/"]
    _ = state.press(.text("w"))
  }

  // MARK: - Tests

  @Test func `what there is room for is shown, by rows`() throws {
    var text = ""
    let titles: Set = ["tries and hints", "the pause after a round", "help", "codes to compare", "a crowd"]
    let more: [(title: String, state: GameState)] = [("a lone host with messages", Self.alone), ("phones", Self.addressed)]
    for game in PictureTests.games.filter({ titles.contains($0.title) }) + more {
      text += heights(game.title, 5...29) {
        GameView(state: game.state, now: .seconds(152)).draw(size: $0, appearance: Appearance())
      }
    }
    for lobby in PictureTests.lobbies.filter({ ["the lobby", "a filter", "the keys"].contains($0.title) }) {
      text += heights(lobby.title, 5...19) {
        LobbyView(state: lobby.state, now: .seconds(95)).draw(size: $0, appearance: Appearance())
      }
    }
    for form in PictureTests.forms {
      text += heights(form.title, 1...12) { form.form.draw(size: $0, appearance: Appearance()) }
    }
    try Transcript("twentyfour-heights").compare(text)
  }

  @Test func `what there is room for is shown, by columns`() throws {
    let glyphs = Self.glyphs
    func game(_ state: GameState, _ columns: Int, _ rows: Int = 10) -> [String] {
      GameView(state: state, now: .seconds(152)).draw(
        size: TerminalSize(columns: columns, rows: rows), appearance: Appearance()
      )
      .lines
    }
    var text = ""
    for (name, state) in [("a player", Evening.secondRound()), ("a host", Self.alone), ("the end", Self.long)] {
      text += widths("the title and the keys of \(name)") { [game(state, $0)[0], game(state, $0).last ?? ""] }
    }
    for (name, state) in [("a host", Self.long), ("a player", Self.guest)] {
      text += widths("the standings of \(name)") {
        StandingsView(state: state, glyphs: glyphs).canvas(TerminalSize(columns: $0, rows: 4)).lines
      }
      text += widths("beside the standings of \(name)", 56...112) { columns in
        var playing = PictureTests.changed(state) { $0.take(.round(Evening.deal), at: .seconds(100)) }
        playing.tries = Self.tried.tries
        return Array(game(playing, columns, 12).dropFirst(3).prefix(4))
      }
      for hasStatus in [true, false] {
        text += widths("the table of \(name), with the status: \(hasStatus)") {
          Array(
            TableView(state: state, hasStatus: hasStatus, glyphs: glyphs).canvas(TerminalSize(columns: $0, rows: 20)).lines
              .prefix(3))
        }
      }
    }
    text += widths("tries") { TriesView(state: Self.tried, glyphs: glyphs).canvas(TerminalSize(columns: $0, rows: 9)).lines }
    for rows in [24, 5, 4] {
      text += widths("hints in \(rows) rows") {
        HintsView(hints: Self.tried.hints, glyphs: glyphs).canvas(TerminalSize(columns: $0, rows: rows)).lines
      }
    }
    for (name, state) in [("a new player", Evening.secondRound(upTo: 3)), ("a host", Self.alone)] {
      text += widths("the stage of \(name)") { columns in
        let stage = Stage(state: state, now: .seconds(20), columns: columns, glyphs: glyphs)
        return stage.canvas(rows: stage.height(isLarge: false, of: 9), isLarge: false).lines
      }
    }
    for rows in [24, 19, 10, 9] {
      text += widths("messages in \(rows) rows") {
        NoticesView(state: Self.alone, glyphs: glyphs).canvas(columns: $0, rows: rows).lines
      }
    }
    for label in [nil, "Round 2 begins in 7 s"] {
      text += widths("the clock", 3...40) {
        ClockBar(left: .seconds(7), of: .seconds(10), label: label).canvas(columns: $0, glyphs).lines
      }
    }
    let (address, place) = try #require(Self.addressed.shownAddress)
    for size in [24, 12] {
      text += widths("an address in \(size) rows") { columns in
        let view = PhonesView(address: address, place: place, glyphs: glyphs).canvas(TerminalSize(columns: columns, rows: size))
        return view.lines.map { $0.contains { "█▀▄".contains($0) } ? "code" : $0 }
      }
    }
    for (name, lobby) in [("the lobby", PictureTests.lobby()), ("a lobby without places", PictureTests.lobby(rooms: 1))] {
      text += widths(name) { columns in
        let lines = LobbyView(state: lobby, now: .seconds(95))
          .draw(size: TerminalSize(columns: columns, rows: 10), appearance: Appearance()).lines
        return [0, 2, 3, 4, 8, 9].map { lines.indices.contains($0) ? lines[$0] : "" }
      }
    }
    text += widths("a form", 1...50) {
      PictureTests.forms[1].form.draw(size: TerminalSize(columns: $0, rows: 9), appearance: Appearance()).lines
    }
    try Transcript("twentyfour-widths").compare(text)
  }

  @Test func `a clock is green, then yellow, then red`() {
    // In hundredths of the whole time.
    let colors: [(Int, Style.Color)] = [
      (200, .green), (100, .green), (31, .green), (30, .yellow), (11, .yellow), (10, .red), (1, .red),
    ]
    for (left, color) in colors {
      let canvas = ClockBar(left: .seconds(left), of: .seconds(100)).canvas(columns: 111, Self.glyphs)
      #expect(canvas[0, 1].style.color == color, "\(left)")
      // Each begun part of the bar is full: there are 102 columns for it.
      #expect(canvas.lines[0].count { $0 == Self.glyphs.full } == min(102, (left * 102 + 99) / 100), "\(left)")
      #expect(canvas[0, 109].style == .bold)
    }
    for (left, whole) in [(0, 100), (-1, 100), (5, 0)] {
      let canvas = ClockBar(left: .seconds(left), of: .seconds(whole)).canvas(columns: 111, Self.glyphs)
      #expect(canvas.lines[0].count { $0 == Self.glyphs.empty } == 102 && canvas[0, 1].style == .dim, "\(left)")
    }
  }

  @Test func `each character has its style`() throws {
    var text = ""
    for title in ["tries and hints", "a pause that lasts", "codes to compare", "a crowd", "a broken connection", "a solution"] {
      let state = try #require(PictureTests.games.first { $0.title == title }).state
      let canvas = GameView(state: state, now: .seconds(152))
        .draw(size: TerminalSize(columns: 70, rows: 24), appearance: Appearance())
      text += "# \(title)\n\(canvas.styles)\n"
    }
    let lobby = LobbyView(state: PictureTests.lobby(.down), now: .seconds(95))
      .draw(size: TerminalSize(columns: 70, rows: 12), appearance: Appearance())
    try Transcript("twentyfour-styles").compare(text + "# the lobby\n\(lobby.styles)\n")
  }
}
