import FramedSecurity
import Rooms
import Testing
import TwentyFour
import _BonjourishDiscovery

@testable import Screens

/// Sentences of the game.
struct PhrasesTests {
  private static let (ada, bob) = (Evening.ada, Evening.bob)

  @Test(arguments: [
    (HostRule.kick(bob.id), "You removed 3 Bob."),
    (.ban(bob.id), "You banned 3 Bob, and everyone else at that address or with that key. To take that back: unban 3."),
    (.unban(bob.id), "You took the ban of 3 Bob back."), (.lock(true), "The room is locked: nobody new comes in."),
    (.lock(false), "The room is open to everyone again."), (.approve(true), "New players wait until you admit them."),
    (.approve(false), "New players come in at once again."), (.admit(bob.id), "You admitted 3 Bob."),
    (.refuse(bob.id), "You refused 3 Bob."), (.reopen, "People who know the passcode can come in again."),
    (.start, "You begin."),
    (.next, "You ended the round."), (.end, "You ended the match."), (.again, "You begin another match."),
  ]) func `each decision of a host is told`(rule: HostRule, sentence: String) {
    #expect(Phrases.decided(rule, Self.bob) == sentence)
    // Of a player who is gone, the number is known.
    #expect(Phrases.decided(rule, nil) == sentence.replacing("3 Bob", with: "3"))
  }

  @Test(arguments: [
    (0, "0", "0.00 s"), (4, "0", "0.00 s"), (5, "0.01", "0.01 s"), (1_000, "1", "1.00 s"), (12_340, "12.34", "12.34 s"),
    (60_050, "60.05", "60.05 s"), (99_996, "100", "100.00 s"),
  ]) func `times have two decimals`(milliseconds: Int, short: String, long: String) {
    #expect(Phrases.seconds(.milliseconds(milliseconds)) == short && Phrases.time(.milliseconds(milliseconds)) == long)
  }

  @Test(arguments: [
    (-1, "0 s"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h"), (86_399, "23 h"), (86_400, "1 d"),
    (200_000, "2 d"),
  ]) func `a long time is told in its largest unit`(seconds: Int, text: String) {
    #expect(Phrases.roughly(.seconds(seconds)) == text)
  }

  @Test(arguments: [(-1, 0), (0, 0), (1, 1), (1_000, 1), (1_001, 2), (99_999, 100)]) func `the time that is left is rounded up`(
    milliseconds: Int, seconds: Int
  ) {
    #expect(Phrases.timeLeft(.milliseconds(milliseconds)) == "\(seconds) s left")
    #expect(Phrases.secondsLeft(.milliseconds(milliseconds)) == "\(seconds) s")
  }

  @Test func `each status has its words, long and short`() {
    let all: [(Standing.Status, String, String)] = [
      (.solved(.milliseconds(9_340)), "9.34 seconds", "9.34 s"), (.guessing, "guessing", "guessing"),
      (.joinedAndGuessing, "joined mid-round, guessing", "joined, guessing"), (.waiting, "just joined, waiting", "waiting"),
      (.gaveUp, "gave up", "gave up"), (.outOfTime, "out of time", "out of time"),
    ]
    for (status, long, short) in all {
      #expect(Phrases.standing(Evening.standing(Self.bob, status, 1)) == "Bob: \(long), 1 point")
      #expect(Phrases.shortStatus(Evening.standing(Self.bob, status, 1)) == short)
    }
    let away = Evening.standing(Self.bob, .guessing, 2, isAway: true)
    #expect(Phrases.standing(away) == "Bob: away, 2 points" && Phrases.shortStatus(away) == "away")
  }

  @Test func `hints are told in sentences, and in few words`() throws {
    let third = Hint.lastStep(Rational(8), .over, try Rational(1, over: 3))
    let hints: [(Hint, String, String)] = [
      (.lastOperation(.plus), "The last thing to do is to add.", "at last, add"),
      (.lastOperation(.minus), "The last thing to do is to subtract.", "at last, subtract"),
      (.lastOperation(.times), "The last thing to do is to multiply.", "at last, multiply"),
      (.lastOperation(.over), "The last thing to do is to divide.", "at last, divide"),
      (.firstStep(try Expression("8/3")), "Begin with 8/3.", "begin with 8/3"),
    ]
    for (hint, sentence, words) in hints { #expect(Phrases.hint(hint) == sentence && Phrases.shortHint(hint) == words) }
    #expect(Phrases.shortHint(third) == "end with 8 / (1/3)")
    #expect(Phrases.hint(third, cost: 1).hasPrefix("Hint 3, for 1 point: The last step is 8 "))
    #expect(
      Phrases.hints([.lastOperation(.over), .firstStep(try Expression("8/3"))], cost: 4)
        == "Hints (-4): at last, divide; begin with 8/3")
    #expect(Phrases.shortHint(.lastOperation(.over), cost: 2) == "Hint 1 (-2): at last, divide")
  }

  @Test(arguments: [
    (RoomReason.Code.finished, "All rounds have been played."), (.hostLeft, "The host closed the room."),
    (.left, "You left the room."), (.lost, "The connection to the room broke."),
    (.noSuchRound, "This round is not running; wait for the next one."),
    (.waiting, "You came too late for this round; you play in the next one."),
    (.alreadySolved, "You have solved this round already."), (.gaveUp, "You gave up in this round; you play in the next one."),
    (.divisionByZero, "That divides by zero."), (.kicked, "as the room \\u{1B} says"),
  ]) func `reasons are told in this program's words, or safely in the room's`(code: RoomReason.Code, sentence: String) {
    #expect(Phrases.reason(RoomReason(code, "as the room \u{1B} says")) == sentence)
  }

  @Test func `who sits between is told to those who can compare`() {
    #expect(Phrases.identified(nil, nil, "123 456") == "Nobody sits between if the host sees the same code: 123 456.")
    #expect(Phrases.identified(Self.bob, nil, "123 456") == "Bob sees the code 123 456, if nobody sits between.")
    #expect(Phrases.identified(Self.bob, nil, nil) == nil && Phrases.identified(nil, nil, nil) == nil)
    #expect(
      Phrases.code("1", of: Self.bob, isNumbered: true) == "1: 3 Bob"
        && Phrases.code("1", of: Self.bob, isNumbered: false) == "1: Bob")
  }

  @Test func `a passcode of six digits is told in two groups`() {
    #expect(
      Phrases.passcode("123456") == "123 456" && Phrases.passcode("12345") == "12345" && Phrases.passcode("abcdef") == "abcdef")
    #expect(Phrases.titled("A", passcode: "123456") == "A, passcode 123 456" && Phrases.titled("A", passcode: nil) == "A")
  }

  @Test func `numbers decide the form of words`() {
    #expect((0...2).map(Phrases.spectators) == ["Nobody watches.", "One person watches.", "2 people watch."])
    #expect(Phrases.closeQuestion(1) == "Close the room for 1 player? y/n")
    #expect(Phrases.missing(1) == "One more player is needed to begin.")
    #expect(Phrases.youGaveUp(alone: false) == "You gave up; the others go on.")
    #expect(Phrases.moreRooms(above: 0, below: 2) == "2 more below" && Phrases.moreRooms(above: 1, below: 0) == "1 more above")
    #expect(Phrases.noSuchRoom("x", of: (1...8).map { "R\($0)" }).hasSuffix("R7; R8"))
  }

  @Test(arguments: [
    ("y", true), (" YES ", true), ("y e s", true), ("n", false), ("", false), ("yes please", false),
  ]) func `yes has two forms`(text: String, isYes: Bool) {
    #expect(Phrases.isYes(text) == isYes)
  }

  @Test(arguments: [
    (20, "There is no command aaaaaaaaaaaaaaaaaaaa; ? shows all."),
    (21, "There is no command aaaaaaaaaaaaaaaaaaaa..; ? shows all."),
  ]) func `a long word is cut`(count: Int, sentence: String) {
    #expect(Phrases.noSuchCommand(String(repeating: "a", count: count), "") == sentence)
  }

  @Test func `a room in a line tells all that matters`() {
    let room = Evening.room(
      "Ada's game", players: 2, max: 8, state: .waiting, time: .double, lock: .passcode, interfaces: ["eth0"])
    #expect(
      Phrases.line(room, named: "Ada's game")
        == "Ada's game   2 of 8 players, waiting, twice the time, asks for a passcode   h1.local:4242")
    let far = Evening.room("B", time: .unlimited, lock: .none, interfaces: ["directory:eu-west"])
    #expect(
      Phrases.line(far, named: "B")
        == "B   3 of 16 players, playing, no time limit, NOT ENCRYPTED, in the directory's region eu-west   h1.local:4242")
    #expect(
      Phrases.line(Evening.room("C", time: .half), named: "C")
        == "C   3 of 16 players, playing, 1.5 times the time   h1.local:4242")
  }

  @Test func `a room that got another name is told why`() {
    #expect(Phrases.renamed("Ada's game #2").hasSuffix("another host uses its name"))
    #expect(Phrases.renamed("Ada's game #x7f3").hasSuffix("somebody claims every other name that was tried"))
    #expect(Phrases.renamed("Other").hasSuffix("somebody claims every other name that was tried"))
  }

  @Test func `a player on a phone is marked, where there is room with a word`() {
    var standing = Evening.standing(Self.bob, .guessing, 0)
    #expect(Phrases.name(standing) == "Bob")
    standing.isOnPhone = true
    #expect(Phrases.name(standing, columns: 11) == "Bob (phone)" && Phrases.name(standing, columns: 10) == "Bob*")
  }

  @Test func `the fastest is named, and the winners in the order of their wins`() {
    let standings = [
      Evening.standing(Self.ada, .gaveUp, 0, best: .seconds(20)), Evening.standing(Self.bob, .gaveUp, 0, best: .seconds(12)),
    ]
    #expect(Phrases.bestTime(standings, me: Self.ada.id) == "The fastest solution was Bob's, after 12.00 s.")
    #expect(Phrases.bestTime(standings, me: Self.bob.id) == "The fastest solution was yours, after 12.00 s.")
    #expect(Phrases.bestTime([Evening.standing(Self.ada, .gaveUp, 0)], me: nil) == nil)
    #expect(Phrases.wins([Self.bob: 1, Self.ada: 1, Evening.lei: 2]) == "Matches won: 李雷 2, Ada 1, Bob 1")
  }

  @Test func `of many winners the number is told`() {
    let players = (1...4).map { Player(id: PlayerID(rawValue: $0), name: Evening.name("P\($0)")) }
    let winners = players.map { Evening.standing($0, .gaveUp, 5) }
    #expect(Phrases.outcome(winners, of: 4, me: nil) == "4 players win with 5 points each.")
    #expect(Phrases.outcome(Array(winners.prefix(3)), of: 4, me: nil) == "P1, P2 and P3 win with 5 points each.")
    #expect(Phrases.outcome([winners[0]], of: 1, me: nil) == "P1 has 5 points.")
  }
}
