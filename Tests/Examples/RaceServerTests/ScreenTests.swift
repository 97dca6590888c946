import FramedTransport
import Race
import Testing

@testable import race_client

/// What a client shows of a race, to people and to programs.
struct ScreenTests {
  private static let view = MatchView(
    courseLength: 100, topSpeed: 100, own: 1,
    racers: [
      MatchView.Racer(alias: "Ada\u{7}", position: 50, presence: .away), MatchView.Racer(alias: "Bob", position: 100, place: 1),
      MatchView.Racer(alias: "Cleo"),
    ])

  private func bar(_ done: Int) -> String {
    "[" + String(repeating: "=", count: done) + String(repeating: " ", count: 40 - done) + "]"
  }

  @Test func `people read names and bars of the match that was shown last`() {
    let screen = RaceScreen(json: false)
    // Without a match there is no name.
    #expect(screen.lines(for: .arrived(racer: 0, place: 2)) == ["racer 0 arrived, place 2."])
    #expect(screen.lines(for: .moved(racer: 0, position: 1)) == ["  \(bar(40)) racer 0"])
    #expect(
      screen.lines(for: .match(Self.view, continued: false)) == [
        "The race begins over 100:", "  \(bar(20)) Ada\\u{7}", "  arrived as number 1: Bob (you)", "  \(bar(0)) Cleo",
      ])
    #expect(screen.lines(for: .match(Self.view, continued: true)).first == "You are back in the race over 100:")
    for (event, line) in [
      (ClientEvent.state(.pendingMatch), "* waiting for players"), (.waiting(missing: 2), "2 more players needed."),
      (.waiting(missing: 0), "There are enough players; the race starts soon."),
      (.moved(racer: 2, position: 1), "  \(bar(0)) Cleo"), (.moved(racer: 2, position: 25), "  \(bar(10)) Cleo"),
      (.moved(racer: 1, position: 100), "  \(bar(40)) Bob (you)"), (.arrived(racer: 2, place: 2), "Cleo arrived, place 2."),
      (.presence(racer: 0, .left), "Ada\\u{7} is left."), (.arrived(racer: 3, place: 3), "racer 3 arrived, place 3."),
      (.ended(.refused(Refusal(.full, "no \u{7}"))), "* The server ended the connection: no \\u{7}."),
    ] {
      #expect(screen.lines(for: event) == [line])
    }
    #expect(
      screen.lines(for: .over(ranking: [1, 2, 0])) == ["The race is over:", "  1. Bob (you)", "  2. Cleo", "  3. Ada\\u{7}"])
  }

  @Test(arguments: [
    (ClientEvent.state(.connecting), #"{"event":"state","state":"connecting"}"#),
    (.waiting(missing: 2), #"{"event":"waiting","missing":2}"#),
    (
      .match(view, continued: true),
      #"{"continued":true,"course":100,"event":"match","own":1,"racers":["#
        + #"{"alias":"Ada\u0007","position":50,"presence":"away"},{"alias":"Bob","place":1,"position":100,"presence":"here"},"#
        + #"{"alias":"Cleo","position":0,"presence":"here"}]}"#
    ),
    (.moved(racer: 2, position: 7), #"{"event":"moved","position":7,"racer":2}"#),
    (.arrived(racer: 2, place: 1), #"{"event":"arrived","place":1,"racer":2}"#),
    (.presence(racer: 2, .left), #"{"event":"presence","presence":"left","racer":2}"#),
    (.over(ranking: [1, 0, 2]), #"{"event":"over","ranking":[1,0,2]}"#),
    (
      .ended(.refused(Refusal(.full, "no"))),
      #"{"event":"ended","reason":"full","text":"The server ended the connection: no."}"#
    ),
  ])
  func `programs read one object for each event`(_ event: ClientEvent, _ line: String) {
    #expect(RaceScreen(json: true).lines(for: event) == [line])
  }

  @Test func `people read whole seconds up to the next attempt, and programs milliseconds`() {
    let screens = [false, true].map { RaceScreen(json: $0) }
    #expect(
      screens.map { $0.line(forReconnectingIn: .microseconds(1_234_600)) } == [
        "* There is no connection; the next attempt is in 2 s.", #"{"event":"reconnecting","seconds":1.235}"#,
      ])
  }
}
