import Foundation
import Testing
import TwentyFour

@testable import Rooms

/// Rooms that are written down, and gone on with.
struct RoomSnapshotTests {
  private let bob = ConnectionID(rawValue: 7)
  private let cy = ConnectionID(rawValue: 8)

  /// A room in its second round, in which Bob has 20 points and Cy is away.
  private func written(player: String? = "Ada") throws -> (room: TestRoom, json: String) {
    var room = try TestRoom(player: player)
    room.handle(.open)
    room.enter(bob, "Bob")
    room.enter(cy, "Cy")
    let hand = try #require(room.machine.match.deal(at: room.now)).hand
    room.receive(.act(round: 1, .answer(try #require(Solver.firstSolution(of: hand)).description)), from: bob)
    room.act(.giveUp)
    room.receive(.act(round: 1, .giveUp), from: cy)
    room.passTime(.seconds(10))
    room.receive(.act(round: 2, .answer("1")), from: cy)
    room.handle(.disconnected(cy), after: .seconds(3))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let snapshot = try #require(room.machine.snapshot(at: room.now))
    return (room, String(decoding: try encoder.encode(snapshot), as: UTF8.self))
  }

  private func seatProof(_ player: Int, _ secret: String) -> SeatProof {
    SeatProof(room: RoomMessageTests.room, player: PlayerID(rawValue: player), secret: secret, over: [])
  }

  private func restore(_ json: String, player: String? = "Ada") throws -> RoomMachine {
    let snapshot = try JSONDecoder().decode(RoomMachine.Snapshot.self, from: Data(json.utf8))
    return try RoomMachine(
      restoring: snapshot, player: try player.map { try PlayerName($0) }, generator: SeededGenerator(seed: 25), at: .zero,
      secrets: { "new" })
  }

  @Test func `all but the host's own player are away, and come back to what was left`() throws {
    let (room, json) = try written()
    var machine = try restore(json)
    #expect(machine.room == room.machine.room)
    let opened = machine.handle(.open, at: .zero)
    #expect(
      opened.events.first == .open(room: room.machine.room, player: RoomMessageTests.ada, rules: RoomMessageTests.rules))
    let deal = try #require(room.machine.match.deal(at: room.now))
    #expect(deal.remaining == .seconds(97))
    #expect(opened.events.contains(.round(deal)))
    #expect(opened.advertisements.map(\.players) == [3])
    #expect(machine.match.standings.map(\.isAway) == [false, true, true])
    #expect(machine.match.standings.map(\.points) == [0, 20, 0])

    // Cy, who was away before, has the whole time again.
    _ = machine.handle(.connected(bob), at: .seconds(50))
    let back = machine.handle(
      .received(bob, .hello(.init(name: "Bob", seat: seatProof(2, "token 1")))), at: .seconds(50))
    #expect(back.events.first == .back(Player(id: PlayerID(rawValue: 2), name: try PlayerName("Bob"))))
    #expect(back.told(bob).contains(.round(.init(number: 2, hand: deal.hand, remaining: .seconds(47)))))
    #expect(
      !machine.handle(.timePassed(RoomMessageTests.room), at: .milliseconds(59_999)).events.contains {
        if case .left = $0 { true } else { false }
      })
    let left = machine.handle(.timePassed(RoomMessageTests.room), at: .seconds(60)).events
    #expect(left.first == .left(Player(id: PlayerID(rawValue: 3), name: try PlayerName("Cy"))))
    // New players get numbers that nobody had.
    _ = machine.handle(.connected(cy), at: .seconds(61))
    let joined = machine.handle(
      .received(cy, .hello(.init(name: "Cy", seat: seatProof(3, "token 2")))), at: .seconds(61)
    ).events
    #expect(joined.first == .joined(Player(id: PlayerID(rawValue: 4), name: try PlayerName("Cy"))))
  }

  @Test func `the host's own player is dealt the round again only if guessing in it`() throws {
    for action in [nil, .giveUp] as [Match.Action?] {
      var (room, _) = try written()
      if let action { room.act(action) }
      var machine = try RoomMachine(
        restoring: try #require(room.machine.snapshot(at: room.now)), player: try PlayerName("Ada"),
        generator: SeededGenerator(seed: 25), at: .zero)
      let hand = machine.handle(.open, at: .zero).hand
      #expect((hand == nil) == (action != nil))
    }
  }

  @Test func `a locked room is locked again, and one of an earlier version is open to all`() throws {
    var (room, _) = try written()
    room.handle(.command(.rule(.lock(true))))
    let locked = try RoomMachine(
      restoring: try #require(room.machine.snapshot(at: room.now)), player: nil, generator: SeededGenerator(seed: 25), at: .zero
    )
    #expect(locked.isLocked && !locked.approves)
    var fields = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(room.machine.snapshot(at: room.now))) as? [String: Any])
    for name in ["answered", "bans", "isLocked", "approves", "matchNumber"] {
      #expect(fields.removeValue(forKey: name) != nil, "\(name)")
    }
    let earlier = try restore(String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self))
    #expect(!earlier.isLocked && !earlier.approves && earlier.matchNumber == 1 && earlier.answered.isEmpty)
  }

  @Test func `no new player gets the seat of a player who has had no time to come back`() throws {
    let (_, json) = try written(player: nil)
    var machine = try restore(json, player: nil)
    _ = machine.handle(.open, at: .zero)
    func enter(_ number: Int, at time: Duration) -> [HostEffect] {
      let id = ConnectionID(rawValue: number)
      return machine.handle(.connected(id, Peer(address: Origin(rawValue: "10.0.0.\(number)"))), at: time)
        + machine.handle(.received(id, .hello(.init(name: "Newbie \(number)"))), at: time)
    }
    let free = machine.match.rules.maximumPlayers - machine.match.players.count
    for number in 20..<20 + free {
      #expect(enter(number, at: .seconds(1)).refusal(of: ConnectionID(rawValue: number)) == nil)
    }
    #expect(enter(40, at: .seconds(1)).refusal(of: ConnectionID(rawValue: 40)) == .full)
    #expect(enter(41, at: .milliseconds(19_999)).refusal(of: ConnectionID(rawValue: 41)) == .full)
    let late = enter(42, at: .seconds(20))
    #expect(late.refusal(of: ConnectionID(rawValue: 42)) == nil)
    #expect(late.events.contains { if case .left = $0 { true } else { false } })
  }

  @Test func `a host with a player before need not play on`() throws {
    var machine = try restore(try written().json, player: nil)
    let opened = machine.handle(.open, at: .zero)
    #expect(opened.events.first == .open(room: machine.room, player: nil, rules: RoomMessageTests.rules))
    #expect(opened.events.contains(.left(RoomMessageTests.ada)))
    #expect(machine.match.standings.map(\.player.name.text) == ["Bob", "Cy"])
  }

  @Test func `a host without a player before may play now`() throws {
    var machine = try restore(try written(player: nil).json, player: "Bob")
    let opened = machine.handle(.open, at: .zero)
    let own = Player(id: PlayerID(rawValue: 3), name: try PlayerName("Bob 2"))
    #expect(opened.events.first == .open(room: machine.room, player: own, rules: RoomMessageTests.rules))
    #expect(machine.match.standings.map(\.isAway) == [true, false, true])
  }

  @Test(
    arguments: [
      (#""lastPlayerNumber":3"#, #""lastPlayerNumber":2"#),
      (#""lastPlayerNumber":3"#, #""lastPlayerNumber":0"#),
      (#""lastPlayerNumber":3"#, #""lastPlayerNumber":9223372036854775807"#), (#""own":1"#, #""own":9"#),
      (#""secrets":{"2":"#, #""secrets":{"9":"#), (#""roundNumber":2"#, #""roundNumber":-2"#),
      (#""id":3"#, #""id":-3"#),
    ])
  func `what no room can have been like is not gone on with`(part: String, other: String) throws {
    let json = try written().json
    try #require(json.contains(part), "\(json)")
    let error = #expect(throws: DamagedSnapshot.self) { try restore(json.replacingOccurrences(of: part, with: other)) }
    #expect(error?.description.isEmpty == false)
  }

  @Test func `it does not tell the hands to come, which another generator deals`() throws {
    let (room, json) = try written()
    #expect(!json.contains("generator"))
    var (machine, other) = (room.machine, try restore(json))
    let opened = other.handle(.open, at: .zero)
    #expect(opened.hand == room.machine.match.deal(at: room.now)?.hand)
    let next =
      machine.handle(.timePassed(room.machine.room), at: room.now + .seconds(200))
      + machine.handle(.timePassed(room.machine.room), at: room.now + .seconds(210))
    let others =
      other.handle(.timePassed(room.machine.room), at: .seconds(200))
      + other.handle(.timePassed(room.machine.room), at: .seconds(210))
    #expect(next.hand != nil && others.hand != nil && next.hand != others.hand)
  }

  @Test func `the file of the state is its owner's alone, whatever the umask`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)").path
    let former = umask(0)
    defer { umask(former) }
    let file = StateFile<[String]>(path)
    for contents in [["one"], ["two"]] {
      try await file.write(contents, port: 1, admission: nil)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
    await file.remove()
  }

  @Test func `there is none before the room is open, and after it is closed`() throws {
    var room = try TestRoom()
    #expect(room.machine.snapshot(at: room.now) == nil)
    room.handle(.open)
    #expect(room.machine.snapshot(at: room.now) != nil)
    room.handle(.close(because: .hostLeft))
    #expect(room.machine.snapshot(at: room.now) == nil)
  }
}
