import FramedTransport
import TestSupport
import Testing
import TransportTestSupport

@testable import FramedSecurity

/// The key is compared before anything is asked, and a key that is known does in place of a passcode.
@Suite(.timeLimit(.minutes(1))) struct KnownKeyTests {
  private let identity: Identity
  private let own: Identity

  init() throws {
    identity = try Identity.ephemeral()
    own = try Identity.ephemeral()
  }

  @Test func `whoever has another key is told apart before a passcode is asked for`() async throws {
    let store = PinStore()
    try store.pin(identity.fingerprint, for: "Ada's room")
    let impostor = try Identity.ephemeral()
    let listeners: [ListenerSecurity] = [
      .passcode("471123", identity: impostor), .encrypted(impostor),
      .passcode(PasscodeGuard("471123"), admitsOthers: true, identity: impostor),
      .passcode(PasscodeGuard("471123"), or: .known(where: { _ in false }), identity: impostor),
    ]
    for security in listeners {
      try await withListener(security) { listener in
        let error = await listener.refusal(.pinned(identity.fingerprint, identity: own))
        #expect(error?.code == .wrongKey && error?.keyChange?.presented == impostor.fingerprint)
        #expect(await listener.refusal(.firstUse(store, name: "Ada's room"))?.code == .keyChanged)
        #expect(listener.metrics.admitted == 0)
      }
    }
    // The right one asks for it; so does a stranger's, where no key is known.
    try await withListener(.passcode("471123", identity: identity)) { listener in
      for client in [ConnectionSecurity.pinned(identity.fingerprint), .firstUse(store, name: "Ada's room"), .anyKey()] {
        #expect(await listener.refusal(client)?.code == .passcodeRequired)
      }
    }
  }

  @Test func `an alert without a key makes no app that knows the key ask for a passcode`() async throws {
    // The first byte of a record with an alert (RFC 8446, section 6) is the length of the frame: 21. This one says that there is no
    // protocol in common (120).
    let frame: [UInt8] = [3, 3, 0, 2, 2, 120] + [UInt8](repeating: 0, count: 15)
    let format = FrameFormat(lengthWidth: .one, maximumBodySize: 255)
    try await withListener(.plaintext, format: format) { listener in
      async let served: Void = {
        for await connection in listener.connections {
          try? await connection.send(frame)
          _ = try? await connection.next()
        }
      }()
      let store = PinStore()
      try store.pin(identity.fingerprint, for: "a")
      for client in [ConnectionSecurity.pinned(identity.fingerprint), .firstUse(store, name: "a")] {
        #expect(await listener.refusal(client)?.code == .handshakeFailed)
      }
      await listener.close()
      await served
    }
  }

  @Test func `first the passcode, then the key, at one listener`() async throws {
    let known = PinStore()
    let passcodes = PasscodeGuard("471123", limitPerAddress: 10)
    let security = ListenerSecurity.passcode(
      passcodes, service: "_x._tcp", or: .known(where: known.contains), identity: identity)
    try await withListener(security) { listener in
      let pinned = ConnectionSecurity.pinned(identity.fingerprint, identity: own)
      #expect(await listener.refusal(pinned)?.code == .passcodeRequired)

      let first = try await listener.reach(.passcode("471123", service: "_x._tcp", identity: own))
      let guest = try await listener.accept()
      let details = try #require(guest.securityDetails)
      #expect(details.isPasscodeProved && first.securityDetails?.peerKey == identity.fingerprint)
      try known.pin(try #require(details.peerKey), for: "Bob")

      let client = try await listener.reach(pinned)
      let server = try await listener.accept()
      try await client.send([1])
      #expect(try await server.next() == [1])
      #expect(server.securityDetails?.isPasscodeProved == false && server.securityDetails?.peerKey == own.fingerprint)
      #expect(client.securityDetails?.comparisonCode == server.securityDetails?.comparisonCode)

      // Others, those without a key included, are asked, and a wrong passcode is one, also of who has a known key.
      for stranger in [try Identity.ephemeral(), nil] {
        #expect(await listener.refusal(.pinned(identity.fingerprint, identity: stranger))?.code == .passcodeRequired)
      }
      #expect(await listener.refusal(.passcode("1", service: "_x._tcp", identity: own))?.code == .wrongPasscode)
      // While the guard pauses, who is known comes in. Some guesses do not count, because Bob has proved the passcode from this address.
      for guess in 2..<40 where !passcodes.isPaused {
        _ = await listener.refusal(.passcode(Passcode(text: "\(guess)")!, service: "_x._tcp"))
      }
      #expect(passcodes.isPaused)
      #expect(await listener.refusal(pinned) == nil)
      // Until the key is forgotten.
      try known.forget("Bob")
      #expect(await listener.refusal(pinned)?.code == .passcodeRequired)
    }
  }

  @Test func `what was demanded is told by the listener too, and is counted`() async throws {
    let security = ListenerSecurity.passcode(PasscodeGuard("471123"), or: .known(where: { _ in false }), identity: identity)
    try await withListener(security) { listener in
      for _ in 0..<3 { #expect(await listener.refusal(.anyKey())?.code == .passcodeRequired) }
      try await until { listener.metrics.connections == 0 }
      #expect(listener.metrics.securityFailures[.handshakeFailed] == 3 && listener.metrics.admitted == 0)
    }
  }
}
