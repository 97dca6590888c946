import Foundation
import FramedSecurity
import FramedTransport
import Synchronization
import Testing
import TwentyFour

@testable import Rooms

/// Who comes in, and who comes back, as the host sees it: passcodes, invitations, seats and keys.
struct AdmissionTests {
  private let invitation = Invitation.random()
  private let bob = ConnectionID(rawValue: 7)
  private let again = ConnectionID(rawValue: 9)
  private let channel: [UInt8] = [1, 2, 3]
  private let otherChannel: [UInt8] = [1, 2, 4]

  private func fingerprint(_ number: UInt8) throws -> KeyFingerprint {
    try #require(KeyFingerprint([UInt8](repeating: number, count: KeyFingerprint.byteCount)))
  }

  private func peer(
    _ address: String = "home", key: UInt8? = nil, isTrusted: Bool = true, over binding: [UInt8]? = nil
  ) throws -> Peer {
    Peer(
      address: Origin(rawValue: address), key: try key.map(fingerprint), isTrusted: isTrusted, binding: binding ?? channel,
      comparison: "047 113")
  }

  private func room(_ shares: ShareLimits = .none) throws -> TestRoom {
    var room = try TestRoom(shares: shares)
    room.machine = RoomMachine(
      room: RoomMessageTests.room, player: try PlayerName("Ada"), rules: Match.Rules(), shares: shares,
      invitation: invitation, generator: TwentyFour.SeededGenerator(seed: 24), secrets: SecretMint().next)
    room.handle(.open)
    return room
  }

  private func enter(_ room: inout TestRoom, _ id: ConnectionID, _ peer: Peer, _ hello: RoomMessage.Hello) -> [HostEffect] {
    room.handle(.connected(id, peer))
    return room.receive(.hello(hello), from: id)
  }

  // MARK: Coming in

  @Test func `who has proved nothing is not let in, and takes nothing`() throws {
    var room = try room()
    let effects = enter(&room, bob, try peer(isTrusted: false), .init(name: "Bob"))
    #expect(effects.refusal(of: bob) == .passcode)
    #expect(room.machine.match.players.count == 1 && room.machine.takenPlaces.isEmpty)
    let watching = enter(&room, again, try peer(isTrusted: false), .init(name: "Bob", spectates: true))
    #expect(watching.refusal(of: again) == .passcode)
  }

  @Test func `an invitation stands for the passcode, over the connection that it was proved for`() throws {
    var room = try room()
    let stranger = try peer(isTrusted: false)
    let wrong: [Data] = [
      invitation.proof(over: otherChannel), Invitation.random().proof(over: channel), Data(),
      invitation.proof(over: channel).dropLast(), Data(invitation.token.utf8),
    ]
    for (number, proof) in wrong.enumerated() {
      let id = ConnectionID(rawValue: 100 + number)
      #expect(enter(&room, id, stranger, .init(name: "Eve", invitation: proof)).refusal(of: id) == .passcode)
      room.now += .seconds(1)
    }
    let hello = RoomMessage.Hello(name: "Bob", invitation: invitation.proof(over: channel))
    #expect(enter(&room, bob, stranger, hello).welcome(of: bob) != nil)
    // Without an invitation none can be proved.
    var open = try TestRoom()
    open.handle(.open)
    #expect(enter(&open, bob, stranger, hello).refusal(of: bob) == .passcode)
  }

  @Test func `the invitation of a room that a restarted host continues is good as before`() throws {
    let before = try room()
    let snapshot = try #require(before.machine.snapshot(at: before.now))
    var restored = try TestRoom()
    restored.machine = try RoomMachine(
      restoring: snapshot, player: try PlayerName("Ada"), shares: .none, invitation: invitation,
      generator: TwentyFour.SeededGenerator(seed: 25), at: restored.now)
    restored.handle(.open)
    let hello = RoomMessage.Hello(name: "Bob", invitation: invitation.proof(over: channel))
    let stranger = try peer(isTrusted: false)
    #expect(enter(&restored, bob, stranger, hello).welcome(of: bob) != nil)
  }

  @Test func `the host is told who came, and the others are not`() throws {
    var room = try room()
    let effects = enter(&room, bob, try peer(key: 5), .init(name: "Bob"))
    let player = Player(id: PlayerID(rawValue: 2), name: try PlayerName("Bob"))
    let identified = RoomEvent.identified(player, key: try fingerprint(5), comparison: "047 113")
    #expect(effects.contains(.report(RoomMessageTests.room, identified)))
    #expect(!effects.told(bob).contains(identified))
  }

  // MARK: Coming back

  /// Bob, who has sent an answer, and whose connection broke.
  private func lost(_ room: inout TestRoom, key: UInt8? = nil) throws -> RoomMessage.Welcome {
    let welcome = try #require(enter(&room, bob, try peer(key: key), .init(name: "Bob")).welcome(of: bob))
    room.receive(.act(round: 1, .answer("1")), from: bob)
    room.handle(.disconnected(bob))
    return welcome
  }

  @Test func `a seat is given back for a proof over this connection, and for none over another`() throws {
    var room = try room()
    let welcome = try lost(&room)
    let stranger = try peer(isTrusted: false)
    let replayed = enter(&room, again, stranger, .init(name: "Bob", seat: welcome.seatProof(over: otherChannel)))
    #expect(replayed.refusal(of: again) == .passcode)
    let other = SeatProof(room: RoomID(), player: PlayerID(rawValue: 2), secret: welcome.secret ?? "", over: channel)
    let elsewhere = enter(&room, ConnectionID(rawValue: 10), stranger, .init(name: "Bob", seat: other))
    #expect(elsewhere.refusal(of: ConnectionID(rawValue: 10)) == .passcode)
    let ada = SeatProof(room: welcome.room, player: PlayerID(rawValue: 1), secret: welcome.secret ?? "", over: channel)
    let stolen = enter(&room, ConnectionID(rawValue: 11), stranger, .init(name: "Ada", seat: ada))
    #expect(stolen.refusal(of: ConnectionID(rawValue: 11)) == .passcode)
    // Whoever proves the seat needs no passcode.
    let id = ConnectionID(rawValue: 12)
    let back = enter(&room, id, stranger, .init(name: "Bob", seat: welcome.seatProof(over: channel)))
    #expect(back.welcome(of: id)?.player == welcome.player)
  }

  @Test func `a seat that was won natively is not given to who sends its secret, as a page does`() throws {
    var room = try room()
    let welcome = try lost(&room)
    let seatProof = SeatProof(
      room: welcome.room, player: try #require(welcome.player?.id), secretOverWeb: try #require(welcome.secret))
    let effects = enter(&room, again, try peer(isTrusted: false), .init(name: "Bob", seat: seatProof))
    #expect(effects.refusal(of: again) == .passcode)
  }

  @Test func `each return exchanges the secret, and the one before is good until the player acts`() throws {
    var room = try room()
    let first = try lost(&room)
    func comeBack(_ number: Int, _ welcome: RoomMessage.Welcome, _ room: inout TestRoom) throws -> RoomMessage.Welcome? {
      let id = ConnectionID(rawValue: number)
      let stranger = try peer(isTrusted: false)
      room.now += .seconds(1)
      return enter(&room, id, stranger, .init(name: "Bob", seat: welcome.seatProof(over: channel))).welcome(of: id)
    }
    let second = try #require(try comeBack(20, first, &room))
    #expect(second.secret != first.secret)
    // The welcome was lost on the way.
    let third = try #require(try comeBack(21, first, &room))
    #expect(third.secret != second.secret)
    #expect(try comeBack(22, second, &room) == nil)
    // It has arrived.
    let fourth = try #require(try comeBack(23, third, &room))
    #expect(try comeBack(24, first, &room) == nil)
    room.receive(.act(round: 1, .answer("1")), from: ConnectionID(rawValue: 23))
    #expect(try comeBack(25, third, &room) == nil)
    #expect(try comeBack(26, fourth, &room) != nil)
  }

  @Test(
    arguments: [
      (former: nil, key: nil, address: "home", code: .replaced), (nil, nil, "elsewhere", .takenOver),
      (5, 5, "elsewhere", .replaced), (5, 6, "home", .takenOver), (5, nil, "home", .takenOver), (nil, 5, "home", .takenOver),
    ] as [(former: UInt8?, key: UInt8?, address: String, code: RoomReason.Code)])
  func `a seat that was taken over is told apart from one that moved`(
    former: UInt8?, key: UInt8?, address: String, code: RoomReason.Code
  ) throws {
    var room = try room()
    let welcome = try #require(enter(&room, bob, try peer(key: former), .init(name: "Bob")).welcome(of: bob))
    let effects = enter(&room, again, try peer(address, key: key), .init(name: "Bob", seat: welcome.seatProof(over: channel)))
    #expect(effects.refusal(of: bob) == code)
  }

  // MARK: Keys

  @Test func `a key has its share, at whatever addresses`() throws {
    var room = try room(ShareLimits(seats: 2))
    for number in 1...3 {
      let id = ConnectionID(rawValue: number)
      let effects = enter(&room, id, try peer("address \(number)", key: 5), .init(name: "Player \(number)"))
      #expect(effects.refusal(of: id) == (number == 3 ? .share : nil))
    }
    let id = ConnectionID(rawValue: 4)
    #expect(enter(&room, id, try peer("address 4", key: 6), .init(name: "Cy")).refusal(of: id) == nil)
  }

  @Test func `who is banned comes back neither with the key nor from the address, until that is taken back`() throws {
    var room = try room()
    _ = enter(&room, bob, try peer("home", key: 5), .init(name: "Bob"))
    room.handle(.command(.rule(.ban(PlayerID(rawValue: 2)))))
    for (number, peer) in [try peer("elsewhere", key: 5), try peer("home", key: 6), try peer("home")].enumerated() {
      let id = ConnectionID(rawValue: 30 + number)
      #expect(enter(&room, id, peer, .init(name: "Bob")).refusal(of: id) == .banned)
    }
    #expect(enter(&room, again, try peer("elsewhere", key: 6), .init(name: "Cy")).refusal(of: again) == nil)
    room.handle(.command(.rule(.unban(PlayerID(rawValue: 2)))))
    let id = ConnectionID(rawValue: 40)
    #expect(enter(&room, id, try peer("home", key: 5), .init(name: "Bob")).refusal(of: id) == nil)
  }

  // MARK: Passcodes

  @Test func `a passcode of its own making is exchanged three times, then the room stays shut until it is reopened`() throws {
    let admission = HostAdmission(.passcode(nil, try .ephemeral()), nil)
    let events = Events()
    admission.setHandler { events.add($0) }
    var codes = [try #require(admission.passcode)]
    #expect(codes[0].utf8.count == 6 && codes[0].utf8.allSatisfy { (48...57).contains($0) })
    for _ in 0..<HostAdmission.mostExchanges {
      admission.useUpGuesses()
      codes.append(try #require(admission.passcode))
    }
    #expect(events.passcodes == codes.dropFirst().map { $0 })
    #expect(events.guesses == (0..<HostAdmission.mostExchanges).flatMap { _ in (0..<10).reversed() })
    admission.useUpGuesses()
    #expect(events.passcodes.last == .some(nil))
    #expect(admission.reopen())
    #expect(events.passcodes.last == admission.passcode && admission.passcode != codes.last)
    // Then it is exchanged as often again, and those who were in before may still guess wrong.
    let before = events.passcodes.count
    for _ in 0...HostAdmission.mostExchanges + 1 { admission.useUpGuesses() }
    #expect(events.passcodes.dropFirst(before).map { $0 == nil } == [false, false, false, true])
  }

  @Test func `a given passcode stays, and the room is shut after ten wrong guesses`() throws {
    let admission = HostAdmission(.passcode("pea soup", try .ephemeral()), nil)
    let events = Events()
    admission.setHandler { events.add($0) }
    admission.useUpGuesses()
    #expect(events.passcodes == [nil])
    #expect(admission.reopen() && admission.passcode == "pea soup")
    #expect(admission.kept?.passcode == nil && admission.kept?.invitation != nil)
  }

  @Test func `what a host has made is the same after a restart, and nothing is kept of an open room`() throws {
    let identity = try Identity.ephemeral()
    let admission = HostAdmission(.passcode(nil, identity), nil)
    let again = HostAdmission(.passcode(nil, identity), admission.kept)
    #expect(again.passcode == admission.passcode && again.invitation == admission.invitation)
    for open in [HostProtection.open(identity), .plaintext] {
      let admission = HostAdmission(open, nil)
      #expect(admission.kept == nil && admission.passcode == nil && admission.invitation == nil && !admission.reopen())
    }
  }

  @Test func `the advertisement tells the lock, and a part of the key`() throws {
    let identity = try Identity.ephemeral()
    let short = identity.fingerprint.short
    #expect(HostAdmission(.plaintext, nil).over(["lock": "open", "v": "3"]) == ["lock": "none", "v": "3"])
    #expect(HostAdmission(.open(identity), nil).over([:]) == ["lock": "open", "key": short])
    #expect(HostAdmission(.passcode(nil, identity), nil).over([:]) == ["lock": "passcode", "key": short])
  }
}

extension HostAdmission {
  /// As ten wrong guesses do.
  fileprivate func useUpGuesses() {
    guard let address = SocketAddress(numericHost: "127.0.0.1", port: 4242) else { return }
    for remaining in (0..<10).reversed() { handle(.wrongGuess(from: address, remaining: remaining)) }
  }
}

/// What an admission has told.
private final class Events: Sendable {
  private let all = Mutex<[RoomEvent]>([])

  func add(_ event: RoomEvent) { all.withLock { $0.append(event) } }

  var passcodes: [String?] {
    all.withLock { $0 }.compactMap { if case .passcode(let passcode) = $0 { .some(passcode) } else { nil } }
  }

  var guesses: [Int] { all.withLock { $0 }.compactMap { if case .guess(_, let remaining) = $0 { remaining } else { nil } } }
}
