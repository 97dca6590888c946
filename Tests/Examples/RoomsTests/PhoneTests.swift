import Foundation
import FramedCoding
import FramedJSON
import FramedSecurity
import Testing
import TwentyFour

@testable import Rooms

/// Pages in browsers in a room, as the host's machine sees them.
struct PhoneTests {
  let bob = ConnectionID(rawValue: 7)
  let again = ConnectionID(rawValue: 9)
  let third = ConnectionID(rawValue: 10)
  let channel: [UInt8] = [1, 2, 3]

  func phone(_ address: String = "10.0.0.2", isTrusted: Bool = false) -> Peer {
    Peer(address: Origin(rawValue: address), isTrusted: isTrusted, isWeb: true)
  }

  /// A room with a passcode, and the first token.
  func room(approves: Bool = false) throws -> (room: TestRoom, token: String) {
    var room = try TestRoom(shares: .none)
    room.machine = RoomMachine(
      room: RoomMessageTests.room, player: try PlayerName("Ada"), rules: Match.Rules(), shares: .none, approves: approves,
      invitation: .random(), admission: WebAdmission(isOn: true), generator: TwentyFour.SeededGenerator(seed: 24),
      secrets: SecretMint().next)
    let opened = room.handle(.open)
    return (room, try #require(opened.shown.first))
  }

  @discardableResult
  func enter(_ room: inout TestRoom, _ id: ConnectionID, _ peer: Peer, _ hello: RoomMessage.Hello) -> [HostEffect] {
    room.handle(.connected(id, peer)) + room.receive(.hello(hello), from: id)
  }

  // MARK: Coming in

  @Test func `everyone who asks whether the host is there gets an answer, and nothing else changes`() throws {
    var room = try TestRoom(shares: .none)
    room.handle(.open)
    room.handle(.connected(bob, phone(isTrusted: true)))
    // Before hello, as a player, and as a spectator.
    #expect(room.receive(.ping, from: bob) == [.send(.pong, to: bob)])
    #expect(room.receive(.hello(.init(name: "Bob")), from: bob).contains(.admit(bob, to: RoomMessageTests.room)))
    #expect(room.receive(.ping, from: bob) == [.send(.pong, to: bob)])
    room.handle(.connected(again, phone(isTrusted: true)))
    _ = room.receive(.hello(.init(name: "Board", spectates: true)), from: again)
    #expect(room.receive(.ping, from: again) == [.send(.pong, to: again)])
  }

  @Test func `a token lets one phone in, and the host shows the next`() throws {
    var (room, token) = try room()
    let effects = enter(&room, bob, phone(), .init(name: "Bob", admission: token))
    #expect(effects.welcome(of: bob)?.player?.name.text == "Bob")
    #expect(effects.shown.count == 1 && effects.shown != [token])
    // Two phones have scanned the same code.
    let late = enter(&room, again, phone("10.0.0.3"), .init(name: "Cy", admission: token))
    #expect(late.refusal(of: again) == .admission && late.shown.isEmpty)
    let next = enter(&room, third, phone("10.0.0.3"), .init(name: "Cy", admission: effects.shown[0]))
    #expect(next.welcome(of: third) != nil)
  }

  @Test func `who is refused for another reason tries again with the same token`() throws {
    var (room, token) = try room()
    #expect(enter(&room, bob, phone(), .init(name: "\u{410}da", admission: token)).refusal(of: bob) == .name)
    room.handle(.command(.rule(.lock(true))))
    #expect(enter(&room, again, phone(), .init(name: "Bob", admission: token)).refusal(of: again) == .locked)
    room.handle(.command(.rule(.lock(false))))
    #expect(enter(&room, third, phone(), .init(name: "Bob", admission: token)).welcome(of: third) != nil)
  }

  @Test func `a page asks whose room it is and whether its token is good, which uses nothing up`() throws {
    var (room, token) = try room()
    room.machine.title = RoomTitle(name: "Ada's game", host: "Ada")
    func look(_ id: ConnectionID, _ admission: String?, version: Int = RoomMessage.version) -> [HostEffect] {
      room.handle(.connected(id, phone()))
      return room.receive(.look(.init(version: version, admission: admission)), from: id)
    }
    func answer(_ admits: Bool) -> RoomMessage {
      .room(.init(room: RoomMessageTests.room, title: RoomTitle(name: "Ada's game", host: "Ada"), admits: admits))
    }
    #expect(look(again, nil).messages(to: again) == [answer(false)])
    #expect(look(third, AdmissionToken.random().text).messages(to: third) == [answer(false)])
    #expect(look(bob, token).messages(to: bob) == [answer(true)])
    #expect(room.receive(.look(.init(admission: token)), from: bob).messages(to: bob) == [answer(true)])
    let entered = room.receive(.hello(.init(name: "Bob", admission: token)), from: bob)
    let welcome = try #require(entered.welcome(of: bob))
    let next = ConnectionID(rawValue: 20)
    #expect(look(next, token).messages(to: next) == [answer(false)])
    let pass = ConnectionID(rawValue: 21)
    // A pass is for its owner only, who is still in.
    #expect(look(pass, welcome.admission).messages(to: pass) == [answer(false)])
    room.handle(.disconnected(bob))
    #expect(room.receive(.look(.init(admission: welcome.admission)), from: pass).messages(to: pass) == [answer(false)])
    let own = room.receive(.look(.init(admission: welcome.admission, name: "Bob")), from: pass)
    #expect(own.messages(to: pass) == [answer(true)])
    let old = ConnectionID(rawValue: 22)
    #expect(look(old, nil, version: 2).refusal(of: old) == .version)
    // Only the pages of a room with a passcode need a token.
    var open = try TestRoom(shares: .none)
    open.handle(.open)
    open.handle(.connected(bob, phone(isTrusted: true)))
    let opened = open.receive(.look(.init()), from: bob).messages(to: bob)
    #expect(opened == [.room(.init(room: RoomMessageTests.room, title: RoomTitle(name: ""), admits: true))])
  }

  @Test func `tokens are not looked at faster than they may be guessed`() throws {
    var (room, token) = try room()
    room.handle(.connected(bob, phone()))
    let answers = (0..<200).flatMap { _ in room.receive(.look(.init(admission: AdmissionToken.random().text)), from: bob) }
    #expect(answers.refusal(of: bob) == .tooFast && answers.messages(to: bob).count <= 101)
    #expect(enter(&room, third, phone("10.0.0.3"), .init(name: "Cy", admission: token)).welcome(of: third) != nil)
  }

  @Test func `who was in another room does not become a player of this one`() throws {
    var room = try TestRoom(shares: .none)
    room.handle(.open)
    let stray = enter(&room, bob, phone(isTrusted: true), .init(name: "Bob", room: RoomID()))
    #expect(stray.refusal(of: bob) == .otherRoom && room.machine.match.players.count == 1)
    let back = enter(&room, again, phone(isTrusted: true), .init(name: "Bob", room: RoomMessageTests.room))
    #expect(back.welcome(of: again) != nil)
  }

  @Test func `the host decides about each phone, whose token is used up as soon as it asks`() throws {
    var (room, token) = try room(approves: true)
    let asked = enter(&room, bob, phone(), .init(name: "Bob", admission: token))
    #expect(asked.events.contains { if case .asked = $0 { true } else { false } } && asked.shown.count == 1)
    let refused = room.handle(.command(.rule(.refuse(PlayerID(rawValue: 2)))))
    #expect(refused.refusal(of: bob) == .notApproved)
    #expect(enter(&room, again, phone(), .init(name: "Bob", admission: token)).refusal(of: again) == .admission)
  }

  @Test func `who gets no answer asks again with the same token, and with the same pass`() throws {
    var (room, token) = try room(approves: true)
    func ask(_ number: Int, _ admission: String?, _ address: String = "10.0.0.2") -> RoomReason.Code? {
      let id = ConnectionID(rawValue: number)
      return enter(&room, id, phone(address), .init(name: "Bob", admission: admission)).refusal(of: id)
    }
    func player(_ number: Int) -> PlayerID? {
      room.machine.applicants.first { $0.id.rawValue == number }?.applicant.player.id
    }
    #expect(ask(20, token) == nil)
    // Nobody else comes in with it meanwhile.
    #expect(ask(21, token, "10.0.0.3") == .admission)
    #expect(room.passTime(.seconds(60)).refusal(of: ConnectionID(rawValue: 20)) == .unanswered)
    #expect(ask(22, token) == nil)
    room.handle(.disconnected(ConnectionID(rawValue: 22)))
    #expect(ask(23, token) == nil)
    let admitted = room.handle(.command(.rule(.admit(try #require(player(23))))))
    let pass = try #require(admitted.welcome(of: ConnectionID(rawValue: 23))?.admission)
    #expect(ask(24, token) == .admission)
    // Never answered, so the seat is not kept.
    room.handle(.disconnected(ConnectionID(rawValue: 23)))
    #expect(ask(25, pass) == nil)
    #expect(room.passTime(.seconds(60)).refusal(of: ConnectionID(rawValue: 25)) == .unanswered)
    #expect(ask(26, pass) == nil)
    room.handle(.command(.rule(.refuse(try #require(player(26))))))
    #expect(ask(27, pass) == .admission)
  }

  @Test func `who comes while too many wait tries again with the same token`() throws {
    var (room, token) = try room(approves: true)
    let first = (0..<Match.Rules().maximumPlayers).map { ConnectionID(rawValue: 100 + $0) }
    for (number, id) in first.enumerated() {
      let peer = Peer(address: Origin(rawValue: "10.0.1.\(number)"), isTrusted: true)
      #expect(enter(&room, id, peer, .init(name: "P\(number)")).refusal(of: id) == nil)
    }
    #expect(enter(&room, bob, phone(), .init(name: "Bob", admission: token)).refusal(of: bob) == .full)
    room.handle(.disconnected(first[0]))
    #expect(enter(&room, again, phone(), .init(name: "Bob", admission: token)).refusal(of: again) == nil)
    #expect(room.machine.applicants.contains { $0.id == again })
  }

  @Test func `an open room asks phones for nothing, and shows no token`() throws {
    var room = try TestRoom(shares: .none)
    #expect(room.handle(.open).shown.isEmpty)
    let effects = enter(&room, bob, phone(isTrusted: true), .init(name: "Bob"))
    #expect(effects.welcome(of: bob)?.secret != nil && effects.welcome(of: bob)?.admission == nil)
    let watching = enter(&room, again, phone(isTrusted: true), .init(name: "", admission: "anything", spectates: true))
    #expect(watching.refusal(of: again) == .name)
  }

  @Test func `the token on the screen is exchanged as time passes`() throws {
    var (room, token) = try room()
    #expect(room.machine.nextDeadline.map { $0 <= room.now + .seconds(300) } == true)
    #expect(room.passTime(.seconds(299)).shown.isEmpty)
    let next = room.passTime(.seconds(1)).shown
    #expect(next.count == 1 && next != [token])
    #expect(enter(&room, bob, phone(), .init(name: "Bob", admission: token)).welcome(of: bob) != nil)
    // A room that is closed shows nothing.
    room.handle(.close(because: .hostLeft))
    #expect(room.passTime(.seconds(301)).shown.isEmpty)
  }

  @Test func `an invitation is proved over native connections only`() throws {
    let invitation = Invitation.random()
    var room = try TestRoom(shares: .none)
    room.machine = RoomMachine(
      room: RoomMessageTests.room, player: try PlayerName("Ada"), rules: Match.Rules(), shares: .none,
      invitation: invitation, admission: WebAdmission(isOn: true), generator: TwentyFour.SeededGenerator(seed: 24))
    room.handle(.open)
    let hello = RoomMessage.Hello(name: "Bob", invitation: invitation.proof(over: []))
    #expect(enter(&room, bob, phone(), hello).refusal(of: bob) == .admission)
  }

  // MARK: What others see

  @Test func `phones are marked in the standings, also while they are away and after a restart`() throws {
    var (room, token) = try room()
    _ = try lost(&room, token)
    func marks(_ standings: [Standing]) -> [String: Bool] {
      Dictionary(uniqueKeysWithValues: standings.map { ($0.player.name.text, $0.isOnPhone) })
    }
    #expect(marks(room.machine.standings) == ["Ada": false, "Bob": true])
    let snapshot = try JSONEncoder().encode(#require(room.machine.snapshot(at: room.now)))
    var restored = try RoomMachine(
      restoring: JSONDecoder().decode(RoomMachine.Snapshot.self, from: snapshot), player: nil,
      admission: WebAdmission(isOn: true), generator: TwentyFour.SeededGenerator(seed: 1), at: room.now)
    #expect(restored.handle(.open, at: room.now).shown.count == 1)
    #expect(marks(restored.standings)["Bob"] == true)
    // What a spectator is told first says so, too.
    let told = enter(&room, third, Peer(address: Origin(rawValue: "10.0.0.5")), .init(name: "Eve", spectates: true)).told(third)
    #expect(told.compactMap { if case .standings(let standings) = $0 { marks(standings)["Bob"] } else { nil } } == [true])
  }

  @Test func `phones are marked at the end of a round`() throws {
    var (room, token) = try room()
    enter(&room, bob, phone(), .init(name: "Bob", admission: token))
    let events = (0..<20).flatMap { _ in room.passTime(.seconds(10)).events }
    let results = events.compactMap { if case .roundEnded(let result) = $0 { result.standings } else { nil } }
    let first = try #require(results.first)
    #expect(first.filter(\.isOnPhone).map(\.player.name.text) == ["Bob"] && first.count == 2)
  }

  // MARK: Messages

  @Test func `hello and welcome of a page have their fields`() throws {
    let text =
      #"{"kind":"hello","version":3,"name":"Bob","admission":"abc","seat":{"room":"\#(RoomMessageTests.room)","player":2,"secret":"s"}}"#
    let seat = SeatProof(room: RoomMessageTests.room, player: PlayerID(rawValue: 2), secretOverWeb: "s")
    let hello = RoomMessage.hello(.init(name: "Bob", seat: seat, admission: "abc"))
    #expect(try RoomMessage.codec.decode(Array(text.utf8)) == hello)
    #expect(try RoomMessage.codec.decode(RoomMessage.codec.encode(hello)) == hello)
    let welcome = RoomMessage.welcome(
      .init(
        room: RoomMessageTests.room, player: nil, admission: "abc", returnLimit: .seconds(1), rules: RoomRules(Match.Rules())))
    let bytes = try RoomMessage.codec.encode(welcome)
    #expect(String(decoding: bytes, as: UTF8.self).contains(#""admission":"abc""#))
    #expect(try RoomMessage.codec.decode(bytes) == welcome)
    let standing = Standing(
      player: Player(id: PlayerID(rawValue: 2), name: try PlayerName("Bob")), status: .waiting, points: 0, isOnPhone: true)
    let standings = RoomMessage.event(.standings([standing]))
    #expect(try RoomMessage.codec.decode(RoomMessage.codec.encode(standings)) == standings)
  }
}

extension [HostEffect] {
  /// The tokens that the host is to show.
  var shown: [String] { compactMap { if case .show(let token) = $0 { token.text } else { nil } } }
}
