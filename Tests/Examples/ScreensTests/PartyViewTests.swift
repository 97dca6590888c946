import Foundation
import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

/// What hosts and guests of a party have to see, in windows of any size.
struct PartyViewTests {
  func lines(_ state: GameState, at now: Duration = .seconds(152), columns: Int = 80, rows: Int = 24) -> [String] {
    GameView(state: state, now: now)
      .draw(size: TerminalSize(columns: columns, rows: rows), appearance: Appearance()).lines
  }

  func text(_ state: GameState, columns: Int = 80, rows: Int = 24) -> String {
    lines(state, columns: columns, rows: rows).joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  private func submit(_ line: String, to state: inout GameState) -> GameState.Wish? {
    state.editor.replace(with: line)
    return state.press(.enter)
  }

  func host(_ events: RoomEvent...) -> GameState {
    var state = GameState(name: Evening.ada.name, title: "Ada's game, port 4242")
    state.hosting = GameState.Hosting()
    state.take(.open(room: RoomID(), player: Evening.ada, rules: Evening.rules), at: .zero)
    for event in events { state.take(event, at: .zero) }
    return state
  }

  let alone: [RoomEvent] = [.standings([Evening.standing(Evening.ada, .waiting, 0)]), .missing(1)]

  // MARK: - Alone

  @Test(arguments: [(80, 24), (200, 50), (40, 12)])
  func `a host who is alone sees how others join, and what the room waits for`(columns: Int, rows: Int) {
    let text = text(host(alone[0], alone[1]), columns: columns, rows: rows)
    #expect(text.contains("twentyfour-join") && text.contains("phones"))
    #expect(text.contains("Round 1 begins with the second player, or when you type \"start\"."))
    if columns > 40 { #expect(text.contains("On phones: press w") && text.contains("Nobody else is here yet.")) }
    #expect(lines(host(alone[0], alone[1]), columns: columns, rows: rows).last?.contains("w: phones") == true)
  }

  @Test func `with company nobody is told how to join`() {
    let text = text(host(.standings(Evening.beginning), .missing(0)))
    #expect(!text.contains("twentyfour-join") && text.contains("The next round begins soon"))
    // A guest cannot begin.
    var guest = GameState(name: Evening.bob.name, title: "Ada's game")
    guest.take(.open(room: RoomID(), player: Evening.bob, rules: Evening.rules), at: .zero)
    guest.take(.missing(1), at: .zero)
    #expect(self.text(guest).contains("One more player is needed to begin.") && !self.text(guest).contains("start"))
  }

  @Test func `the host begins alone`() {
    var state = host(alone[0], alone[1])
    #expect(submit("start", to: &state) == .decide(.start))
    var guest = Evening.secondRound()
    #expect(submit("start", to: &guest) == nil && guest.notices.last == "Only the host can do that.")
  }

  // MARK: - Keys

  @Test func `a question mark works without Enter, and leads back`() {
    var guest = Evening.secondRound()
    #expect(guest.press(.text("?")) == nil && guest.panel == .help && guest.editor.text == "")
    #expect(guest.press(.text("?")) == nil && guest.panel == .tries)
    var host = host(alone[0])
    for panel in [.help, .hosting, .tries] as [GameState.Panel] {
      #expect(host.press(.text("?")) == nil && host.panel == panel)
    }
    _ = host.press(.text("?"))
    #expect(host.press(.escape) == nil && host.panel == .tries)
    // Within a line it is a character.
    _ = guest.press(.text("8"))
    _ = guest.press(.text("?"))
    #expect(guest.editor.text == "8?" && guest.panel == .tries)
  }

  @Test func `hints and giving up are offered only to those who guess`() {
    func keys(_ state: GameState) -> String { lines(state).last ?? "" }
    var state = Evening.secondRound()
    #expect(keys(state).contains("hint") && keys(state).contains("\"give up\""))
    state.take(.standings([Evening.standing(Evening.bob, .solved(.seconds(3)), 18)]), at: .zero)
    #expect(!keys(state).contains("hint") && !keys(state).contains("give up") && keys(state).contains("?: help"))
    #expect(!keys(Evening.secondRound(upTo: 2)).contains("hint"))
    let entering = GameState(name: Evening.bob.name, title: "Ada's game")
    #expect(keys(entering).trimmingPrefix(" ") == "\"quit\"")
  }

  @Test func `help that is open makes way for the result of a round`() {
    for panel in ["help", "codes"] {
      var state = Evening.secondRound()
      state.take(.identified(nil, key: nil, comparison: "123 456"), at: .zero)
      _ = submit(panel, to: &state)
      state.take(.roundEnded(Evening.firstResult), at: .seconds(160))
      #expect(text(state).contains("This round") && text(state).contains("12.34 s"))
    }
  }

  @Test func `the time and the standings can be asked for`() {
    var state = Evening.secondRound()
    state.editor.replace(with: "time")
    #expect(state.press(.enter, at: .seconds(152)) == nil && state.notices.last == "70 s left")
    _ = submit("table", to: &state)
    #expect(submit("standings", to: &state) == nil && state.panel == .tries)
    var waiting = Evening.secondRound(upTo: 2)
    _ = submit("time", to: &waiting)
    #expect(waiting.notices.last == "No round is running.")
  }

  // MARK: - Codes and spectators

  @Test func `codes to compare stay where there is room, and are shown again`() {
    var state = host(.standings(Evening.beginning))
    for (player, digits) in [(Evening.bob, "727 315"), (Evening.lei, "000 001")] {
      state.take(.joined(player), at: .zero)
      state.take(.identified(player, key: nil, comparison: digits), at: .zero)
    }
    #expect(text(state, rows: 50).contains("727 315: 3 Bob") && text(state, rows: 50).contains("000 001: 2 李雷"))
    #expect(!lines(state, columns: 40, rows: 12).contains { $0.contains("727 315: 3 Bob") })
    #expect(submit("codes", to: &state) == nil && state.panel == .codes)
    #expect(text(state, columns: 40, rows: 12).contains("727 315: 3 Bob 000 001: 2 李雷"))
    state.take(.left(Evening.bob), at: .zero)
    #expect(!text(state, columns: 40, rows: 12).contains("727 315"))
    // A player whose connection is another one has another code.
    state.take(.identified(Evening.lei, key: nil, comparison: "999 999"), at: .zero)
    #expect(state.codes.map(\.digits) == ["999 999"])

    var guest = Evening.secondRound()
    #expect(submit("codes", to: &guest) == nil && guest.panel == .tries)
    #expect(guest.notices.last == "There are no codes to compare.")
    guest.take(.identified(nil, key: nil, comparison: "727 315"), at: .zero)
    _ = submit("codes", to: &guest)
    #expect(text(guest).contains("727 315: yours"))
  }

  @Test func `the host sees how many watch`() {
    var state = host(.standings(Evening.beginning), .spectators(1))
    #expect(state.notices.last == "One person watches." && text(state).contains("One person watches."))
    state.take(.spectators(2), at: .zero)
    #expect(text(state).contains("2 people watch."))
    state.take(.spectators(0), at: .zero)
    state.notices = []
    #expect(!text(state).contains("watch"))
  }

  // MARK: - Names

  private static let long = ["Maximiliane Langer-Schmidt-Maier", "Maximiliane Langer-Schmidt-Meier"].enumerated().map {
    Player(id: PlayerID(rawValue: 11 + $0), name: Evening.name($1))
  }

  @Test(arguments: [(200, 50), (120, 40), (100, 30)]) func `names are cut only where there is no room`(columns: Int, rows: Int)
  {
    var standings = Self.long.map { Evening.standing($0, .guessing, 0) }
    standings[0].isOnPhone = true
    for isHost in [true, false] {
      var state = Evening.secondRound()
      if isHost { state.hosting = GameState.Hosting() }
      state.take(.standings(standings), at: .zero)
      for player in Self.long { #expect(text(state, columns: columns, rows: rows).contains(player.name.text)) }
      state.take(
        .roundEnded(
          Match.RoundResult(
            number: 2, hand: Evening.hand, solution: Evening.firstResult.solution, standings: standings, pause: nil)), at: .zero
      )
      let table = text(state, columns: columns, rows: rows)
      #expect(table.contains("\(Self.long[0].name) (phone)") && table.contains(Self.long[1].name.text))
    }
  }

  @Test func `with more rows there are more messages`() {
    var state = Evening.secondRound()
    for number in 1...9 { state.notice("Message \(number).") }
    #expect(!text(state).contains("Message 7.") && text(state).contains("Message 8. • Message 9."))
    #expect(text(state, columns: 200, rows: 50).contains("• Message 2. "))
  }

  // MARK: - The end

  @Test func `a host who closes the room sees the last table and the winner, as the guests do`() {
    var state = host(.standings(Evening.beginning))
    state.take(.round(Match.Deal(number: 1, hand: Evening.hand, remaining: .seconds(100))), at: .zero)
    state.take(.roundEnded(Evening.firstResult), at: .zero)
    #expect(submit("quit", to: &state) == nil && state.press(.text("y")) == .leave)
    state.take(.closed(.hostLeft), at: .zero)
    #expect(!state.isOver)
    #expect(text(state).contains("李雷 wins with 18 points. You closed the room.") && text(state).contains("Enter: go on"))
    #expect(state.summary == "Ada's game, port 4242: 1 round, you have 0 points. 李雷 wins with 18 points.")
    // Alone, and before the first round, there is nothing to see.
    var alone = host(alone[0])
    #expect(alone.press(.control("d")) == .leave)
    alone.take(.closed(.hostLeft), at: .zero)
    #expect(alone.isOver && alone.summary == nil)
  }

  @Test func `the last line counts the evening, not only the last match`() {
    var state = Evening.secondRound(upTo: 5)
    let result = Match.RoundResult(
      number: 1, hand: Evening.hand, solution: Evening.firstResult.solution,
      standings: [
        Evening.standing(Evening.bob, .solved(.seconds(20)), 17, best: .seconds(20)), Evening.standing(Evening.ada, .gaveUp, 0),
      ],
      pause: nil)
    state.take(.matchEnded, at: .zero)
    state.take(.matchBegan(number: 2), at: .zero)
    // Before its first round, the first match is not forgotten.
    #expect(state.summary == "Ada's game, port 4242: 1 round, you have 0 points.")
    state.take(.standings(result.standings.map { Evening.standing($0.player, .waiting, 0) }), at: .zero)
    state.take(.roundEnded(result), at: .zero)
    state.take(.matchEnded, at: .zero)
    #expect(
      state.summary
        == "Ada's game, port 4242: 2 rounds in 2 matches, you got 17 points, your best time 20.00 s, and won 1 of them.")
  }

  @Test func `whoever comes back without a seat is told why`() {
    var state = Evening.secondRound()
    state.take(.open(room: RoomID(), player: Evening.bob, rules: Evening.rules), at: .zero)
    #expect(state.notices.last == "You came back as a new player: a seat is kept only for those who have answered.")
  }

  // MARK: - Ctrl-C

  @Test func `Ctrl-C asks like quit, if others would have to go`() {
    var state = host(.standings(Evening.beginning))
    #expect(state.interrupt() == nil && state.isAskedToLeave)
    #expect(state.press(.text("n")) == nil && !state.isAskedToLeave && !state.isLeaving)
    var alone = host(alone[0])
    #expect(alone.interrupt() == .leave && alone.isLeaving)
  }

  @Test func `the first Ctrl-C asks, and the second one ends`() {
    let company = Company(Evening.ada.name, isHost: true)
    company.see(.open(room: RoomID(), player: Evening.ada, rules: Evening.rules))
    company.see(.standings([Evening.standing(Evening.ada, .waiting, 0)]))
    #expect(!company.takesInterrupt())
    // Before the standings tell it, too.
    company.see(.joined(Evening.bob))
    #expect(company.others == 1)
    company.see(.standings(Evening.beginning))
    #expect(company.others == 2 && company.takesInterrupt() && company.isAsking && !company.takesInterrupt())
    company.isAsking = false
    #expect(company.takesInterrupt())
    company.isAsking = false
    // Nobody would have to go any more.
    company.see(.closed(RoomReason(.finished, "The match is over.")))
    #expect(!company.takesInterrupt() && !company.isAsking)
    let guest = Company(Evening.bob.name, isHost: false)
    guest.see(.open(room: RoomID(), player: Evening.bob, rules: Evening.rules))
    guest.see(.standings(Evening.beginning))
    #expect(!guest.takesInterrupt())
  }

  // MARK: - Sentences

  @Test(arguments: [
    ("", ""), ("a firewall", "A firewall."), ("Why?", "Why?"), ("opening your room …", "Opening your room …"),
    ("wait ...", "Wait ..."),
  ])
  func `a sentence ends once`(text: String, sentence: String) {
    #expect(text.asSentence == sentence)
  }
}
