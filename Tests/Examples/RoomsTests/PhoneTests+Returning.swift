import Foundation
import FramedCoding
import FramedJSON
import FramedSecurity
import Testing
import TwentyFour

@testable import Rooms

/// Phones that come back.
extension PhoneTests {
  /// Bob, who has sent an answer over the web, and whose connection broke.
  func lost(_ room: inout TestRoom, _ token: String) throws -> RoomMessage.Welcome {
    let entered = enter(&room, bob, phone(), .init(name: "Bob", admission: token))
    let welcome = try #require(entered.welcome(of: bob))
    room.receive(.act(round: 1, .answer("1")), from: bob)
    room.handle(.disconnected(bob))
    return welcome
  }

  private func seatProof(_ welcome: RoomMessage.Welcome) throws -> SeatProof {
    SeatProof(
      room: welcome.room, player: try #require(welcome.player?.id), secretOverWeb: try #require(welcome.secret))
  }

  @Test func `a phone comes back to its seat with the secret, once for each secret`() throws {
    var (room, token) = try room()
    let welcome = try lost(&room, token)
    let back = enter(&room, again, phone("10.0.0.9"), .init(name: "Bob", seat: try seatProof(welcome)))
    #expect(back.welcome(of: again)?.player == welcome.player)
    #expect(back.welcome(of: again)?.secret != welcome.secret)
    #expect(back.shown.isEmpty)
    // The new secret has arrived, so the old one is worth nothing.
    room.receive(.act(round: 1, .answer("1")), from: again)
    let stale = enter(&room, third, phone(), .init(name: "Bob", seat: try seatProof(welcome)))
    #expect(stale.refusal(of: third) == .admission)
  }

  @Test func `a seat of the web comes back over the web only, and a native one over none`() throws {
    var (room, token) = try room()
    let welcome = try lost(&room, token)
    let native = Peer(address: Origin(rawValue: "10.0.0.2"), isTrusted: false, binding: channel)
    let secret = try #require(welcome.secret)
    let player = try #require(welcome.player?.id)
    let proof = SeatProof(room: welcome.room, player: player, secret: secret, over: channel)
    let unbound = SeatProof(room: welcome.room, player: player, secret: secret, over: [])
    // Over a native connection neither the secret nor a proof of it is good; over the web no proof is.
    let attempts: [(peer: Peer, seatProof: SeatProof, code: RoomReason.Code)] = [
      (native, try seatProof(welcome), .passcode), (native, proof, .passcode), (phone(), unbound, .admission),
    ]
    for (number, attempt) in attempts.enumerated() {
      let id = ConnectionID(rawValue: 20 + number)
      let effects = enter(&room, id, attempt.peer, .init(name: "Bob", seat: attempt.seatProof))
      #expect(effects.refusal(of: id) == attempt.code, "attempt \(number)")
    }
    // The other way round: Cy plays natively.
    let cy = Peer(address: Origin(rawValue: "10.0.0.4"), binding: channel)
    let playing = enter(&room, third, cy, .init(name: "Cy"))
    let entered = try #require(playing.welcome(of: third))
    room.receive(.act(round: 1, .answer("1")), from: third)
    room.handle(.disconnected(third))
    let stolen = ConnectionID(rawValue: 30)
    #expect(enter(&room, stolen, phone(), .init(name: "Cy", seat: try seatProof(entered))).refusal(of: stolen) == .admission)
    let home = ConnectionID(rawValue: 31)
    #expect(
      enter(&room, home, cy, .init(name: "Cy", seat: entered.seatProof(over: channel))).welcome(of: home)?.player
        == entered.player)
  }

  @Test func `a phone whose seat is gone comes in again by itself, unless the host has removed it`() throws {
    var (room, token) = try room()
    let entered = enter(&room, bob, phone(), .init(name: "Bob", admission: token))
    let welcome = try #require(entered.welcome(of: bob))
    // Never answered, so the seat is not kept.
    room.handle(.disconnected(bob))
    let hello = RoomMessage.Hello(name: "Bob", seat: try seatProof(welcome), admission: welcome.admission)
    let returned = enter(&room, again, phone(), hello)
    let back = try #require(returned.welcome(of: again))
    #expect(back.player?.id != welcome.player?.id && back.admission != welcome.admission)
    #expect(enter(&room, third, phone(), hello).refusal(of: third) == .admission)
    room.handle(.command(.rule(.kick(try #require(back.player?.id)))))
    let kicked = ConnectionID(rawValue: 20)
    let effects = enter(&room, kicked, phone(), .init(name: "Bob", admission: back.admission))
    #expect(effects.refusal(of: kicked) == .admission)
  }

  @Test func `one phone that was let in brings in no other, under no name`() throws {
    var (room, token) = try room()
    let entered = enter(&room, bob, phone(), .init(name: "Bob", admission: token))
    let pass = try #require(entered.welcome(of: bob)?.admission)
    for (number, hello) in [
      RoomMessage.Hello(name: "Cy", admission: pass), .init(name: "Bob", admission: pass),
      .init(name: "Television", admission: pass, spectates: true),
    ].enumerated() {
      let id = ConnectionID(rawValue: 20 + number)
      #expect(enter(&room, id, phone("10.0.0.3"), hello).refusal(of: id) == .admission)
    }
    // The seat of somebody who has answered is kept, so its secret is needed.
    room.receive(.act(round: 1, .answer("1")), from: bob)
    room.handle(.disconnected(bob))
    #expect(enter(&room, again, phone(), .init(name: "Bob", admission: pass)).refusal(of: again) == .admission)
    #expect(room.machine.standings.map(\.player.name.text) == ["Ada", "Bob"])
  }

  @Test func `who comes back to a seat has one pass, not two`() throws {
    var (room, token) = try room()
    let welcome = try lost(&room, token)
    let hello = RoomMessage.Hello(name: "Bob", seat: try seatProof(welcome), admission: welcome.admission)
    #expect(enter(&room, again, phone(), hello).welcome(of: again)?.player == welcome.player)
    #expect(room.machine.webAdmission.passes.count == 1)
  }

  @Test func `a board comes in again, too`() throws {
    var (room, token) = try room()
    let hello = RoomMessage.Hello(name: "Television", admission: token, spectates: true)
    let watching = enter(&room, bob, phone(), hello)
    let welcome = try #require(watching.welcome(of: bob))
    #expect(welcome.player == nil && welcome.secret == nil)
    room.handle(.disconnected(bob))
    let back = enter(&room, again, phone(), .init(name: "Television", admission: welcome.admission, spectates: true))
    #expect(back.welcome(of: again) != nil)
    // Before the host knows that the connection is broken, and never as two.
    let next = try #require(back.welcome(of: again)?.admission)
    let third = enter(&room, third, phone("10.0.0.3"), .init(name: "Television", admission: next, spectates: true))
    #expect(third.welcome(of: self.third) != nil && third.refusal(of: again) == .replaced)
    #expect(room.machine.spectatorCount == 1)
    let last = try #require(third.welcome(of: self.third)?.admission)
    let player = ConnectionID(rawValue: 30)
    #expect(enter(&room, player, phone(), .init(name: "Television", admission: last)).refusal(of: player) == .admission)
  }

  @Test func `a phone is banned by its address`() throws {
    var (room, token) = try room()
    let shown = enter(&room, bob, phone(), .init(name: "Bob", admission: token)).shown
    room.handle(.command(.rule(.ban(PlayerID(rawValue: 2)))))
    #expect(enter(&room, again, phone(), .init(name: "Bob", admission: shown[0])).refusal(of: again) == .banned)
    #expect(enter(&room, third, phone("10.0.0.3"), .init(name: "Cy", admission: shown[0])).welcome(of: third) != nil)
  }
}
