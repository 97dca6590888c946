import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

/// What people stumbled over: what has to be in sight in windows of any size.
struct EveningViewTests {
  private func lines(
    _ state: GameState, at now: Duration = .seconds(152), columns: Int = 80, rows: Int = 24, isUnicode: Bool = true
  ) -> [String] {
    GameView(state: state, now: now)
      .draw(size: TerminalSize(columns: columns, rows: rows), appearance: Appearance(isUnicode: isUnicode)).lines
  }

  private func picture(_ state: GameState, columns: Int, rows: Int) -> String {
    lines(state, columns: columns, rows: rows).joined(separator: "\n")
  }

  private func submit(_ line: String, to state: inout GameState) -> GameState.Wish? {
    state.editor.replace(with: line)
    return state.press(.enter)
  }

  /// Bob's view of the second round, with all hints, after some wrong tries.
  private func paid(tries: Int) throws -> GameState {
    var state = Evening.secondRound()
    state.take(.hint(.firstStep(try Expression("8/3")), cost: 2), at: .zero)
    state.take(.hint(.lastStep(Rational(8), .over, try Rational(1, over: 3)), cost: 2), at: .zero)
    for _ in 0..<tries {
      _ = submit("8+8", to: &state)
      state.take(
        .refused(RoomReason(.wrongDigits, "Use each of the four numbers exactly once: you did not use 3, 3.")), at: .zero)
    }
    return state
  }

  @Test(arguments: [(80, 24), (60, 20), (200, 50), (40, 24)])
  func `hints that were paid for stay in sight, with their cost, whatever is tried`(columns: Int, rows: Int) throws {
    for tries in [0, 1, 12] {
      let lines = lines(try paid(tries: tries), columns: columns, rows: rows)
      for hint in [["Hint 1", "2", "divide"], ["Hint 2", "2", "8/3"], ["Hint 3", "2", "1/3"]] {
        #expect(lines.contains { line in hint.allSatisfy(line.contains) }, "\(hint) after \(tries) tries")
      }
      if tries > 0 { #expect(lines.contains { $0.contains("3, 3.") }) }
    }
  }

  @Test func `in a small window hints take little space, and the newest try is in sight`() throws {
    let small = try paid(tries: 3)
    #expect(
      picture(small, columns: 40, rows: 12) == """
         Ada's game, …  Round 2 of 5 · you: Bob
                     3   3   8   8
         ██████████████████████░░░░░░░░░   70 s
         Hint 1 (-2): at last, divide
         Hint 2 (-2): begin with 8/3
         Hint 3 (-2): end with 8 / (1/3)
         ▸ Bob          guessing              0
         8+8
           Use each of the four numbers exactly
           once: you did not use 3, 3.
         >
         ?: help   "give up"   "quit"
        """)
    var state = Evening.secondRound()
    _ = submit("8+8", to: &state)
    state.take(.refused(RoomReason(.wrongValue, "That is 16, not 24.")), at: .zero)
    let one = lines(state, columns: 40, rows: 12)
    for state in [try paid(tries: 1), try paid(tries: 12)] {
      for count in 1...3 {
        var some = state
        some.hints = Array(state.hints.prefix(count))
        let text = lines(some, columns: 40, rows: 12)
        #expect(text.contains(" 8+8") && text.contains("   once: you did not use 3, 3."), "\(text)")
      }
    }
    #expect(one.contains(" Hint 1 (-2): at last, divide") && one.contains { $0.contains("8+8  That is 16, not 24.") })
  }

  @Test func `hints are for the running round`() throws {
    var state = try paid(tries: 0)
    state.take(.roundEnded(Evening.firstResult), at: .seconds(152))
    #expect(!lines(state).contains { $0.contains("Hint ") })
    state.take(.round(Match.Deal(number: 3, hand: Evening.hand, remaining: .seconds(100))), at: .seconds(152))
    #expect(state.hints.isEmpty)
  }

  @Test(arguments: [(80, 24), (40, 12), (200, 50), (40, 10)])
  func `the goal is said before the first round and in it, and not later`(columns: Int, rows: Int) {
    let goal = columns > 50 ? "Make 24 with all four numbers, using + − × ÷ ( )" : "All four and + − × ÷ ( ) make 24"
    for count in [2, 3] {
      #expect(
        lines(Evening.secondRound(upTo: count), at: .seconds(20), columns: columns, rows: rows).contains { $0.contains(goal) })
    }
    #expect(!lines(Evening.secondRound(), columns: columns, rows: rows).contains { $0.contains(goal) })
    let ascii = lines(Evening.secondRound(upTo: 2), columns: columns, rows: rows, isUnicode: false)
    #expect(ascii.contains { $0.contains("+ - * / ( )") })
  }

  @Test(arguments: [(80, 24), (40, 12), (200, 50), (60, 20), (40, 10)])
  func `the help with the points is on one screen`(columns: Int, rows: Int) {
    var state = Evening.secondRound()
    #expect(submit("?", to: &state) == nil && state.panel == .help)
    let text = lines(state, columns: columns, rows: rows).joined(separator: " ").split(separator: " ").joined(separator: " ")
    for part in [
      "Make 24 with all four numbers", "8*(9/(5-2))", "Points: 10", "1 more for each tenth of the time", "hint", "give up",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    #expect(text.contains("each costs 2 points") || text.contains("a hint costs 2."))
    #expect(text.contains("quit") && text.contains("Tab"))
  }

  @Test(arguments: [(80, 24), (40, 12), (200, 50)])
  func `a host has a second page of help`(columns: Int, rows: Int) {
    var state = Evening.secondRound()
    state.hosting = GameState.Hosting()
    for _ in 1...2 { _ = submit("help", to: &state) }
    #expect(state.panel == .hosting)
    let text = lines(state, columns: columns, rows: rows).joined(separator: " ")
    for part in ["kick", "ban", "lock", "approve", "admit", "end: end the match", "again"] {
      #expect(text.contains(part), "\(part)")
    }
    var guest = Evening.secondRound()
    for _ in 1...2 { _ = submit("help", to: &guest) }
    #expect(guest.panel == .help)
    for _ in 1...3 {
      _ = guest.press(.tab)
      #expect(guest.panel != .hosting)
    }
  }

  @Test(arguments: 24...120)
  func `the keys never lose the way out`(columns: Int) {
    var host = Evening.secondRound()
    host.hosting = GameState.Hosting()
    var watching = Evening.secondRound()
    watching.isSpectator = true
    var ended = Evening.secondRound()
    ended.take(.matchEnded, at: .zero)
    for state in [Evening.secondRound(), host, watching, ended] {
      let way = state.isSpectator ? "q: quit" : "\"quit\""
      #expect(lines(state, columns: columns, rows: 12).last?.hasSuffix(way) == true)
    }
  }

  @Test(arguments: [(30, 8), (39, 24), (80, 9), (20, 5), (19, 4)])
  func `a tiny window says what it needs`(columns: Int, rows: Int) {
    let text = lines(Evening.secondRound(), columns: columns, rows: rows).joined(separator: " ").split(separator: " ")
      .joined(separator: " ")
    #expect(text.contains("The game needs 40×10, not \(columns)×\(rows)."))
    #expect(rows < 8 || text.contains("70 s"))
    let ascii = lines(Evening.secondRound(), columns: 30, rows: 8, isUnicode: false).joined(separator: " ")
    #expect(ascii.contains("The game needs 40x10"))
  }

  @Test func `in a very wide window what belongs together stands together`() throws {
    let lines = lines(Evening.secondRound(), columns: 200, rows: 50)
    let standing = try #require(lines.first { $0.contains("guessing") && $0.contains("李雷") })
    let gap = try #require(standing.firstRange(of: "李雷"))
    let points = try #require(standing.firstRange(of: " 18 "))
    #expect(standing[gap.lowerBound..<points.upperBound].count < 48)
    #expect(lines[1...].allSatisfy { $0.columns <= 150 && ($0.isEmpty || $0.hasPrefix(String(repeating: " ", count: 50))) })
  }

  @Test func `messages are not cut off`() {
    var state = Evening.secondRound()
    let long = "You banned 3 Bob, and everyone else at that address or with that key. To take that back: unban 3."
    state.notice(long)
    for (columns, rows) in [(40, 12), (80, 24)] {
      let text = lines(state, columns: columns, rows: rows).joined(separator: " ").split(separator: " ").joined(separator: " ")
      #expect(text.contains(long))
    }
    state.take(.reconnecting(attempt: 2, in: .seconds(3)), at: .seconds(150))
    let text = lines(state, columns: 40, rows: 12).joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(text.contains("The connection broke. Attempt 2 to come back in 1 s"))
  }

  @Test(arguments: [
    ("q", nil), ("exit", nil), ("hnt", "There is no command hnt; did you mean hint?"),
    ("giv up", "There is no command giv up; did you mean give up?"),
    ("abracadabra", "There is no command abracadabra; ? shows all."),
    ("kik 3", "There is no command kik 3; did you mean kick?"), ("lock", "Only the host can do that."),
  ])
  func `words are commands, and never expressions`(line: String, notice: String?) {
    var state = Evening.secondRound()
    let wish = submit(line, to: &state)
    #expect(state.tries.isEmpty && wish == (notice == nil ? .leave : nil))
    if let notice { #expect(state.notices.last == notice) }
    // The next line is a new start.
    if notice != nil { #expect(submit("8x3", to: &state) == .act(.answer("8x3")) && state.notices.last != notice) }
  }

  @Test func `whoever is alone is told nothing of others`() {
    var state = GameState(name: Evening.ada.name, title: "Practice")
    state.isPractice = true
    let alone = { (status: Standing.Status) in RoomEvent.standings([Evening.standing(Evening.ada, status, 0)]) }
    for event in [
      .open(room: RoomID(), player: Evening.ada, rules: RoomRules(Match.Rules())), alone(.waiting),
      .round(Match.Deal(number: 1, hand: Evening.hand, remaining: .seconds(100))), alone(.gaveUp),
    ] { state.take(event, at: .seconds(152)) }
    let text = lines(state).joined()
    #expect(text.contains("You gave up.") && !text.contains("others"))
    state.panel = .help
    #expect(
      lines(state).joined().contains("give up: see a solution") && lines(state).joined().contains("quit or Ctrl-D: stop."))
  }
}
