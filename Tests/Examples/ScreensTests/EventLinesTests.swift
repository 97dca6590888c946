import Rooms
import Testing
import TwentyFour

@testable import Screens

/// The events of a room in lines, for a pipe or a screen reader.
struct EventLinesTests {
  private static let (ada, bob, lei) = (Evening.ada, Evening.bob, Evening.lei)
  private static let opened = RoomEvent.open(room: RoomID(), player: bob, rules: Evening.rules)

  /// Bob's lines, after the room was opened.
  private func begun(isHost: Bool = false, isNumbered: Bool = false) -> EventLines {
    var lines = EventLines(own: Self.bob.name, isHost: isHost, isNumbered: isNumbered)
    _ = lines.lines(for: Self.opened, at: nil)
    return lines
  }

  @Test func `a player is welcomed, and told when the seat was not kept`() {
    var place = RoomPlace(name: "Ada's game", port: 4242)
    var lines = EventLines(own: Self.bob.name, isHost: false)
    let welcome = [Phrases.welcome(Self.bob.name, at: place), Phrases.help(isPractice: false)]
    #expect(lines.lines(for: Self.opened, at: place) == welcome)
    #expect(lines.lines(for: Self.opened, at: place) == [welcome[0], "* \(Phrases.seatNotKept)", welcome[1]])
    // A host is also told what lets others in, and how to decide about them.
    place.passcode = "k7f3x2"
    place.web = ["http://10.0.0.5:4243/", "http://10.0.0.6:4243/"]
    lines = EventLines(own: Self.bob.name, isHost: true, isNumbered: true)
    let admission = [Phrases.passcodeIs("k7f3x2"), Phrases.webAddress("http://10.0.0.5:4243/")]
    #expect(
      lines.lines(for: Self.opened, at: place)
        == [Phrases.welcome(Self.bob.name, at: place)] + admission + [Phrases.help(isPractice: false), Phrases.helpToHost])
    // One that does not play, and a spectator.
    let unplayed = RoomEvent.open(room: RoomID(), player: nil, rules: Evening.rules)
    #expect(lines.lines(for: unplayed, at: place) == [Phrases.welcome(Self.bob.name, at: place)] + admission)
    lines = EventLines(own: Self.bob.name, isHost: false)
    #expect(lines.lines(for: unplayed, at: place) == [Phrases.lookingOn(at: place), Phrases.helpToSpectate])
    lines = EventLines(own: Self.bob.name, isHost: true, isPractice: true)
    #expect(lines.lines(for: Self.opened, at: nil) == [Phrases.practising(Self.bob.name), Phrases.help(isPractice: true)])
  }

  @Test func `how many are missing is told when it changes, and a lone host how others join`() {
    var lines = begun()
    #expect(lines.lines(for: .missing(2), at: nil) == ["* \(Phrases.missing(2))"])
    #expect(lines.lines(for: .missing(2), at: nil).isEmpty)
    #expect(lines.lines(for: .missing(1), at: nil) == ["* \(Phrases.missing(1))"])
    #expect(lines.lines(for: .missing(0), at: nil).isEmpty)
    lines = begun(isHost: true)
    #expect(
      lines.lines(for: .missing(1), at: nil) == ["* \(Phrases.howToJoinInLines)", "* \(Phrases.waitingForCompany)"])
    #expect(lines.lines(for: .missing(1), at: nil).isEmpty)
    _ = lines.lines(for: .round(Match.Deal(number: 1, hand: Evening.hand, remaining: .seconds(100))), at: nil)
    #expect(lines.lines(for: .missing(2), at: nil) == ["* \(Phrases.missing(2))"])
  }

  @Test func `a table marks this player, and numbers all for the host`() {
    var lines = begun()
    let standings = [Evening.standing(Self.ada, .guessing, 5), Evening.standing(Self.bob, .guessing, 0)]
    #expect(
      lines.lines(for: .standings(standings), at: nil)
        == ["    \(Phrases.standing(standings[0]))", "  > \(Phrases.standing(standings[1]))"])
    lines = begun(isHost: true, isNumbered: true)
    #expect(
      lines.lines(for: .standings(standings), at: nil)
        == ["    \(Self.ada.id) \(Phrases.standing(standings[0]))", "  > \(Self.bob.id) \(Phrases.standing(standings[1]))"])
  }

  @Test func `whoever has won is told once after a round`() {
    let result = Evening.firstResult
    let winners = [result.standings[0]]
    var lines = begun()
    let ended = lines.lines(for: .roundEnded(result), at: nil)
    #expect(ended.first == Phrases.ending(result) && ended.last == Phrases.next(.seconds(10)) && ended.count == 5)
    let outcome = "* \(Phrases.outcome(winners, of: 3, me: Self.bob.id))"
    #expect(
      lines.lines(for: .matchEnded, at: nil) == ["* \(Phrases.matchIsOver)", outcome, "* \(Phrases.hostMayPlayAgain)"])
    #expect(lines.lines(for: .matchEnded, at: nil) == ["* \(Phrases.matchIsOver)", "* \(Phrases.hostMayPlayAgain)"])
    let reason = RoomReason(.hostLeft, "the host has closed the room")
    #expect(lines.lines(for: .closed(reason), at: nil) == ["* \(Phrases.reason(reason))"])

    lines = begun(isHost: true)
    _ = lines.lines(for: .roundEnded(result), at: nil)
    #expect(lines.lines(for: .closed(reason), at: nil) == [outcome, "* \(Phrases.youClosed)"])
    _ = lines.lines(for: .roundEnded(result), at: nil)
    #expect(lines.lines(for: .matchEnded, at: nil).last == "* \(Phrases.playAgain)")
  }

  @Test func `each other event has a line of its own`() {
    let held = RoomReason(.held, "wait")
    let wrong = RoomReason(.finished, "this is 23")
    let table: [(RoomEvent, [String])] = [
      (.joined(Self.ada), ["* \(Phrases.came(Self.ada))"]), (.left(Self.ada), ["* \(Phrases.went(Self.ada))"]),
      (.away(Self.ada), ["* \(Phrases.isAway(Self.ada))"]), (.back(Self.ada), ["* \(Phrases.isBack(Self.ada))"]),
      (.spectators(2), ["* \(Phrases.spectators(2))"]), (.resumed, ["* \(Phrases.resumed)"]),
      (.answer(Self.bob, time: .seconds(3)), ["* \(Phrases.solved(Self.bob, isMe: true, .seconds(3)))"]),
      (.answer(Self.lei, time: .seconds(3)), ["* \(Phrases.solved(Self.lei, isMe: false, .seconds(3)))"]),
      (.refused(held), ["* \(Phrases.reason(held))"]), (.refused(wrong), ["  No: \(Phrases.reason(wrong))"]),
      (.hint(.lastOperation(.over), cost: 2), ["  \(Phrases.hint(.lastOperation(.over), cost: 2))"]),
      (.matchBegan(number: 2), ["", "* \(Phrases.matchBegan)"]),
      (
        .reconnecting(attempt: 2, in: .seconds(4)), ["* \(Phrases.reconnecting(attempt: 2, in: .seconds(4)))"]
      ), (.asked(Self.ada), ["* \(Phrases.asked(Self.ada))"]),
      (.guess(from: "10.0.0.9", remaining: 3), ["* \(Phrases.guessed(from: "10.0.0.9", remaining: 3))"]),
      (.passcode("k7f3x2"), ["* \(Phrases.passcodeIs("k7f3x2"))"]), (.passcode(nil), ["* \(Phrases.passcodeUsedUp)"]),
      (.web([]), []), (.web(["http://a/", "http://b/"]), ["* \(Phrases.webAddress("http://a/"))"]),
      (.waiting(.seconds(60)), ["* \(Phrases.waitingForHost(.seconds(60)))"]),
    ]
    var lines = begun()
    for (event, expected) in table { #expect(lines.lines(for: event, at: nil) == expected, "\(event)") }
  }

  @Test func `questions about the room are answered from what its events have told`() {
    let company = Company(Self.bob.name, isHost: false)
    func answer(_ command: PlayerCommand) -> [String] { EventLines.answer(to: command, company, isNumbered: false) }
    #expect(answer(.time) == ["  \(Phrases.noRound)"])
    #expect(answer(.codes) == ["  \(Phrases.noCodes)"])
    #expect(answer(.standings).isEmpty)
    company.see(Self.opened)
    company.see(.standings(Evening.beginning))
    #expect(answer(.standings).count == 3)
    #expect(answer(.standings).filter { $0.hasPrefix("  > ") } == ["  > \(Phrases.standing(Evening.beginning[1]))"])
    #expect(company.others == 2 && company.timeLeft == nil)
    company.see(.round(Match.Deal(number: 1, hand: Evening.hand, remaining: .seconds(100))))
    #expect(answer(.time).count == 1 && answer(.time) != ["  \(Phrases.noRound)"])
    for command in [PlayerCommand.none, .help, .table, .tries, .quit, .act(.hint), .unknown("x")] {
      #expect(answer(command).isEmpty, "\(command)")
    }
  }

  @Test func `Ctrl-C asks a host once whether to close the room for others`() {
    let host = Company(Self.ada.name, isHost: true)
    // Nobody else is there.
    #expect(!host.takesInterrupt())
    host.see(.open(room: RoomID(), player: Self.ada, rules: Evening.rules))
    host.see(.standings(Evening.beginning))
    #expect(host.takesInterrupt() && host.isAsking)
    #expect(!host.takesInterrupt())
    host.isAsking = false
    #expect(host.takesInterrupt())
    host.isAsking = false
    host.see(.closed(RoomReason(.hostLeft, "closed")))
    #expect(!host.takesInterrupt())
    let player = Company(Self.bob.name, isHost: false)
    player.see(.standings(Evening.beginning))
    #expect(!player.takesInterrupt())
  }
}
