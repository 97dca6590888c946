import FramedTransport
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity

/// Who can use up whose guesses at a passcode.
@Suite(.timeLimit(.minutes(1))) struct PasscodeMembersTests {
  private let start = ContinuousClock.now
  private let identity: Identity
  private let key: KeyFingerprint

  init() throws {
    identity = try Identity.ephemeral()
    key = try Identity.ephemeral().fingerprint
  }

  private func guesser(_ number: Int, key: KeyFingerprint? = nil, port: UInt16 = 7) throws -> Guesser {
    Guesser(try #require(SocketAddress(numericHost: "198.18.\(number / 256).\(number % 256)", port: port)), key: key)
  }

  /// Makes wrong guesses until one is not evaluated; returns the number of those that were.
  private func useUp(_ budget: inout GuessBudget, _ guesser: Guesser, at now: ContinuousClock.Instant) -> Int {
    var count = 0
    while count < 1_000, budget.begin(guesser, round: budget.round, at: now) != nil { count += 1 }
    return count
  }

  // MARK: - The rules

  @Test func `an address has a part of the guesses, whatever its port`() throws {
    var budget = GuessBudget(limit: 10, limitPerAddress: 3, regain: nil)
    for number in 1...3 as ClosedRange<Int> {
      #expect(budget.permits(try guesser(number), at: start))
      #expect(useUp(&budget, try guesser(number), at: start) == 3)
      #expect(useUp(&budget, try guesser(number, port: 8), at: start) == 0)
      #expect(!budget.permits(try guesser(number), at: start))
    }
    #expect(useUp(&budget, try guesser(4), at: start) == 1)
    // Together no more than before.
    #expect(!budget.permits(try guesser(5), at: start) && budget.remaining(at: start) == 0)
    budget.restart(isNew: false)
    #expect(useUp(&budget, try guesser(1), at: start) == 3)
  }

  @Test func `what is forgiven is given back to its address`() throws {
    var budget = GuessBudget(limit: 10, limitPerAddress: 2, regain: .seconds(60))
    #expect(useUp(&budget, try guesser(1), at: start) == 2)
    #expect(useUp(&budget, try guesser(2), at: start) == 2)
    #expect(useUp(&budget, try guesser(1), at: start + .seconds(120)) == 2)
    #expect(useUp(&budget, try guesser(2), at: start + .seconds(120)) == 0)
  }

  /// Lets somebody prove the passcode.
  private func prove(_ budget: inout GuessBudget, _ guesser: Guesser, at now: ContinuousClock.Instant) throws {
    let permit = budget.begin(guesser, round: budget.round, at: now)
    budget.succeed(try #require(permit), of: guesser)
  }

  @Test(arguments: [true, false])
  func `a member comes back by its key or its address when all guesses are used up`(hasKey: Bool) throws {
    var budget = GuessBudget(limit: 4, limitPerAddress: 3, regain: nil)
    let member = try guesser(1, key: hasKey ? key : nil)
    try prove(&budget, member, at: start)
    #expect(useUp(&budget, try guesser(2), at: start) + useUp(&budget, try guesser(3), at: start) == 4)
    #expect(budget.remaining(at: start) == 0)
    for _ in 0..<100 { try prove(&budget, member, at: start) }
    // With a key it may come from anywhere.
    let elsewhere = try guesser(9, key: hasKey ? key : nil)
    #expect(budget.permits(elsewhere, at: start) == hasKey)
    // The key of somebody who has proved nothing is worth nothing.
    #expect(!budget.permits(try guesser(9, key: identity.fingerprint), at: start))
  }

  @Test func `a stranger at the address of a member with a key shuts nobody out`() throws {
    var budget = GuessBudget(limit: 10, limitPerAddress: 3, regain: nil)
    let member = try guesser(1, key: key)
    try prove(&budget, member, at: start)
    // One guess of the address as a member, then those of strangers.
    #expect(useUp(&budget, try guesser(1), at: start) == 4)
    #expect(!budget.permits(try guesser(1), at: start))
    try prove(&budget, member, at: start)
    #expect(useUp(&budget, try guesser(2), at: start) == 3)
  }

  @Test func `wrong guesses of a member wait twice as long each time, also if it is right between`() throws {
    var members = PasscodeMembers()
    let member = try guesser(1)
    #expect(members.begin(member, at: start) == nil)
    members.add(member)
    var now = start
    for wait in [1, 2, 4, 8, 16, 32] {
      let right = members.begin(member, at: now)
      // Nobody makes two guesses at the same time.
      #expect(right != nil && !members.permits(member, at: now))
      members.giveBack(try #require(right))
      members.add(member)
      #expect(members.begin(member, at: now) != nil)
      #expect(!members.permits(member, at: now + .seconds(wait) - .nanoseconds(1)))
      now += .seconds(wait)
      #expect(members.permits(member, at: now))
    }
    var count = 6
    while now < start + .seconds(86_400) {
      #expect(members.begin(member, at: now) != nil)
      now += .seconds(1 << count)
      count += 1
    }
    #expect(count == 17)
    // The waits end somewhere.
    for _ in 0..<100 where members.begin(member, at: now) != nil { now += .seconds(1 << 20) }
    #expect(members.permits(member, at: now))
  }

  @Test func `a new passcode is to be proved anew, and members are bounded`() throws {
    var budget = GuessBudget(limit: 1, regain: nil)
    try prove(&budget, try guesser(1), at: start)
    budget.restart(isNew: false)
    #expect(useUp(&budget, try guesser(2), at: start) == 1)
    try prove(&budget, try guesser(1), at: start)
    budget.restart(isNew: true)
    #expect(useUp(&budget, try guesser(2), at: start) == 1)
    #expect(!budget.permits(try guesser(1), at: start))

    var members = PasscodeMembers()
    for number in 0..<1_124 { members.add(try guesser(number)) }
    // The latest stay.
    #expect(try (0..<1_124).filter { members.permits(try guesser($0), at: start) } == Array(100..<1_124))
  }

  // MARK: - Over connections

  private static let policy = ReconnectionPolicy(base: .milliseconds(1), cap: .milliseconds(2))

  @Test func `a wrong passcode is given once by default, and ends the sequence`() async throws {
    let passcodes = PasscodeGuard("471123")
    try await withListener(.passcode(passcodes, identity: identity)) { listener in
      let addresses = listener.addresses
      let guest = Reconnections(policy: Self.policy) {
        try await Connection.connect(to: addresses, limits: .untimed, security: .passcode("999999"))
      }
      let error = await #expect(throws: TransportError.self) { for try await _ in guest {} }
      #expect(error?.code == .wrongPasscode && error?.isPermanent == true)
      #expect(passcodes.remainingGuesses == 9)
    }
  }

  /// Both are at one address: the member is known by its key, or it comes over the other family.
  @Test(arguments: [true, false])
  func `a member whose connection breaks comes back while a guest tries a wrong passcode for ever`(
    hasKey: Bool
  ) async throws {
    let identity = identity
    let refusals = Observed(0)
    let passcodes = PasscodeGuard("471123", limit: 5, limitPerAddress: 3)
    try await withListener(.passcode(passcodes, identity: identity)) { listener in
      let ipv4 = listener.addresses.filter { $0.family == .ipv4 }
      let ipv6 = listener.addresses.filter { $0.family == .ipv6 }
      try #require(!ipv4.isEmpty && !ipv6.isEmpty)
      let security = ConnectionSecurity.passcode("471123", identity: hasKey ? try Identity.ephemeral() : nil)
      let member = Task {
        let connections = Reconnections(policy: Self.policy) {
          try await Connection.connect(to: hasKey ? ipv4 : ipv6, limits: .untimed, security: security)
        }
        for try await connection in connections {
          do { for try await _ in connection.frames {} } catch {}
        }
      }
      let guest = Task {
        let connections = Reconnections(policy: Self.policy) {
          try await Connection.connect(to: ipv4, limits: .untimed, security: .passcode("999999"))
        } events: { event in
          if case .failed(let error) = event, error.code == .passcodePaused { refusals.change { $0 += 1 } }
        } retry: { _ in
          true
        }
        for try await connection in connections { connection.abort() }
      }
      for _ in 0..<3 {
        let connection = try await listener.accept()
        // The guest has used up what it may.
        _ = await refusals.take { count -> Bool? in
          guard count > 5 else { return nil }
          count = 0
          return true
        }
        connection.abort()
      }
      try await listener.accept().abort()
      for task in [member, guest] { task.cancel() }
      for task in [member, guest] { _ = await task.result }
      #expect(passcodes.remainingGuesses >= 1)
    }
  }
}
