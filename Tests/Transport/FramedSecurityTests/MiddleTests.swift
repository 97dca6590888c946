import FramedTransport
import Testing
import TransportTestSupport

@testable import FramedSecurity

/// Somebody who sits between two programs, terminates TLS on both sides, and passes on what they like.
@Suite(.timeLimit(.minutes(2))) struct MiddleTests {
  private let host: Identity
  private let middle: Identity

  init() throws {
    host = try Identity.ephemeral()
    middle = try Identity.ephemeral()
  }

  /// Passes frames on between whoever connects and a listener, and counts those who could be fooled.
  private func withMiddle(
    to listener: Listener, _ towardsClient: ListenerSecurity, _ towardsHost: ConnectionSecurity,
    _ body: (Listener) async throws -> Void
  ) async throws {
    try await withListener(towardsClient) { middle in
      let relay = Task {
        await middle.serve { client in
          guard let server = try? await listener.reach(towardsHost) else { return }
          await withTaskGroup { group in
            group.addTask { await Self.pass(from: client, to: server) }
            group.addTask { await Self.pass(from: server, to: client) }
          }
        }
      }
      defer { relay.cancel() }
      try await body(middle)
    }
  }

  private static func pass(from source: Connection, to target: Connection) async {
    do {
      for try await frame in source.frames { try await target.send(frame) }
    } catch {}
    target.finishSending()
  }

  @Test func `with a passcode, a hundred of a hundred attempts fail on both sides`() async throws {
    let passcodes = PasscodeGuard("471123", limit: 1_000, limitPerAddress: 1_000)
    try await withListener(.passcode(passcodes, identity: host)) { listener in
      // They do not know the passcode, and use one of their own on each side.
      let guess = Passcode(text: "000000")!
      try await withMiddle(
        to: listener, .passcode(PasscodeGuard(guess, limit: 1_000, limitPerAddress: 1_000), identity: middle), .passcode(guess)
      ) { middle in
        for _ in 0..<100 { #expect(await middle.refusal(.passcode("471123"))?.code == .wrongPasscode) }
      }
      #expect(listener.metrics.admitted == 0)
      // They say that no passcode is needed.
      try await withMiddle(to: listener, .encrypted(middle), .passcode(guess)) { middle in
        #expect(await middle.refusal(.passcode("471123"))?.code == .passcodeNotAsked)
      }
    }
  }

  @Test func `in an open room the pin tells, and at the first time the code does`() async throws {
    try await withListener(.encrypted(host)) { listener in
      try await withMiddle(to: listener, .encrypted(middle), .anyKey()) { middle in
        let store = PinStore()
        try store.pin(host.fingerprint, for: "Ada's room")
        #expect(await middle.refusal(.firstUse(store, name: "Ada's room"))?.code == .keyChanged)
        #expect(await middle.refusal(.pinned(host.fingerprint))?.code == .wrongKey)
        var equal = 0
        for _ in 0..<20 {
          let client = try await middle.reach(.firstUse(PinStore(), name: "Ada's room"))
          let server = try await listener.accept()
          // The frames come through, so only the code tells.
          try await client.send([1])
          #expect(try await server.next() == [1])
          if client.securityDetails?.comparisonCode == server.securityDetails?.comparisonCode { equal += 1 }
          client.abort()
        }
        #expect(equal <= 1)
      }
    }
  }
}
