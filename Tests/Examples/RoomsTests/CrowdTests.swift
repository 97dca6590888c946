import Testing
import TwentyFour

@testable import Rooms

/// Crowds that come and go, and what they cost the others.
struct CrowdTests {
  private let bob = ConnectionID(rawValue: 7)

  /// What a player at their seat is told in the course of a flood, with its times.
  private struct Witness {
    var heard: [(time: Duration, event: RoomEvent)] = []

    mutating func listen(_ effects: [HostEffect], at now: Duration, _ id: ConnectionID) {
      for event in effects.told(id) { heard.append((now, event)) }
    }

    /// The times at which something about who came and went was told, each once.
    var updates: [Duration] {
      let times = heard.filter { if case .hint = $0.event { false } else { true } }.map(\.time)
      return times.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
  }

  @Test func `players who come and leave again cost the others five updates a second`() throws {
    var room = try TestRoom(shares: .none)
    room.handle(.open)
    room.enter(bob, "Bob")
    room.now += .seconds(10)
    let start = room.now
    var witness = Witness()
    for number in 0..<1_000 {
      let id = ConnectionID(rawValue: 100 + number)
      witness.listen(room.enter(id, "Puppet"), at: room.now, bob)
      room.now += .milliseconds(5)
      witness.listen(room.handle(.timePassed(room.machine.room)), at: room.now, bob)
      witness.listen(room.receive(.leaving, from: id), at: room.now, bob)
      room.now += .milliseconds(5)
      witness.listen(room.handle(.timePassed(room.machine.room)), at: room.now, bob)
    }
    let updates = witness.updates
    // Ten seconds.
    #expect(updates.count <= 55)
    for time in stride(from: 0, to: 10_000, by: 100).map({ start + .milliseconds($0) }) {
      #expect(updates.count { time <= $0 && $0 < time + .seconds(1) } <= 5)
    }
    #expect(witness.heard.count < 250)
    // At the end they know what is, without another event than the time.
    for number in 2_000..<2_006 {
      witness.listen(room.enter(ConnectionID(rawValue: number), "Late"), at: room.now, bob)
    }
    let deadline = try #require(room.machine.nextDeadline)
    #expect(deadline <= room.now + .seconds(1))
    witness.listen(room.passTime(max(.zero, deadline - room.now)), at: room.now, bob)
    #expect(witness.heard.last.map { $0.event } == .standings(room.machine.match.standings))
    #expect(room.machine.match.players.count == 8)
    #expect(room.machine.nextDeadline == room.machine.match.nextDeadline)
  }

  @Test func `a player who comes in the crowd knows everyone, and is known to everyone`() throws {
    var room = try TestRoom(Match.Rules(maximumPlayers: 64), shares: .none)
    room.handle(.open)
    room.enter(bob, "Bob")
    var told: [RoomEvent] = []
    var heard: [ConnectionID: [RoomMessage]] = [:]
    let ids = (0..<40).map { ConnectionID(rawValue: 100 + $0) }
    var admitted: Set<ConnectionID> = [bob]
    func listen(_ effects: [HostEffect]) {
      for effect in effects {
        switch effect {
        case .broadcast(_, let event):
          for id in admitted { heard[id, default: []].append(.event(event)) }
          told.append(event)
        case .send(let message, let id): heard[id, default: []].append(message)
        case .admit(let id, _):
          let isNew = admitted.insert(id).inserted
          #expect(isNew)
        default: break
        }
      }
    }
    for id in ids { listen(room.enter(id, "P\(id.rawValue)")) }
    // Welcomed at once, and can play.
    for id in ids {
      #expect(heard[id]?.contains { if case .welcome = $0 { true } else { false } } == true)
      #expect(heard[id]?.contains { if case .event(.round) = $0 { true } else { false } } == true)
    }
    #expect(admitted.count < 10)
    listen(room.passTime(.seconds(1)))
    #expect(admitted.count == 41)
    let joined = told.compactMap { if case .joined(let player) = $0 { player } else { nil } }
    #expect(joined.map(\.name.text) == ids.map { "P\($0.rawValue)" })
    for (index, id) in ids.enumerated() {
      #expect(heard[id]?.last == .event(.standings(room.machine.match.standings)))
      #expect(heard[id]?.contains(.event(.joined(joined[index]))) == false, "nobody is told of themselves")
    }
  }

  @Test func `an answer is told at once, after the player who gave it`() throws {
    var room = try TestRoom(shares: .none)
    let hand = try #require(room.handle(.open).hand)
    room.enter(bob, "Bob")
    for number in 1...6 { room.enter(ConnectionID(rawValue: 100 + number), "P\(number)") }
    let late = ConnectionID(rawValue: 200)
    #expect(room.enter(late, "Late").told(bob) == [])
    let solution = try #require(Solver.firstSolution(of: hand)).description
    let events = room.receive(.act(round: 1, .answer(solution)), from: late).told(bob)
    let names = events.compactMap { event in
      switch event {
      case .joined(let player): "joined \(player.name)"
      case .answer(let player, _): "answer \(player.name)"
      default: nil
      }
    }
    #expect(names.suffix(2) == ["joined Late", "answer Late"])
  }

  @Test func `who closes the room in a crowd tells everyone`() throws {
    var room = try TestRoom(shares: .none)
    room.handle(.open)
    let ids = (1...12).map { ConnectionID(rawValue: 100 + $0) }
    for id in ids { room.enter(id, "P") }
    let effects = room.handle(.close(because: .hostLeft))
    let closing = try #require(effects.firstIndex { if case .broadcast(_, .closed) = $0 { true } else { false } })
    let admissions = effects.indices.filter { if case .admit = effects[$0] { true } else { false } }
    #expect(!admissions.isEmpty && admissions.allSatisfy { $0 < closing })
  }

  @Test func `what cancels out is not told`() throws {
    let (ada, bob) = (
      Player(id: .init(rawValue: 1), name: try .init("Ada")), Player(id: .init(rawValue: 2), name: try .init("Bob"))
    )
    var updates = WithheldUpdates()
    for event in [.joined(ada), .away(ada), .back(ada), .left(ada), .away(bob), .back(bob)] as [RoomEvent] {
      updates.add(event)
    }
    #expect(updates.isEmpty)
    for event in [.away(bob), .left(bob), .joined(ada), .away(ada)] as [RoomEvent] { updates.add(event) }
    #expect(updates.presence == [.left(bob), .joined(ada), .away(ada)])
  }
}
