import TestSupport
import Testing
import _BonjourishBase

@testable import Race

struct ClientMachineTests {
  private let ada = try! RacePlayer(id: "a1", alias: "Ada")

  /// A client with a manual clock.
  private struct Client {
    var machine: ClientMachine
    var generator = SeededGenerator(seed: 1)
    var now = Duration.zero

    init(continues: Bool = false) { machine = ClientMachine(range: .any, continues: continues) }

    mutating func handle(_ event: ClientMachine.Event) -> [ClientMachine.Effect] {
      machine.handle(event, at: now, using: &generator)
    }

    mutating func hear(_ message: ServerMessage) -> [ClientMachine.Effect] { handle(.received(message)) }
  }

  private func connected(continues: Bool = false) -> Client {
    var client = Client(continues: continues)
    for event in [ClientMachine.Event.start, .authenticated(ada), .connected] { _ = client.handle(event) }
    return client
  }

  private func racing() -> Client {
    var client = connected()
    _ = client.hear(.notInMatch)
    _ = client.hear(.match(MessageTests.view))
    return client
  }

  /// A client whose own racer is under way, while that of ``racing()`` has arrived.
  private func running() -> Client {
    var client = connected(continues: true)
    let racers = [MatchView.Racer(alias: "Ada"), MatchView.Racer(alias: "Bob")]
    _ = client.hear(.match(MatchView(courseLength: 60, topSpeed: 100, own: 0, racers: racers)))
    return client
  }

  private func states(_ states: ClientState...) -> [ClientMachine.Effect] { states.map { .report(.state($0)) } }

  @Test func `a client passes all states on its way into a match`() {
    var client = Client()
    #expect(client.machine.state == .notAvailable)
    #expect(client.handle(.start) == states(.pendingAuthentication) + [.authenticate])
    #expect(client.handle(.authenticated(ada)) == states(.authenticated, .connecting))
    #expect(
      client.handle(.connected) == states(.connected) + [.send(.playerConnected(ada, continuesMatch: false))]
        + states(.pendingMatchStatus))
    #expect(
      client.hear(.notInMatch) == states(.receivedMatchStatus) + [.send(.matchWanted(.any))] + states(.pendingMatch))
    #expect(client.hear(.waiting(missing: 3)) == [.report(.waiting(missing: 3))])
    #expect(client.hear(.waiting(missing: 0)) == states(.pendingMatchStart) + [.report(.waiting(missing: 0))])
    #expect(client.hear(.waiting(missing: 1)) == states(.pendingMatch) + [.report(.waiting(missing: 1))])
    #expect(client.hear(.waiting(missing: 0)) == states(.pendingMatchStart) + [.report(.waiting(missing: 0))])
    #expect(
      client.hear(.match(MessageTests.view)) == [.report(.match(MessageTests.view, continued: false))] + states(.matchActive))
    #expect(
      client.hear(.over(ranking: [1, 0])) == [.report(.over(ranking: [1, 0]))] + states(.receivedMatchStatus, .notAvailable)
        + [.report(.ended(.finished)), .end])
    #expect(client.hear(.notInMatch) == [] && client.handle(.disconnected) == [] && client.machine.nextDeadline == nil)
  }

  @Test func `a match is continued`() {
    var client = connected(continues: true)
    #expect(
      client.hear(.match(MessageTests.view)) == states(.receivedMatchStatus)
        + [.report(.match(MessageTests.view, continued: true))] + states(.matchActive))
  }

  @Test func `a connection that was lost leads back into the match`() {
    var client = racing()
    #expect(client.handle(.disconnected) == states(.connecting))
    #expect(client.machine.nextDeadline == nil)
    #expect(client.handle(.connected).contains(.send(.playerConnected(ada, continuesMatch: true))))
    // The match is over meanwhile: another one.
    #expect(client.hear(.notInMatch).last == .report(.state(.pendingMatch)))
    // A player who was not in a match yet has none to continue.
    var waiting = connected()
    _ = waiting.hear(.notInMatch)
    _ = waiting.handle(.disconnected)
    #expect(waiting.handle(.connected).contains(.send(.playerConnected(ada, continuesMatch: false))))
  }

  @Test func `the racer runs by chance, no faster than it can, and stops at the finish`() throws {
    let view = MatchView(
      courseLength: 60, topSpeed: 100, own: 0, racers: [MatchView.Racer(alias: "Ada"), MatchView.Racer(alias: "Bob")])
    var client = connected()
    _ = client.hear(.notInMatch)
    _ = client.hear(.match(view))
    var position: Int32 = 0
    while let deadline = client.machine.nextDeadline {
      #expect(deadline == client.now + .milliseconds(250))
      #expect(client.handle(.timePassed) == [])
      client.now = deadline
      let effects = client.handle(.timePassed)
      guard case .send(.position(let next)) = effects.first else {
        Issue.record("no position: \(effects)")
        return
      }
      #expect((position + 1...min(60, position + 25)).contains(next))
      #expect(effects.last == .report(.moved(racer: 0, position: Int(next))))
      position = next
    }
    #expect(position == 60)
    #expect(client.hear(.arrived(racer: 0, place: 1)) == [.report(.arrived(racer: 0, place: 1))])
    // The same seed runs the same way.
    var (one, same) = (running(), running())
    (one.now, same.now) = (.seconds(1), .seconds(1))
    let step = one.handle(.timePassed)
    #expect(step.count == 2 && step == same.handle(.timePassed))
    // A step that comes late is followed by no faster one.
    #expect(one.machine.nextDeadline == .seconds(1) + ClientMachine.stepTime)
  }

  @Test(arguments: [
    ClientMachine.Event.disconnected, .stop, .violated(.notAFrame("x")), .received(.refused(Refusal(.replaced, "why"))),
    .received(.notInMatch), .received(.over(ranking: [1, 0])),
  ])
  func `a racer stops when its client has ended, or has lost the connection`(event: ClientMachine.Event) {
    var client = running()
    #expect(client.machine.nextDeadline == ClientMachine.stepTime)
    _ = client.handle(event)
    #expect(client.machine.nextDeadline == nil)
    client.now = .seconds(1)
    #expect(client.handle(.timePassed) == [])
  }

  @Test func `the slowest racer takes a step of one each time`() {
    let view = MatchView(courseLength: 100, topSpeed: 4, own: 0, racers: [MatchView.Racer(alias: "Ada")])
    var client = connected(continues: true)
    _ = client.hear(.match(view))
    for position: Int32 in 1...20 {
      client.now += ClientMachine.stepTime
      #expect(client.handle(.timePassed).first == .send(.position(position)))
    }
  }

  @Test func `one's own racer stops when the server says that it has arrived, and not when another has`() {
    let view = MatchView(
      courseLength: 60, topSpeed: 100, own: 0, racers: [MatchView.Racer(alias: "Ada"), MatchView.Racer(alias: "Bob")])
    var client = connected(continues: true)
    _ = client.hear(.match(view))
    _ = client.hear(.arrived(racer: 1, place: 1))
    #expect(client.machine.nextDeadline == ClientMachine.stepTime)
    _ = client.hear(.arrived(racer: 0, place: 2))
    #expect(client.machine.nextDeadline == nil)
  }

  @Test func `a racer that goes back breaks the protocol`() {
    var client = racing()
    #expect(client.hear(.moved(racer: 0, position: 300)) == [.report(.moved(racer: 0, position: 300))])
    #expect(client.hear(.moved(racer: 0, position: 300)) == [.report(.moved(racer: 0, position: 300))])
    #expect(
      client.hear(.moved(racer: 0, position: 299))[1]
        == .report(.ended(.violated(.impossible("a position or a place of racer 0")))))
  }

  @Test func `one's own racer that has arrived does not run on after a break`() {
    let view = MatchView(
      courseLength: 60, topSpeed: 100, own: 0,
      racers: [MatchView.Racer(alias: "Ada", position: 60, place: 1), MatchView.Racer(alias: "Bob")])
    var client = connected(continues: true)
    _ = client.hear(.match(view))
    #expect(client.machine.state == .matchActive && client.machine.nextDeadline == nil)
  }

  @Test func `the moves of the others are reported`() {
    var client = racing()
    for (message, event) in [
      (ServerMessage.moved(racer: 0, position: 300), ClientEvent.moved(racer: 0, position: 300)),
      (.presence(racer: 0, .here), .presence(racer: 0, .here)), (.arrived(racer: 0, place: 2), .arrived(racer: 0, place: 2)),
    ] {
      #expect(client.hear(message) == [.report(event)])
    }
  }

  @Test(arguments: [
    ServerMessage.moved(racer: 2, position: 300), .moved(racer: 255, position: 300), .moved(racer: 0, position: 257),
    .moved(racer: 0, position: 1001), .moved(racer: 0, position: .min), .arrived(racer: 0, place: 0),
    .arrived(racer: 0, place: 17), .over(ranking: [0]), .over(ranking: [0, 0]), .over(ranking: [0, 1, 2]), .notInMatch,
    .waiting(missing: 1), .match(MessageTests.view),
  ])
  func `a client leaves a server that breaks the protocol`(_ message: ServerMessage) {
    var client = racing()
    let effects = client.hear(message)
    #expect(effects.first == .report(.state(.notAvailable)) && effects.last == .end && effects.count == 3)
    guard case .report(.ended(.violated)) = effects[1] else {
      Issue.record("no violation: \(effects)")
      return
    }
  }

  @Test(arguments: [
    ServerMessage.moved(racer: 0, position: 1), .arrived(racer: 0, place: 1), .presence(racer: 0, .away), .over(ranking: []),
    .waiting(missing: 1), .match(MessageTests.view),
  ])
  func `nothing else may come before the match status`(_ message: ServerMessage) {
    var client = connected()
    #expect(client.hear(message)[1] == .report(.ended(.violated(.outOfOrder(.pendingMatchStatus)))))
  }

  @Test func `missing players are counted sensibly`() {
    for missing: Int32 in [-1, 17, .max] {
      var client = connected()
      _ = client.hear(.notInMatch)
      #expect(
        client.hear(.waiting(missing: missing))[1] == .report(.ended(.violated(.impossible("\(missing) missing players")))))
    }
  }

  @Test func `a refusal ends the client, but a server that closes may be started again`() {
    for reason in Refusal.Reason.allCases {
      var client = connected()
      let refusal = Refusal(reason, "why")
      let effects = client.hear(.refused(refusal))
      #expect(effects == (reason == .closing ? [] : states(.notAvailable) + [.report(.ended(.refused(refusal))), .end]))
    }
  }

  @Test func `a client without a player does not connect, and one that stops has ended`() {
    var nobody = Client()
    _ = nobody.handle(.start)
    #expect(nobody.handle(.notAuthenticated(.id)) == states(.notAvailable) + [.report(.ended(.notAuthenticated(.id))), .end])
    var client = racing()
    #expect(client.handle(.stop) == states(.notAvailable) + [.report(.ended(.stopped)), .end])
    #expect(client.handle(.stop) == [] && client.machine.nextDeadline == nil)
    var broken = racing()
    #expect(broken.handle(.violated(.notAFrame("x")))[1] == .report(.ended(.violated(.notAFrame("x")))))
  }
}
