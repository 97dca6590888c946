import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity
@testable import FramedTransport

/// The passcode the first time and the key afterwards, with one value on each side.
@Suite(.timeLimit(.minutes(1))) struct PairingTests {
  private let identity: Identity
  private let own: Identity
  private let guests = PinStore()
  private let hosts = PinStore()
  private let passcodes = PasscodeGuard("471123", limitPerAddress: 10)

  init() throws {
    identity = try Identity.ephemeral()
    own = try Identity.ephemeral()
  }

  private var host: ListenerSecurity { .passcode(passcodes, service: "_x._tcp", or: .known(guests), identity: identity) }

  private func guest(_ passcode: Passcode?, identity: Identity? = nil) -> ConnectionSecurity {
    .passcode(passcode, service: "_x._tcp", or: .known(hosts, name: "Ada's room"), identity: identity ?? own)
  }

  /// Connects, and returns what both sides know.
  private func meet(
    _ listener: Listener, _ security: ConnectionSecurity
  ) async throws -> (client: SecurityDetails, server: SecurityDetails) {
    let client = try await listener.reach(security)
    let server = try await listener.accept()
    try await client.send([1])
    #expect(try await server.next() == [1])
    try await server.send([2])
    #expect(try await client.next() == [2])
    client.abort()
    return (try #require(client.securityDetails), try #require(server.securityDetails))
  }

  /// Has strangers make wrong guesses until the guard pauses.
  private func pause(_ passcodes: PasscodeGuard) throws {
    while !passcodes.isPaused {
      let stranger = try #require(SocketAddress(numericHost: "192.0.2.\(passcodes.remainingGuesses)", port: 7))
      let challenge = try #require(passcodes.challenge(stranger))
      #expect(passcodes.judge(challenge, from: stranger) { false } == .wrong)
    }
  }

  @Test func `the passcode the first time, the key afterwards`() async throws {
    try await withListener(host) { listener in
      let security = guest("471 123")
      let first = try await meet(listener, security)
      #expect(first.client.isPasscodeProved && first.server.isPasscodeProved)
      #expect(guests.contains(own.fingerprint) && hosts.key(of: "Ada's room") == identity.fingerprint)
      // With the same value, without a passcode, and while others have made the guard pause.
      try pause(passcodes)
      for security in [security, guest(nil)] {
        let again = try await meet(listener, security)
        #expect(!again.client.isPasscodeProved && !again.server.isPasscodeProved)
        #expect(again.server.peerKey == own.fingerprint && again.client.peerKey == identity.fingerprint)
        #expect(again.client.comparisonCode != nil && again.client.comparisonCode == again.server.comparisonCode)
      }
      // The passcode may have been changed meanwhile.
      passcodes.reopen(with: "999999")
      #expect(try await !meet(listener, security).server.isPasscodeProved)
      #expect(passcodes.remainingGuesses == 10)
    }
  }

  @Test func `a client that was forgotten is told so, and comes in with the passcode, by the same connection`() async throws {
    try await withListener(host) { listener in
      _ = try await meet(listener, guest("471123"))
      try guests.forget(key: own.fingerprint)
      let error = await listener.refusal(guest(nil))
      #expect(error?.code == .keyForgotten && error?.isPermanent == true)
      // The pinned key alone is asked for the passcode, as before.
      #expect(await listener.refusal(.pinned(identity.fingerprint, identity: own))?.code == .passcodeRequired)
      #expect(passcodes.remainingGuesses == 10)
      #expect(await listener.refusal(guest("999999"))?.code == .wrongPasscode)

      let count = listener.metrics.accepted
      let again = try await meet(listener, guest("471123"))
      #expect(again.client.isPasscodeProved && again.server.isPasscodeProved && again.client.comparisonCode == nil)
      #expect(listener.metrics.accepted == count + 1)
      #expect(guests.contains(own.fingerprint))
      #expect(try await !meet(listener, guest(nil)).server.isPasscodeProved)
    }
  }

  @Test func `whoever has another key of their own is asked for the passcode`() async throws {
    try await withListener(host) { listener in
      _ = try await meet(listener, guest("471123"))
      let other = try Identity.ephemeral()
      #expect(await listener.refusal(guest(nil, identity: other))?.code == .keyForgotten)
      #expect(passcodes.remainingGuesses == 10 && !guests.contains(other.fingerprint))
      _ = try await meet(listener, guest("471123", identity: other))
      #expect(guests.contains(other.fingerprint) && guests.contains(own.fingerprint))
    }
  }

  @Test func `to a host that is not known nothing is sent without a passcode`() async throws {
    try await withListener(.plaintext) { listener in
      async let heard = Task { () -> TransportError.Code? in
        let connection = try await listener.accept()
        do throws(TransportError) {
          var frames = connection.frames.makeAsyncIterator()
          #expect(try await frames.next() == nil)
          return nil
        } catch {
          return error.code
        }
      }.value
      let error = await listener.refusal(guest(nil))
      #expect(error?.code == .passcodeRequired && error?.isPermanent == true)
      // A hello of TLS would be a frame that is too large.
      let code = try await heard
      #expect(code == nil || code == .reset)
    }
  }

  // MARK: - Impostors

  @Test func `an impostor gets neither a passcode nor what it depends on`() async throws {
    try hosts.pin(identity.fingerprint, for: "Ada's room")
    let impostor = try Identity.ephemeral()
    let heard = Locked(0)
    // A guard that pauses tells of whoever gives a share.
    let theirs = PasscodeGuard("471123", limit: 1) { event in if case .refused = event { heard.withLock { $0 += 1 } } }
    try pause(theirs)
    let listeners: [ListenerSecurity] = [
      .passcode(theirs, service: "_x._tcp", identity: impostor), .encrypted(impostor),
      .passcode(theirs, service: "_x._tcp", admitsOthers: true, identity: impostor),
      .passcode(theirs, service: "_x._tcp", or: .known(where: { _ in true }), identity: impostor),
      .passcode(theirs, service: "_x._tcp", or: .known(where: { _ in false }), identity: impostor),
    ]
    let pinned = ConnectionSecurity.passcode("471123", service: "_x._tcp", pinned: identity.fingerprint, identity: own)
    for security in listeners {
      try await withListener(security) { listener in
        for client in [guest("471123"), guest(nil), pinned] {
          let error = await listener.refusal(client)
          // A listener without passcodes ends the handshake before it shows a key.
          #expect([.keyChanged, .wrongKey, .passcodeNotAsked].contains(error?.code), "\(String(describing: error))")
          #expect(error?.isPermanent == (error?.code != .passcodeNotAsked))
        }
        try await until { listener.metrics.connections == 0 }
        #expect(listener.metrics.admitted == 0)
      }
    }
    #expect(heard.withLock { $0 } == 0)
    #expect(hosts.key(of: "Ada's room") == identity.fingerprint)
    // The same passcode does give a share to whoever has the right key.
    try await withListener(.passcode(theirs, service: "_x._tcp", identity: identity)) { listener in
      #expect(await listener.refusal(pinned)?.code == .passcodePaused)
    }
    #expect(heard.withLock { $0 } == 1)
  }

  @Test func `another key is a change of key, with both fingerprints`() async throws {
    try hosts.pin(identity.fingerprint, for: "Ada's room")
    let impostor = try Identity.ephemeral()
    try await withListener(.passcode(passcodes, or: .known(guests), identity: impostor)) { listener in
      let change = KeyChange(name: "Ada's room", known: identity.fingerprint, presented: impostor.fingerprint)
      #expect(await listener.refusal(guest("471123"))?.keyChange == change)
      #expect(await listener.refusal(guest(nil))?.keyChange == change)
      // The new key is accepted once somebody has decided so.
      try hosts.forget("Ada's room")
      #expect(await listener.refusal(.passcode("471123", or: .known(hosts, name: "Ada's room"), identity: own)) == nil)
      #expect(hosts.key(of: "Ada's room") == impostor.fingerprint)
    }
  }

  @Test func `which key is accepted is decided when a connection begins`() throws {
    let layer = PairingLayer("471123", service: "", hosts, name: "a", identity: own)
    let address = try #require(SocketAddress(numericHost: "192.0.2.1", port: 7))
    let other = try Identity.ephemeral().fingerprint
    #expect(!layer.acceptsOneKeyOnly && layer.present.proof.exchanges == [.passcode])
    try hosts.pin(identity.fingerprint, for: "a")
    let paired = layer.present
    #expect(layer.acceptsOneKeyOnly && paired.acceptsOneKeyOnly && paired.proof.exchanges == [.keyOrPasscode, .passcode])
    #expect(layer.present === paired)
    try hosts.forget("a")
    #expect(paired.objection(to: other, of: address)?.code == .keyChanged)
    #expect(!layer.acceptsOneKeyOnly && layer.present.proof.exchanges == [.passcode])
    try hosts.pin(other, for: "a")
    #expect(layer.present !== paired && layer.present.objection(to: other, of: address) == nil)
  }

  // MARK: - Other versions and kinds of listeners

  @Test func `a listener that knows no keys has the passcode proved each time`() async throws {
    for admitsOthers in [false, true] {
      let security = ListenerSecurity.passcode(passcodes, service: "_x._tcp", admitsOthers: admitsOthers, identity: identity)
      try await withListener(security) { listener in
        for _ in 0..<2 {
          let details = try await meet(listener, guest("471123")).server
          #expect(details.isPasscodeProved)
        }
        #expect(await listener.refusal(guest(nil))?.code == (admitsOthers ? nil : .keyForgotten))
      }
    }
    try await withListener(.encrypted(identity)) { listener in
      #expect(await listener.refusal(guest("471123"))?.code == .passcodeNotAsked)
    }
  }

  @Test func `a known key with the passcode is let in while the guard pauses`() async throws {
    try guests.pin(own.fingerprint, for: "Bob")
    try pause(passcodes)
    try await withListener(host) { listener in
      let plain = ConnectionSecurity.passcode("471123", service: "_x._tcp", identity: own)
      let stranger = ConnectionSecurity.passcode("471123", service: "_x._tcp", identity: try Identity.ephemeral())
      #expect(await listener.refusal(stranger)?.code == .passcodePaused)
      #expect(try await meet(listener, plain).server.isPasscodeProved)
    }
  }

  // MARK: - Keeping

  @Test func `keys are kept away from the loops, and a key that cannot be kept keeps nobody out`() async throws {
    let folder = try TemporaryFolder()
    let store = try PinStore(at: folder.path + "/missing/guests")
    let told = Locked<[(KeyFingerprint, TransportError, Bool)]>([])
    let loops = TransportLoops(2)
    let all = try loops.started()
    let known = KnownKeys.known(store) { key, error in
      told.withLock { $0.append((key, error, all.contains { $0.loop.isCurrent })) }
    }
    let security = ListenerSecurity.passcode(passcodes, service: "_x._tcp", or: known, identity: identity)
    try await withListener(security, on: loops) { listener in
      async let served: Void = listener.serve { connection in _ = try? await connection.next() }
      let client = try await listener.reach(guest("471123"))
      try await client.send([1])
      await client.close()
      #expect(await listener.refusal(guest(nil))?.code == .keyForgotten)
      await listener.close()
      await served
    }
    let (key, error, isOnLoop) = try #require(told.withLock { $0.first })
    #expect(told.withLock { $0.count } == 1 && key == own.fingerprint && !isOnLoop)
    #expect(error.underlyingError != nil && error.message.contains("missing/guests"))
  }
}
