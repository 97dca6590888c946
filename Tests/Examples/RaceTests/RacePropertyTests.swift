import TestSupport
import Testing
import _BonjourishBase

@testable import Race

/// A server with many clients that come and go, send allowed and other messages, and race: its promises always hold.
struct RacePropertyTests {
  /// What a client of the server knows.
  private struct Client {
    let player: RacePlayer
    var isWaiting = false
    var match: MatchView?
    var places: [Int32] = []
  }

  @Test(arguments: 1...60) func `the server keeps its promises`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var rules = RaceRules()
    rules.courseLength = 200
    rules.gathering = .seconds(generator.number(in: 0..<3))
    rules.capacity = 20
    var machine = RaceMachine(rules: rules)
    var clients: [RaceMachine.ConnectionID: Client?] = [:]
    var now = Duration.zero
    var started = 0
    var ended = 0
    var lastConnection = 0

    func carryOut(_ effects: [RaceMachine.Effect]) throws {
      for effect in effects {
        switch effect {
        case .send(let message, let ids):
          #expect(Set(ids).count == ids.count && !ids.isEmpty, "seed \(seed)")
          for id in ids {
            #expect(clients.keys.contains(id), "something is said to a connection that has gone; seed \(seed)")
            try hear(message, id)
          }
        case .disconnect(let id):
          clients[id] = nil
        case .report(.started(_, let players)):
          started += 1
          #expect(Set(players.map(\.id)).count == players.count && rules.players.contains(players.count), "seed \(seed)")
        case .report(.over(_, let players)):
          ended += 1
          #expect(Set(players.map(\.id)).count == players.count, "seed \(seed)")
        case .admit, .report: break
        }
      }
    }

    func hear(_ message: ServerMessage, _ id: RaceMachine.ConnectionID) throws {
      switch message {
      case .notInMatch: clients[id]??.match = nil
      case .match(let view):
        clients[id]??.match = view
        clients[id]??.isWaiting = false
        clients[id]??.places = view.racers.map(\.place).filter { $0 > 0 }
      case .moved(let racer, let position):
        let match = try #require(clients[id]??.match, "seed \(seed)")
        #expect(racer != match.own && position > match.racers[Int(racer)].position, "seed \(seed)")
        clients[id]??.match?.racers[Int(racer)].position = position
      case .arrived(_, let place):
        // Everybody in a match hears of all places, each once.
        #expect(clients[id]??.places.contains(place) == false, "seed \(seed)")
        clients[id]??.places.append(place)
      case .over(let ranking):
        let match = try #require(clients[id]??.match, "seed \(seed)")
        #expect(ranking.sorted() == match.racers.indices.map { UInt8($0) }, "seed \(seed)")
        clients[id]??.match = nil
      case .waiting(let missing):
        #expect((0...16).contains(missing) && clients[id]??.match == nil, "seed \(seed)")
      case .presence(let racer, _):
        #expect(racer != clients[id]??.match?.own, "seed \(seed)")
      case .refused: break
      }
    }

    for _ in 0..<1_000 {
      now += .milliseconds(generator.number(in: 0..<1_000))
      while let deadline = machine.nextDeadline, deadline <= now {
        try carryOut(machine.handle(.timePassed, at: deadline))
        if let next = machine.nextDeadline { #expect(next > deadline, "nothing was done at a deadline; seed \(seed)") }
      }
      let id = clients.keys.sorted().randomElement(using: &generator)
      guard let id, clients.count > 30 || !generator.once(in: 5) else {
        lastConnection += 1
        clients[.init(rawValue: lastConnection)] = .some(nil)
        try carryOut(machine.handle(.connected(.init(rawValue: lastConnection)), at: now))
        continue
      }
      if generator.once(in: 12) {
        clients[id] = nil
        try carryOut(machine.handle(.disconnected(id), at: now))
        continue
      }
      if generator.once(in: 40) {
        try carryOut(machine.handle(.violated(id, Refusal(.malformed, "broken")), at: now))
        continue
      }
      // The next message, or now and then one that is not allowed.
      let client = clients[id] ?? nil
      let next = client == nil ? 0 : client?.match != nil ? 2 : client?.isWaiting == false ? 1 : 3
      switch generator.once(in: 20) ? generator.number(in: 0..<3) : next {
      case 0:
        let player = try RacePlayer(id: "p\(generator.number(in: 0..<24))", alias: "Player")
        if client == nil { clients[id] = Client(player: player) }
        let hello = ClientMessage.playerConnected(player, continuesMatch: !generator.once(in: 4))
        try carryOut(machine.handle(.received(id, hello), at: now))
      case 1:
        clients[id]??.isWaiting = true
        let minimum = generator.number(in: 1..<5)
        let range = try #require(PlayerRange(minimum, generator.number(in: minimum..<8)))
        try carryOut(machine.handle(.received(id, .matchWanted(range)), at: now))
      case 2:
        var position = Int32(generator.number(in: 1..<90))
        if let match = client?.match {
          position = min(200, position + match.racers[Int(match.own)].position)
          clients[id]??.match?.racers[Int(match.own)].position = position
        }
        try carryOut(machine.handle(.received(id, .position(position)), at: now))
      default: break
      }
      #expect(machine.entries.count <= rules.capacity && machine.matches.count == started - ended, "seed \(seed)")
    }
    #expect(started > 3, "seed \(seed)")
    // When all players leave, everything ends.
    for id in clients.keys.sorted() {
      clients[id] = nil
      try carryOut(machine.handle(.disconnected(id), at: now))
    }
    while let deadline = machine.nextDeadline { try carryOut(machine.handle(.timePassed, at: deadline)) }
    #expect(machine.entries.count == 0 && machine.matches.count == 0 && started == ended, "seed \(seed)")
  }
}
