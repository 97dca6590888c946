import FramedTransport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity

/// What a client gives to those who answer in the place of a host whose key it does not know.
@Suite(.timeLimit(.minutes(1))) struct ProofBudgetTests {
  private let host: Identity
  private let impostor: Identity

  init() throws {
    host = try Identity.ephemeral()
    impostor = try Identity.ephemeral()
  }

  // MARK: - The value

  @Test func `ten proofs may stay without an answer, whoever got them`() {
    var budget = ProofBudget()
    for number in 0..<10 { #expect(budget.take(for: number % 2 == 0 ? host.fingerprint : impostor.fingerprint) == true) }
    #expect(!budget.take(for: host.fingerprint) && !budget.take(for: impostor.fingerprint))
  }

  @Test func `a host that has proved the passcode costs nothing, before or afterwards, and forgives nobody else`() {
    var budget = ProofBudget()
    for _ in 0..<4 { #expect(budget.take(for: host.fingerprint) == true) }
    for _ in 0..<6 { #expect(budget.take(for: impostor.fingerprint) == true) }
    budget.confirm(host.fingerprint)
    for _ in 0..<100 { #expect(budget.take(for: host.fingerprint) == true) }
    for _ in 0..<4 { #expect(budget.take(for: impostor.fingerprint) == true) }
    #expect(budget.take(for: impostor.fingerprint) == false)
    budget.confirm(host.fingerprint)
    #expect(!budget.take(for: impostor.fingerprint) && budget.take(for: host.fingerprint))
  }

  @Test func `a bounded number of hosts is remembered`() throws {
    var budget = ProofBudget()
    for _ in 0..<ProofBudget.mostListeners + 1 {
      let key = try Identity.ephemeral().fingerprint
      #expect(budget.take(for: key) == true)
      budget.confirm(key)
    }
    budget.confirm(host.fingerprint)
    for _ in 0..<100 { #expect(budget.take(for: host.fingerprint) == true) }
  }

  @Test(arguments: [(15, true), (16, false)]) func `sixteen hosts that have proved the passcode are remembered`(
    others: Int, isRemembered: Bool
  ) throws {
    var budget = ProofBudget()
    budget.confirm(host.fingerprint)
    for number in 0..<others {
      budget.confirm(try #require(KeyFingerprint([UInt8](repeating: UInt8(number), count: KeyFingerprint.byteCount))))
    }
    #expect((0..<11).allSatisfy { _ in budget.take(for: host.fingerprint) } == isRemembered)
  }

  // MARK: - The exchange

  private let peer = SocketAddress(numericHost: "192.0.2.1", port: 7)!

  /// An exchange with whoever has a key, up to the client's proof: whether it is given, and what follows on an answer.
  private func prove(_ count: ProofCount, to key: KeyFingerprint, isAnswered: Bool) throws -> IntroductionStep {
    let context = PasscodeContext(ChannelBinding(SecretBytes.random(count: 64)), service: "")
    var client = PasscodeInitiator("471123", context, allowance: ProofAllowance(count: count, key: key))
    var server = PasscodeResponder(PasscodeGuard("471123"), peer: peer, context)
    let question = try #require(client.begin().reply)
    let share = try #require(server.handle(question).reply)
    let proof = client.handle(share)
    guard isAnswered, let tag = proof.reply else { return proof }
    let answer = try #require(server.handle(tag).reply)
    return client.handle(answer)
  }

  @Test func `whoever ends the exchange after the proof gets ten proofs, and then none`() throws {
    let count = ProofCount()
    for _ in 0..<10 {
      let step = try prove(count, to: impostor.fingerprint, isAnswered: false)
      #expect(step.reply?.kind == .tag && step.outcome == nil)
    }
    #expect(try prove(count, to: impostor.fingerprint, isAnswered: false) == .fail(.proofsSpent))
    #expect(try prove(count, to: host.fingerprint, isAnswered: true) == .fail(.proofsSpent))
  }

  @Test func `a host that restarts in the exchange again and again is not taken for an impostor once it has answered`() throws {
    let count = ProofCount()
    for _ in 0..<9 { _ = try prove(count, to: host.fingerprint, isAnswered: false) }
    #expect(try prove(count, to: host.fingerprint, isAnswered: true).outcome == .established(nil))
    for _ in 0..<50 { #expect(try prove(count, to: host.fingerprint, isAnswered: false).reply?.kind == .tag) }
    #expect(try prove(count, to: host.fingerprint, isAnswered: true).outcome == .established(nil))
    // Nobody else has become better for it.
    for _ in 0..<10 { #expect(try prove(count, to: impostor.fingerprint, isAnswered: false).reply?.kind == .tag) }
    #expect(try prove(count, to: impostor.fingerprint, isAnswered: false) == .fail(.proofsSpent))
  }

  // MARK: - Connections

  private var wrong: PasscodeGuard { PasscodeGuard("999999", limit: 1_000, limitPerAddress: 1_000) }

  @Test func `whatever retry says, a client that comes back gives an impostor ten guesses`() async throws {
    let passcodes = wrong
    let client = ConnectionSecurity.passcode("471123")
    let told = Locked<[TransportError.Code]>([])
    try await withListener(.passcode(passcodes, identity: impostor)) { listener in
      let connections = Reconnections(
        policy: ReconnectionPolicy(base: .nanoseconds(1), cap: .nanoseconds(1), failureLimit: 15),
        connectingBy: { try await listener.reach(client) },
        events: { event in if case .failed(let error) = event { told.withLock { $0.append(error.code) } } },
        retry: { _ in true })
      let error = await #expect(throws: TransportError.self) { for try await _ in connections {} }
      #expect(error?.code == .passcodeUnconfirmed && error?.isPermanent == true)
    }
    let codes = told.withLock { $0 }
    #expect(codes.prefix(10).allSatisfy { $0 == .wrongPasscode })
    #expect(codes.dropFirst(10).count == 5 && codes.dropFirst(10).allSatisfy { $0 == .passcodeUnconfirmed })
    // No more guesses have come to the impostor's listener.
    #expect(passcodes.remainingGuesses == 990)
  }

  @Test func `a client that has no proofs left is let in by a host that it knows`() async throws {
    let (hosts, guests) = (PinStore(), PinStore())
    let own = try Identity.ephemeral()
    let client = ConnectionSecurity.passcode("471123", or: .known(hosts, name: "Ada's room"), identity: own)
    try await withListener(.passcode(wrong, or: .known(PinStore()), identity: impostor)) { listener in
      for _ in 0..<10 { #expect(await listener.refusal(client)?.code == .wrongPasscode) }
      #expect(await listener.refusal(client)?.code == .passcodeUnconfirmed)
    }
    try await withListener(.passcode(PasscodeGuard("471123"), or: .known(guests), identity: host)) { listener in
      #expect(await listener.refusal(client)?.code == .passcodeUnconfirmed)
      // Another value begins anew, and so may the same one once the key is known.
      let anew = ConnectionSecurity.passcode("471123", or: .known(hosts, name: "Ada's room"), identity: own)
      #expect(await listener.refusal(anew) == nil)
      #expect(hosts.key(of: "Ada's room") == host.fingerprint)
      try await until { guests.contains(own.fingerprint) }
      #expect(await listener.refusal(client) == nil)
      try guests.forget(key: own.fingerprint)
      #expect(await listener.refusal(client) == nil)
    }
  }

  @Test func `a key that is known before is not counted, because nobody else has it`() async throws {
    let client = ConnectionSecurity.passcode("471123", pinned: host.fingerprint)
    try await withListener(.passcode(wrong, identity: host)) { listener in
      for _ in 0..<12 { #expect(await listener.refusal(client)?.code == .wrongPasscode) }
    }
  }
}
