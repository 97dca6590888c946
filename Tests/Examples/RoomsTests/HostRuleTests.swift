import Testing
import TwentyFour

@testable import Rooms

/// What whoever hosts decides.
struct HostRuleTests {
  private let bob = ConnectionID(rawValue: 7)
  private let cy = ConnectionID(rawValue: 8)
  private let home = Origin(rawValue: "10.0.0.2")
  private let player = Player(id: PlayerID(rawValue: 2), name: try! PlayerName("Bob 3"))

  /// A room with Ada and, from an address, Bob.
  private func room() throws -> TestRoom {
    var room = try TestRoom()
    room.handle(.open)
    _ = enter(&room, bob, player.name.text, from: home)
    return room
  }

  private func enter(
    _ room: inout TestRoom, _ id: ConnectionID, _ name: String, from origin: Origin, seat: SeatProof? = nil,
    spectates: Bool = false
  ) -> [HostEffect] {
    room.handle(.connected(id, from: origin))
      + room.receive(.hello(.init(name: name, seat: seat, spectates: spectates)), from: id)
  }

  private func decide(_ room: inout TestRoom, _ line: String) throws -> [HostEffect] {
    room.handle(.command(.rule(try #require(HostRule(line)))))
  }

  @Test func `lines are read, and nothing else`() {
    let number = PlayerID(rawValue: 12)
    let lines: [(String, HostRule)] = [
      ("kick 12", .kick(number)), (" BAN  12 ", .ban(number)), ("unban 12", .unban(number)), ("lock", .lock(true)),
      ("unlock", .lock(false)), ("approve", .approve(true)), ("unapprove", .approve(false)), ("admit 12", .admit(number)),
      ("refuse 12", .refuse(number)), ("End", .end), ("again", .again), ("next", .next),
    ]
    for (line, rule) in lines {
      #expect(HostRule(line) == rule)
      #expect(HostRule(([rule.word] + [rule.player.map(\.description)].compactMap(\.self)).joined(separator: " ")) == rule)
    }
    for line in [
      "", "kick", "kick Bob", "kick 1 2", "lock 1", "8*(9/(5-2))", "quit", "approve 3", "end 1", "again 2", "next 1",
    ] {
      #expect(HostRule(line) == nil, "\(line)")
    }
  }

  @Test func `a player who was kicked may come back, one who was banned not, whatever the name`() throws {
    var room = try room()
    let kicked = try decide(&room, "kick 2")
    #expect(kicked.refusal(of: bob) == .kicked)
    #expect(kicked.events.contains(.rule(.kick(player.id), player)))
    #expect(enter(&room, cy, "Bob", from: home).refusal(of: cy) == nil)
    let banned = try decide(&room, "ban 3")
    #expect(banned.refusal(of: cy) == .banned)
    for (number, spectates) in [(20, false), (21, true)] {
      let id = ConnectionID(rawValue: number)
      #expect(enter(&room, id, "Somebody else", from: home, spectates: spectates).refusal(of: id) == .banned)
    }
    let other = ConnectionID(rawValue: 22)
    #expect(enter(&room, other, "Cy", from: Origin(rawValue: "10.0.0.3")).refusal(of: other) == nil)
    #expect(try decide(&room, "unban 3").events == [.rule(.unban(PlayerID(rawValue: 3)), nil)])
    let back = ConnectionID(rawValue: 23)
    #expect(enter(&room, back, "Bob", from: home).refusal(of: back) == nil)
  }

  @Test func `a ban outlives a restart`() throws {
    var room = try room()
    _ = try decide(&room, "ban 2")
    _ = try decide(&room, "approve")
    let snapshot = try #require(room.machine.snapshot(at: room.now))
    room.machine = try RoomMachine(
      restoring: snapshot, player: try PlayerName("Ada"), generator: SeededGenerator(seed: 1), at: room.now)
    room.handle(.open)
    #expect(enter(&room, cy, "Cy", from: home).refusal(of: cy) == .banned)
    #expect(room.machine.approves)
  }

  @Test func `nobody can be removed who is not there, nor the host`() throws {
    var room = try room()
    for line in ["kick 1", "ban 9", "admit 2", "refuse 2", "unban 2"] {
      let effects = try decide(&room, line)
      #expect(effects.events.count == 1)
      guard case .refused(let reason)? = effects.events.first else {
        Issue.record("\(line): \(effects)")
        continue
      }
      #expect(reason.code == .noSuchPlayer)
    }
    #expect(room.machine.match.players.count == 2)
  }

  @Test func `nobody new comes into a locked room, and who was there comes back`() throws {
    var room = try room()
    room.receive(.act(round: 1, .answer("1")), from: bob)
    let locked = try decide(&room, "lock")
    #expect(locked.events == [.rule(.lock(true), nil)])
    #expect(locked.advertisements.map(\.hasRoom) == [false])
    #expect(enter(&room, cy, "Cy", from: Origin(rawValue: "10.0.0.3")).refusal(of: cy) == .locked)
    room.handle(.disconnected(bob))
    let again = ConnectionID(rawValue: 9)
    let seatProof = SeatProof(room: RoomMessageTests.room, player: player.id, secret: "token 1", over: [])
    #expect(enter(&room, again, "Bob", from: home, seat: seatProof).events.first == .back(player))
    #expect(try decide(&room, "unlock").advertisements.map(\.hasRoom) == [true])
    let late = ConnectionID(rawValue: 10)
    #expect(enter(&room, late, "Cy", from: Origin(rawValue: "10.0.0.3")).refusal(of: late) == nil)
  }

  @Test func `new players wait until the host admits or refuses them`() throws {
    var room = try room()
    _ = try decide(&room, "approve")
    let asked = enter(&room, cy, "Cy", from: Origin(rawValue: "10.0.0.3"))
    let applicant = Player(id: PlayerID(rawValue: 3), name: try PlayerName("Cy"))
    #expect(asked.contains(.keep(cy)))
    #expect(asked.messages(to: cy) == [.approval(within: .seconds(60))])
    #expect(asked.events == [.asked(applicant)])
    #expect(room.machine.match.players.count == 2)
    // What is told to all is not for them.
    #expect(!room.act(.giveUp).contains(.admit(cy, to: RoomMessageTests.room)))
    let admitted = try decide(&room, "admit 3")
    #expect(admitted.welcome(of: cy)?.player == applicant)
    #expect(room.machine.match.players.count == 3)

    let dan = ConnectionID(rawValue: 9)
    _ = enter(&room, dan, "Dan", from: Origin(rawValue: "10.0.0.4"))
    #expect(try decide(&room, "refuse 4").refusal(of: dan) == .notApproved)
    // Nobody waits longer than a minute; who gives up is forgotten; a spectator is approved too.
    let (eve, fay, gus) = (ConnectionID(rawValue: 10), ConnectionID(rawValue: 11), ConnectionID(rawValue: 12))
    _ = enter(&room, eve, "Eve", from: Origin(rawValue: "10.0.0.5"))
    _ = enter(&room, fay, "Fay", from: Origin(rawValue: "10.0.0.6"))
    #expect(room.handle(.disconnected(fay)).events.map { if case .left = $0 { true } else { false } } == [true])
    #expect(room.machine.nextDeadline ?? .zero <= room.now + .seconds(60))
    #expect(room.passTime(.seconds(60)).refusal(of: eve) == .unanswered)
    _ = enter(&room, gus, "Gus", from: Origin(rawValue: "10.0.0.7"), spectates: true)
    #expect(try decide(&room, "admit 7").welcome(of: gus) != nil)
    #expect(room.machine.spectatorCount == 1)
  }

  @Test func `who waits counts for the share of the address`() throws {
    var room = try TestRoom()
    room.handle(.open)
    _ = try decide(&room, "approve")
    let ids = (1...6).map { ConnectionID(rawValue: $0) }
    let refusals = ids.map { enter(&room, $0, "P", from: home).refusal(of: $0) }
    #expect(refusals == [nil, nil, nil, nil, .share, .share])
  }

  @Test func `a new player's program waits as long as the host says`() throws {
    var machine = PlayerMachine(PlayerEntry(name: try PlayerName("Bob")))
    _ = machine.handle(.connected(Peer(address: Origin(rawValue: "host"))), at: .zero)
    #expect(machine.handle(.received(.approval(within: .seconds(60))), at: .seconds(1)) == [.report(.waiting(.seconds(60)))])
    #expect(machine.nextDeadline == .seconds(66))
    let welcome = RoomMessageTests.welcome
    #expect(
      machine.handle(.received(.welcome(welcome)), at: .seconds(50)) == [
        .report(.open(room: welcome.room, player: welcome.player, rules: welcome.rules))
      ])
  }
}
