import FramedTransport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity

/// Somebody on the network answers in the place of the right peer: the right one is still reached, at another address or later.
@Suite(.timeLimit(.minutes(1))) struct OtherPeerTests {
  private let identity: Identity
  private let impostor: Identity

  init() throws {
    identity = try Identity.ephemeral()
    impostor = try Identity.ephemeral()
  }

  /// A peer with a key in a store that `firstUse` knows, with that key itself, and with a passcode; and what each says of an impostor.
  private func clients() throws -> [(ConnectionSecurity, TransportError.Code)] {
    let store = PinStore()
    try store.pin(identity.fingerprint, for: "Ada's room")
    let own = try Identity.ephemeral()
    return [
      (.pinned(identity.fingerprint), .wrongKey), (.firstUse(store, name: "Ada's room"), .keyChanged),
      (.passcode("471123", pinned: identity.fingerprint), .wrongKey),
      (.passcode("471123", or: .known(store, name: "Ada's room"), identity: own), .keyChanged),
    ]
  }

  @Test func `an impostor at an address of the host does not keep a client from the others`() async throws {
    let host = ListenerSecurity.passcode(PasscodeGuard("471123"), admitsOthers: true, identity: identity)
    let other = ListenerSecurity.passcode(PasscodeGuard("999999"), admitsOthers: true, identity: impostor)
    try await withListener(host) { listener in
      try await withListener(other) { wrong in
        for (client, code) in try clients() {
          let connection = try await Connection.connect(
            to: wrong.addresses + listener.addresses, limits: .untimed, security: client)
          #expect(listener.addresses.contains(connection.peer))
          #expect(connection.securityDetails?.peerKey == identity.fingerprint)
          connection.abort()
          // The keys of an error are kept, also where nobody answers at another address.
          let error = await #expect(throws: TransportError.self) {
            try await Connection.connect(to: wrong.addresses, limits: .untimed, security: client)
          }
          #expect(error?.code == code && error?.keyChange?.presented == impostor.fingerprint)
        }
        #expect(wrong.metrics.admitted == 0)
      }
    }
  }

  @Test func `a listener that asks for no passcode does not keep a client from the one that does`() async throws {
    try await withListener(.passcode("471123", identity: identity)) { listener in
      for security in [ListenerSecurity.encrypted(impostor), .certificate(impostor)] {
        try await withListener(security) { wrong in
          let connection = try await Connection.connect(
            to: wrong.addresses + listener.addresses, limits: .untimed, security: .passcode("471123"))
          #expect(connection.securityDetails?.isPasscodeProved == true)
          connection.abort()
        }
      }
    }
  }

  @Test func `a program that speaks something else does not keep a client from the peer`() async throws {
    try await withListener(.passcode("471123", identity: identity)) { listener in
      try await withListener { wrong in
        let greeting = Task {
          for await stranger in wrong.connections {
            try? await stranger.send(Array("SSH-2.0-something\r\n".utf8))
            await stranger.close()
          }
        }
        let connection = try await Connection.connect(
          to: wrong.addresses + listener.addresses, limits: .untimed, security: .passcode("471123"))
        #expect(listener.addresses.contains(connection.peer))
        connection.abort()
        // Where it is alone, what it speaks is told.
        #expect(await wrong.refusal(.passcode("471123"))?.code == .notEncrypted)
        greeting.cancel()
      }
    }
  }

  @Test func `a refusal of the passcode is not tried at another address`() async throws {
    let passcodes = PasscodeGuard("999999", limit: 100, limitPerAddress: 100)
    try await withListener(.passcode(passcodes, identity: identity)) { listener in
      #expect(listener.addresses.count > 1)
      #expect(await listener.refusal(.passcode("471123"))?.code == .wrongPasscode)
    }
    #expect(passcodes.remainingGuesses == 99)
  }

  // MARK: - Coming back

  /// Connects again and again; the codes of the attempts, of which the last was thrown.
  private func comeBack(
    _ connect: @escaping @Sendable (Int) async throws -> Connection,
    retry: @escaping @Sendable (TransportError) -> Bool = { !$0.isPermanent }, limit: Int? = nil
  ) async -> (codes: [TransportError.Code], error: TransportError?) {
    let codes = Locked<[TransportError.Code]>([])
    let attempts = Locked(0)
    let connections = Reconnections(
      policy: ReconnectionPolicy(base: .nanoseconds(1), cap: .nanoseconds(1), failureLimit: limit),
      connectingBy: {
        let attempt = attempts.withLock { attempts in
          attempts += 1
          return attempts
        }
        return try await connect(attempt)
      },
      events: { event in if case .failed(let error) = event { codes.withLock { $0.append(error.code) } } }, retry: retry)
    let error = await #expect(throws: TransportError.self) {
      for try await connection in connections { connection.abort() }
    }
    return (codes.withLock { $0 }, error)
  }

  @Test func `what anybody can cause ends a client that comes back at the tenth time in a row, and not before`() async throws {
    let certificate = try TestCertificate()
    let trusting = try ConnectionSecurity.certificate(for: "localhost", authorities: TestCertificate().certificate)
    let cases: [(ListenerSecurity, ConnectionSecurity, TransportError.Code)] = [
      (.encrypted(impostor), .passcode("471123"), .passcodeNotAsked),
      (.certificate(try certificate.identity()), trusting, .untrustedCertificate),
    ]
    for (server, client, code) in cases {
      try await withListener(server) { listener in
        #expect(await listener.refusal(client)?.isPermanent == false)
        let (codes, error) = await comeBack { _ in try await listener.reach(client) }
        #expect(codes.count == 10 && codes.allSatisfy { $0 == code })
        #expect(error?.code == code && error?.isPermanent == true)
        // Whoever decides for themselves is asked with the tenth, too.
        let (more, _) = await comeBack({ _ in try await listener.reach(client) }, retry: { _ in true }, limit: 25)
        #expect(more.count == 25)
        let (one, _) = await comeBack({ _ in try await listener.reach(client) }, retry: { $0.code != code })
        #expect(one == [code])
      }
    }
  }

  @Test func `another error or a connection begins a new row`() async throws {
    try await withListener(.encrypted(impostor)) { wrong in
      try await withListener(.passcode("471123", identity: identity)) { listener in
        // Nine times somebody else, then nobody, nine times, then the host, and then for good.
        let (codes, error) = await comeBack { attempt in
          if attempt == 10 { return try await Connection.connect(to: []) }
          return try await (attempt == 20 ? listener : wrong).reach(.passcode("471123"))
        }
        #expect(codes.count == 9 + 1 + 9 + 10 && codes[9] == .unreachable)
        #expect(error?.code == .passcodeNotAsked && error?.isPermanent == true)
      }
    }
  }

  @Test func `another key ends a client that comes back at once`() async throws {
    try await withListener(.encrypted(impostor)) { listener in
      let client = ConnectionSecurity.pinned(identity.fingerprint)
      let (codes, error) = await comeBack { _ in try await listener.reach(client) }
      #expect(codes == [.wrongKey] && error?.keyChange?.presented == impostor.fingerprint)
      let (more, last) = await comeBack({ _ in try await listener.reach(client) }, retry: { _ in true }, limit: 12)
      #expect(more.count == 12 && last?.keyChange?.presented == impostor.fingerprint)
    }
  }
}
