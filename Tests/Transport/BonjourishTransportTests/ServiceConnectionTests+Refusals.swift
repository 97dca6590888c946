import Bonjourish
import FramedJSON
import FramedSecurity
import FramedTransport
import TestSupport
import Testing
import _BonjourishEventLoop

@testable import BonjourishTransport

private let ada = ServiceInstance("Ada", type: "_echo._tcp")

/// What a service that was found refuses for good, or for a while.
extension ServiceConnectionTests {
  private static let policy = ReconnectionPolicy(base: .milliseconds(1), cap: .milliseconds(1))

  private func withListener(_ security: ListenerSecurity, _ body: (Listener) async throws -> Void) async throws {
    let listener = try await Listener.bind(interface: "lo", security: security)
    do {
      try await body(listener)
      await listener.close()
    } catch {
      await listener.close()
      throw error
    }
  }

  private func reconnections(
    _ security: ConnectionSecurity, events: @escaping @Sendable (ReconnectionEvent) -> Void = { _ in },
    retry: @escaping @Sendable (TransportError) -> Bool = { !$0.isPermanent }
  ) -> Reconnections {
    Reconnections(to: ada, using: bonjour, security: security, policy: Self.policy, events: events, retry: retry)
  }

  @Test func `a wrong passcode is given to a service once, and its error has the code`() async throws {
    let passcodes = PasscodeGuard("471123")
    try await withListener(.passcode(passcodes, identity: .ephemeral())) { listener in
      let connections = reconnections(.passcode("999999"))
      let iterating = Task { for try await _ in connections {} }
      await answer(port: listener.port)
      let error = await #expect(throws: TransportError.self) { try await iterating.value }
      #expect(error?.code == .wrongPasscode && error?.isPermanent == true)
      #expect((error?.underlyingError as? ServiceConnectionError)?.instance == ada)
      #expect(passcodes.remainingGuesses == 9)
    }
  }

  @Test func `requests to a service tell that its passcode is another, and no further one is tried`() async throws {
    let passcodes = PasscodeGuard("471123")
    try await withListener(.passcode(passcodes, identity: .ephemeral())) { listener in
      let connections = reconnections(.passcode("999999"))
      let asking = Task {
        await connections.withRequests(JSONCodec<String>(), replies: JSONCodec<String>()) { client in
          var codes: [TransportError.Code?] = []
          for _ in 0..<3 {
            do throws(MessagingError) {
              _ = try await client.request("hello", within: .seconds(600), policy: .idempotent)
              codes.append(nil)
            } catch {
              codes.append(error.transport?.code)
            }
          }
          return codes
        }
      }
      await answer(port: listener.port)
      #expect(await asking.value == [.wrongPasscode, .wrongPasscode, .wrongPasscode])
      #expect(passcodes.remainingGuesses == 9)
    }
  }

  @Test func `with another decision a client waits until the host lets people in again`() async throws {
    let passcodes = PasscodeGuard("471123", limit: 1)
    try await withListener(.passcode(passcodes, identity: .ephemeral())) { listener in
      // Somebody else uses up the guesses.
      await #expect(throws: TransportError.self) {
        try await Connection.connect(to: listener.addresses, security: .passcode("999999"))
      }
      let failures = Observed<[TransportError.Code]>([])
      let connections = reconnections(.passcode("471123")) { event in
        if case .failed(let error) = event { failures.change { $0.append(error.code) } }
      } retry: { error in
        error.code == .passcodePaused || !error.isPermanent
      }
      async let connecting = connections.first { _ in true }
      await answer(port: listener.port)
      _ = await failures.take { codes in codes.isEmpty ? nil : true }
      passcodes.reopen()
      await answer(port: listener.port, time: 2)
      let connection = try #require(try await connecting)
      #expect(connection.securityDetails?.isPasscodeProved == true)
      #expect(failures.change { $0 } == [.passcodePaused])
      connection.abort()
    }
  }

  @Test func `a paired client comes back by its key, and ends when it was forgotten`() async throws {
    let (guests, hosts) = (PinStore(), PinStore())
    let (identity, own) = (try Identity.ephemeral(), try Identity.ephemeral())
    let passcodes = PasscodeGuard("471123")
    try await withListener(.passcode(passcodes, or: .known(guests), identity: identity)) { listener in
      let security = ConnectionSecurity.passcode("471123", or: .known(hosts, name: "Ada"), identity: own)
      let proofs = Observed<[Bool?]>([])
      let connections = reconnections(security)
      let iterating = Task {
        for try await connection in connections {
          proofs.change { $0.append(connection.securityDetails?.isPasscodeProved) }
          do { for try await _ in connection.frames {} } catch {}
        }
      }
      var accepted = listener.connections.makeAsyncIterator()
      for (time, hasEnough) in [(1, 1), (2, 2)] {
        await answer(port: listener.port, time: time)
        let server = try #require(await accepted.next())
        _ = await proofs.take { $0.count >= hasEnough ? true : nil }
        // Another passcode does not matter to whoever is known.
        passcodes.reopen(with: "555555")
        if time == 2 { try guests.forget(key: own.fingerprint) }
        server.abort()
      }
      // The passcode that it has is another by now: a person must be asked.
      await answer(port: listener.port, time: 3)
      let error = await #expect(throws: TransportError.self) { try await iterating.value }
      #expect(error?.code == .wrongPasscode && passcodes.remainingGuesses == 9)
      #expect(proofs.change { $0 } == [true, false])
    }
  }

  @Test func `a program that is told to end while its host lets nobody in ends in order`() async throws {
    let passcodes = PasscodeGuard("471123", limit: 1)
    try await withListener(.passcode(passcodes, identity: .ephemeral())) { listener in
      await #expect(throws: TransportError.self) {
        try await Connection.connect(to: listener.addresses, security: .passcode("999999"))
      }
      let events = Observed<[String]>([])
      let connections = Reconnections(
        to: ada, using: bonjour, security: .passcode("471123"),
        policy: ReconnectionPolicy(base: .seconds(3600), cap: .seconds(3600))
      ) { event in
        events.change { $0.append(event.description.split(separator: " ").first.map(String.init) ?? "") }
      } retry: { _ in
        true
      }
      let iterating = Task { for try await _ in connections {} }
      await answer(port: listener.port)
      _ = await events.take { $0.last == "waiting" ? true : nil }
      iterating.cancel()
      try await iterating.value
      #expect(events.change { $0 } == ["connecting", "failed:", "waiting"])
    }
  }

  @Test func `a service at another host's key ends the sequence before a passcode is given`() async throws {
    let passcodes = PasscodeGuard("999999")
    let (hosts, own) = (PinStore(), try Identity.ephemeral())
    try hosts.pin(own.fingerprint, for: "Ada")
    try await withListener(.passcode(passcodes, identity: .ephemeral())) { listener in
      let connections = reconnections(.passcode("471123", or: .known(hosts, name: "Ada"), identity: own))
      let iterating = Task { for try await _ in connections {} }
      await answer(port: listener.port)
      let error = await #expect(throws: TransportError.self) { try await iterating.value }
      #expect(error?.code == .keyChanged && error?.keyChange?.known == own.fingerprint)
      #expect(passcodes.remainingGuesses == 10)
    }
  }
}
