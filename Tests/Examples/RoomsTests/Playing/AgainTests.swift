import Foundation
import Testing
import TwentyFour

@testable import Rooms

/// A room that stays open after the last round of a match.
struct AgainTests {
  private let bob = ConnectionID(rawValue: 7)
  private let cy = ConnectionID(rawValue: 8)
  private let dee = ConnectionID(rawValue: 9)

  private func room(_ rules: Match.Rules = Match.Rules(rounds: 1)) throws -> TestRoom {
    var room = try TestRoom(rules)
    room.machine.staysOpen = true
    room.handle(.open)
    room.enter(bob, "Bob")
    return room
  }

  private func decide(_ rule: HostRule, in room: inout TestRoom) -> [HostEffect] { room.handle(.command(.rule(rule))) }

  /// Plays the running round: Bob solves it.
  @discardableResult
  private func play(_ room: inout TestRoom) throws -> [HostEffect] {
    let hand = try #require(room.machine.match.deal(at: room.now)).hand
    let solution = try #require(Solver.firstSolution(of: hand)).description
    room.receive(.act(round: room.machine.match.roundNumber, .answer(solution)), from: bob)
    return room.act(.giveUp)
  }

  @Test func `after the last round everyone is told, and everyone stays`() throws {
    var room = try room()
    let told = try play(&room)
    #expect(told.told(bob).last == .matchEnded && told.events.last == .matchEnded)
    #expect(room.machine.isOpen && room.machine.match.standings.first?.points == 20)
    // Whoever comes now, to play or to watch, knows why no round begins.
    #expect(room.enter(cy, "Cy").told(cy).contains(.matchEnded))
    room.handle(.connected(dee))
    #expect(room.receive(.hello(.init(name: "Dee", spectates: true)), from: dee).told(dee).contains(.matchEnded))
  }

  @Test func `the host begins another match, in which everyone has no points`() throws {
    var room = try room()
    try play(&room)
    let begun = decide(.again, in: &room)
    #expect(begun.events.first == .rule(.again, nil))
    #expect(begun.told(bob).first == .matchBegan(number: 2))
    let points = begun.told(bob).compactMap { event -> [Int]? in
      if case .standings(let standings) = event { standings.map(\.points) } else { nil }
    }
    #expect(points == [[0, 0]])
    #expect(room.passTime(.seconds(10)).hand != nil && room.machine.match.roundNumber == 1)
    #expect(try play(&room).told(bob).last == .matchEnded)
    #expect(decide(.again, in: &room).told(bob).first == .matchBegan(number: 3))
    // Nothing but the host's leaving closes the room.
    #expect(room.handle(.close(because: .hostLeft)).told(bob).last == .closed(.hostLeft))
  }

  @Test func `a match is ended and begun again only where that means something`() throws {
    var room = try room(Match.Rules(gathering: .seconds(10)))
    #expect(decide(.end, in: &room).events == [.refused(.notBegun)])
    #expect(decide(.again, in: &room).events == [.refused(.notOver)])
    room.passTime(.seconds(10))
    #expect(decide(.again, in: &room).events == [.refused(.notOver)])
    let ended = decide(.end, in: &room)
    guard case .roundEnded(let result)? = ended.told(bob).first else {
      Issue.record("the round goes on: \(ended)")
      return
    }
    #expect(result.pause == nil && ended.told(bob).last == .matchEnded && ended.events.first == .rule(.end, nil))
    #expect(decide(.end, in: &room).events == [.refused(.notBegun)])
  }

  @Test func `the host begins the first round alone, once`() throws {
    var room = try TestRoom(Match.Rules(gathering: .seconds(10)))
    room.machine.waitsForCompany = true
    #expect(room.handle(.open).events.contains(.missing(1)))
    #expect(room.passTime(.seconds(3_600)).hand == nil)
    let begun = decide(.start, in: &room)
    #expect(begun.events.first == .rule(.start, nil) && begun.hand != nil)
    #expect(decide(.start, in: &room).events == [.refused(.hasBegun)])
  }

  @Test func `the player's machine plays on in the next match`() throws {
    var machine = PlayerMachine(PlayerEntry(name: try PlayerName("Bob")))
    _ = machine.handle(.connected(Peer(address: Origin(rawValue: "10.0.0.1"))), at: .zero)
    _ = machine.handle(.received(.welcome(RoomMessageTests.welcome)), at: .zero)
    let deal = Match.Deal(number: 1, hand: RoomMessageTests.hand, remaining: .seconds(100))
    for _ in 1...2 {
      #expect(machine.handle(.received(.event(.round(deal))), at: .zero) == [.report(.round(deal))])
      #expect(machine.handle(.act(.giveUp), at: .zero) == [.send(.act(round: 1, .giveUp))])
      let result = Match.RoundResult(
        number: 1, hand: deal.hand, solution: RoomMessageTests.solution, standings: [], pause: nil)
      for event in [.roundEnded(result), .matchEnded, .matchBegan(number: 2)] as [RoomEvent] {
        #expect(machine.handle(.received(.event(event)), at: .zero) == [.report(event)])
      }
    }
  }

  @Test func `a restarted host goes on with the same match, or with its end`() throws {
    var room = try room()
    try play(&room)
    _ = decide(.again, in: &room)
    for hasEnded in [false, true] {
      if hasEnded {
        room.passTime(.seconds(10))
        try play(&room)
      }
      let written = try JSONEncoder().encode(try #require(room.machine.snapshot(at: room.now)))
      var again = try RoomMachine(
        restoring: try JSONDecoder().decode(RoomMachine.Snapshot.self, from: written), player: try PlayerName("Ada"),
        generator: SeededGenerator(seed: 25), at: .zero)
      again.staysOpen = true
      let told = again.handle(.open, at: .zero).events
      #expect(told.contains(.matchBegan(number: 2)) && told.contains(.matchEnded) == hasEnded)
      #expect(again.snapshot(at: .zero)?.matchNumber == 2)
    }
  }
}
