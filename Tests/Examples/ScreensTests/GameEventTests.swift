import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

/// What events and keys change in the contents of a game's screen, and what they leave.
struct GameEventTests {
  private static func host(isBot: Bool = false) -> GameState {
    var state = GameState(name: Evening.ada.name, title: "Ada's game", isBot: isBot)
    state.hosting = GameState.Hosting()
    state.take(.open(room: RoomID(), player: Evening.ada, rules: Evening.rules), at: .zero)
    state.take(.standings(Evening.beginning), at: .zero)
    return state
  }

  private func submit(_ line: String, to state: inout GameState) -> GameState.Wish? {
    state.editor.replace(with: line)
    return state.press(.enter)
  }

  private func result(_ number: Int, _ standings: Standing..., pause: Duration? = nil) -> Match.RoundResult {
    Match.RoundResult(
      number: number, hand: Evening.hand, solution: Evening.firstResult.solution, standings: standings, pause: pause)
  }

  // MARK: - Events

  @Test func `the points of a player who was away for a round are not those of the next one alone`() {
    var table = PointsTable()
    let (ada, bob) = (Evening.standing(Evening.ada, .gaveUp, 0), Evening.standing(Evening.bob, .solved(.seconds(9)), 18))
    table.see([ada, Evening.standing(Evening.bob, .guessing, 0)])
    table.enter(result(1, ada, bob))
    table.enter(result(2, ada))
    table.enter(result(3, ada, Evening.standing(Evening.bob, .solved(.seconds(9)), 55)))
    let (a, b) = (Evening.ada.id, Evening.bob.id)
    #expect(table.columns.map(\.points) == [[a: 0, b: 18], [a: 0], [a: 0]])
    #expect(table.columns.map(\.round) == [1, 2, 3])
  }

  @Test(arguments: [RoomReason.Code.noSuchPlayer, .noPasscode, .hasBegun, .noRound, .notBegun, .notOver, .held])
  func `a refusal of something else is no answer to a try`(code: RoomReason.Code) {
    var state = Evening.secondRound()
    _ = submit("8+8", to: &state)
    state.take(.refused(RoomReason(code, "why")), at: .zero)
    #expect(state.tries.map(\.outcome) == [.asked] && state.notices.last == "why")
    state.take(.refused(RoomReason(.wrongValue, "That is 16.")), at: .zero)
    #expect(state.tries.map(\.outcome) == [.refused(RoomReason(.wrongValue, "That is 16."))] && state.notices.last == "why")
  }

  @Test func `a connection that broke is tried again until it stands, or the room is closed`() {
    let events: [RoomEvent] = [
      .resumed, .open(room: RoomID(), player: nil, rules: Evening.rules), .closed(RoomReason(.lost, "lost")),
    ]
    for event in events {
      var state = Evening.secondRound()
      state.take(.reconnecting(attempt: 3, in: .seconds(4)), at: .seconds(200))
      #expect(state.outage == GameState.Outage(attempt: 3, next: .seconds(204)))
      state.take(event, at: .seconds(204))
      #expect(state.outage == nil, "\(event)")
    }
  }

  @Test func `a player who came counts at once, and only once`() {
    var state = Self.host()
    let cy = Player(id: PlayerID(rawValue: 9), name: Evening.name("Cy"))
    for _ in 1...2 { state.take(.joined(cy), at: .zero) }
    #expect(state.standings == Evening.beginning + [Evening.standing(cy, .waiting, 0)])
  }

  @Test func `the oldest of too many hints is dropped, and hints are shown`() throws {
    var state = Evening.secondRound()
    state.panel = .table
    let hints: [Hint] = [.lastOperation(.plus), .lastOperation(.minus), .firstStep(try Expression("8/3"))]
    for (cost, hint) in hints.enumerated() { state.take(.hint(hint, cost: cost), at: .zero) }
    #expect(state.panel == .tries)
    #expect(state.hints == hints.enumerated().map { GameState.PaidHint(hint: $1, cost: $0) })
  }

  @Test func `who is missing is forgotten when a round begins, or the match ends`() {
    for event in [RoomEvent.round(Evening.deal), .matchEnded] {
      var state = Self.host()
      state.panel = .table
      state.take(.missing(2), at: .zero)
      #expect(state.missing == 2)
      state.take(event, at: .seconds(7))
      #expect(state.missing == 0)
      #expect(state.panel == (state.hasEnded ? .table : .tries))
      #expect(state.hasEnded || state.phase == .playing(Evening.deal, until: .seconds(107)))
    }
  }

  @Test func `a pause has an end if the result tells one`() {
    var state = Evening.secondRound()
    state.take(.roundEnded(Evening.firstResult), at: .seconds(160))
    #expect(state.phase == .pausing(Evening.firstResult, until: .seconds(170)))
    let last = result(2, Evening.standing(Evening.bob, .gaveUp, 0))
    state.take(.roundEnded(last), at: .seconds(160))
    #expect(state.phase == .pausing(last, until: nil) && state.round == 2 && state.lastResult == last)
  }

  @Test func `a match that the room's end decides has winners, and one that was broken off has none`() {
    for (reason, wins) in [(RoomReason(.finished, ""), 1), (.hostLeft, 0)] {
      var state = Evening.secondRound(upTo: 5)
      state.take(.closed(reason), at: .zero)
      #expect(state.wins.values.reduce(0, +) == wins && state.panel == .table)
    }
    var ended = Evening.secondRound(upTo: 5)
    for event in [RoomEvent.matchEnded, .closed(RoomReason(.finished, ""))] { ended.take(event, at: .zero) }
    #expect(ended.wins == [Evening.lei: 1])
    // Before the first result, there are neither.
    var early = Evening.secondRound(upTo: 2)
    early.take(.closed(RoomReason(.finished, "")), at: .zero)
    #expect(
      early.wins.isEmpty && early.panel == .tries && early.summary == "Ada's game, port 4242: All rounds have been played.")
  }

  @Test func `each message is new until a line is written, and a complaint goes with the next one`() {
    var state = Self.host()
    for text in ["a", "b"] { state.notice(text) }
    #expect(state.unread == 2)
    #expect(submit("hnt", to: &state) == nil)
    #expect(state.unread == 1 && state.notices.count == 3 && state.notices.last == state.complaint)
    _ = submit("", to: &state)
    #expect(state.unread == 0 && state.complaint == nil && state.notices == ["a", "b"])
  }

  // MARK: - Hosting

  @Test func `only a decision about the lock changes it, and whoever was decided about waits no more`() throws {
    let cy = Player(id: PlayerID(rawValue: 9), name: Evening.name("Cy"))
    var state = Self.host()
    for (rule, isLocked) in [
      (HostRule.lock(true), true), (.approve(false), true), (.lock(false), false), (.approve(true), false),
    ] {
      state.take(.rule(rule, nil), at: .zero)
      #expect(state.hosting?.isLocked == isLocked)
    }
    state.take(.asked(cy), at: .zero)
    #expect(state.hosting?.applicants == [cy] && state.others == [Evening.bob, Evening.lei, cy])
    #expect(state.press(.control("v")) == nil && state.press(.text("9")) == .decide(.ban(cy.id)))
    state.take(.rule(.refuse(cy.id), cy), at: .zero)
    #expect(state.hosting?.applicants == [])
  }

  @Test(arguments: [(Key.text("y"), true), (.text("Y"), true), (.text("n"), false), (.enter, false), (.escape, false)])
  func `one answer closes the room for the others`(key: Key, closes: Bool) {
    var state = Self.host()
    #expect(submit("quit", to: &state) == nil)
    #expect(state.hosting?.question == .close(2) && state.isAskedToLeave)
    #expect(state.press(key) == (closes ? .leave : nil))
    #expect(state.hosting?.question == nil && !state.isAskedToLeave && state.isLeaving == closes)
  }

  @Test func `after the end the keys of a host mean nothing else than those of others`() {
    var state = Self.host()
    state.take(.closed(.hostLeft), at: .zero)
    for key in [Key.control("x"), .control("v"), .control("o"), .text("w")] { #expect(state.press(key) == nil, "\(key)") }
    #expect(state.hosting == GameState.Hosting())
  }

  @Test func `whose program plays needs no line for phones and another match`() {
    var bot = Self.host(isBot: true)
    #expect(bot.press(.text("w")) == .letPhonesIn && bot.press(.text("a")) == nil)
    bot.take(.matchEnded, at: .zero)
    #expect(bot.press(.text("a")) == .decide(.again))
    var person = Self.host()
    person.take(.matchEnded, at: .zero)
    #expect(person.press(.text("a")) == nil && person.editor.text == "a")
    var guest = GameState(name: Evening.bob.name, title: "Ada's game", isBot: true)
    guest.take(.matchEnded, at: .zero)
    #expect(guest.press(.text("a")) == nil && guest.press(.text("w")) == nil)
  }

  @Test func `the addresses for phones come one after the other`() {
    var state = Self.host()
    state.web = ["http://a/", "http://b/"]
    #expect(state.press(.text("w")) == .letPhonesIn)
    #expect(state.shownAddress?.address == "http://a/" && state.shownAddress?.place.number == 1)
    #expect(state.press(.text("w")) == nil && state.shownAddress?.place.number == 2)
    #expect(state.shownAddress?.place.count == 2)
    #expect(state.press(.text("w")) == nil && state.hosting?.phones == nil)
    // Esc is for the line while no address is shown.
    state.editor.replace(with: "8")
    #expect(state.press(.escape) == nil && state.editor.text == "" && state.hosting?.phones == nil)
  }

  // MARK: - Keys

  @Test(arguments: [Key.text("q"), .text("Q"), .control("d"), .enter, .text(" "), .text("x"), .escape])
  func `keys lead out for those who cannot write`(key: Key) {
    let always: Set<Key> = [.text("q"), .text("Q"), .control("d")]
    var spectator = GameState(name: Evening.bob.name, title: "Ada's game")
    spectator.take(.open(room: RoomID(), player: nil, rules: Evening.rules), at: .zero)
    #expect(spectator.press(key) == (always.contains(key) ? .leave : nil))
    #expect(spectator.isLeaving == always.contains(key))
    var closed = Evening.secondRound()
    closed.take(.closed(.hostLeft), at: .zero)
    let wish = closed.press(key)
    #expect(wish == (always.contains(key) || key == .enter || key == .text(" ") ? .leave : nil))
    // Nobody is left whose seat could be given up.
    #expect(!closed.isLeaving)
  }

  @Test func `help leads back to the round, to its result, or to nothing yet`() {
    for (count, panel) in [(2, GameState.Panel.tries), (3, .tries), (5, .table), (9, .tries)] {
      var state = Evening.secondRound(upTo: count)
      state.panel = .codes
      #expect(state.press(.text("?")) == nil && state.panel == .help)
      #expect(state.press(.text("?")) == nil && state.panel == panel, "\(count)")
      state.panel = .hosting
      #expect(state.press(.escape) == nil && state.panel == panel, "\(count)")
      state.panel = .codes
      #expect(state.press(.escape) == nil && state.panel == .codes)
      #expect(submit("standings", to: &state) == nil && state.panel == panel)
    }
  }

  @Test func `a player is there to the end, and a host who was alone has nothing to see`() {
    for (isHost, isLeaving, isAlone, hasTable, isOver) in [
      (false, false, false, true, false), (false, true, false, true, true), (true, true, false, true, false),
      (true, true, true, true, true), (true, false, true, true, false), (true, false, false, false, true),
    ] {
      var state = Self.host()
      if !isHost { state.hosting = nil }
      if hasTable { state.take(.roundEnded(Evening.firstResult), at: .zero) }
      if isAlone { state.standings = [Evening.standing(Evening.ada, .gaveUp, 0)] }
      state.isLeaving = isLeaving
      #expect(!state.isOver)
      state.take(.closed(.hostLeft), at: .zero)
      #expect(state.isOver == isOver, "\(isHost) \(isLeaving) \(isAlone) \(hasTable)")
    }
  }

  @Test func `the time of a round is told as it is left`() {
    var state = Evening.secondRound()
    for (now, text) in [(222, "0 s left"), (221, "1 s left"), (122, "100 s left")] {
      state.editor.replace(with: "time")
      #expect(state.press(.enter, at: .seconds(now)) == nil && state.notices.last == text)
    }
    state.take(.roundEnded(Evening.firstResult), at: .seconds(222))
    #expect(submit("time", to: &state) == nil && state.notices.last == "No round is running.")
  }
}
