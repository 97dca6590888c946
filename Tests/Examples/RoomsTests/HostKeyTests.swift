import Bonjourish
import FramedSecurity
import FramedTransport
import TestSupport
import Testing

@testable import Rooms

/// What a player's connections prove, and what they insist on, against listeners on the loopback interface.
@Suite(.timeLimit(.minutes(1))) struct HostKeyTests {
  private let host = try! Identity.ephemeral()
  private let player = try! Identity.ephemeral()
  private let pins = PinStore()

  private func key(_ knowledge: PlayerSecurity.Knowledge) -> HostKey {
    HostKey(PlayerSecurity(knowledge, identity: player, pins: pins), of: "room")
  }

  private var link: RoomLink { RoomLink(name: "room", key: host.fingerprint, invitation: .random()) }

  /// Connects to a host, notes its key, and returns how the host sees the player.
  private func connect(_ key: HostKey, to protection: HostProtection) async throws -> Peer {
    let admission = HostAdmission(protection, nil)
    let listener = try await Listener.bind(
      interface: "lo", format: RoomMessage.format, limits: RoomMessage.limits, security: admission.security)
    let (peers, peer) = AsyncStream<Peer>.makeStream()
    let serving = Task {
      await listener.serve { connection in
        peer.yield(Peer(connection, asksForPasscode: admission.asksForPasscode))
        do { for try await _ in connection.frames {} } catch {}
      }
    }
    let result: Result<Peer, any Error>
    do {
      let connection = try await Connection.connect(
        to: listener.addresses, format: RoomMessage.format, limits: RoomMessage.playerLimits, security: key.next)
      try key.note(connection)
      var seen = peers.makeAsyncIterator()
      let other = try #require(await seen.next())
      let own = Peer(connection)
      #expect(own.binding == other.binding && own.comparison == other.comparison && own.key == protection.identity?.fingerprint)
      result = .success(other)
      connection.abort()
    } catch {
      result = .failure(error)
    }
    await listener.close()
    await serving.value
    return try result.get()
  }

  @Test func `whoever knows the passcode proves it at first, and again when asked to`() async throws {
    let protection = HostProtection.passcode("471123", host)
    let key = key(.passcode("471123"))
    #expect(key.hasPasscode && key.invitation == nil && pins.key(of: "room") == nil)
    let first = try await connect(key, to: protection)
    #expect(first.isTrusted && first.key == player.fingerprint && !first.binding.isEmpty && !first.isWeb)
    #expect(pins.key(of: "room") == host.fingerprint)
    let second = try await connect(key, to: protection)
    #expect(!second.isTrusted && second.key == player.fingerprint && second.binding != first.binding)
    key.proveAgain()
    let third = try await connect(key, to: protection)
    #expect(third.isTrusted && third.key == player.fingerprint)
    // Another host is none, also for who proves the passcode.
    await #expect(throws: TransportError.self) { try await connect(key, to: .passcode("471123", player)) }
  }

  @Test func `whoever has a link or nothing proves no passcode, and has the same key`() async throws {
    let link = link
    for knowledge in [PlayerSecurity.Knowledge.key, .link(link)] {
      let key = key(knowledge)
      for _ in 1...2 {
        let peer = try await connect(key, to: .passcode("471123", host))
        #expect(!peer.isTrusted && peer.key == player.fingerprint)
      }
      #expect(!key.hasPasscode && pins.key(of: "room") == host.fingerprint)
      await #expect(throws: TransportError.self) { try await connect(key, to: .open(player)) }
    }
    #expect(key(.link(link)).invitation == link.invitation && key(.key).invitation == nil)
    #expect(try await connect(key(.key), to: .open(host)).isTrusted)
  }

  @Test func `nothing is known over a connection that is not encrypted`() async throws {
    let peer = try await connect(key(.plaintext), to: .plaintext)
    #expect(peer.isTrusted && peer.key == nil && peer.binding.isEmpty && peer.comparison == nil)
  }
}
