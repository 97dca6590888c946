import Testing
import _BonjourishEventLoop

@testable import FramedTransport

struct AttemptBudgetTests {
  private let start = ContinuousClock.now

  private func target(_ host: String, _ port: UInt16) throws -> SocketAddress {
    try #require(SocketAddress(numericHost: host, port: port))
  }

  /// The attempts that are made in a second after many were wanted at once.
  private func attempts(_ count: Int, within limit: Duration, at target: (Int) throws -> SocketAddress) rethrows -> [Duration] {
    var budget = AttemptBudget()
    return try (0..<count).compactMap { number in
      budget.reserve(try target(number), at: start, before: start + limit).map { $0 - start }
    }
  }

  @Test func `three hundred services at one target give a few attempts at once and four a second`() throws {
    let turns = try attempts(300, within: .seconds(2)) { _ in try target("192.0.2.7", 80) }
    let later: [Duration] = (1...8).map { .milliseconds(250 * $0) }
    #expect(turns == [Duration](repeating: .zero, count: 8) + later)
  }

  @Test func `three hundred services at ports of one host are bounded, too`() throws {
    let turns = try attempts(300, within: .seconds(2)) { try target("192.0.2.7", UInt16($0 + 1)) }
    let later: [Duration] = (1...32).map { .microseconds(62_500 * $0) }
    #expect(turns == [Duration](repeating: .zero, count: 32) + later)
  }

  @Test func `another host is not concerned`() throws {
    var budget = AttemptBudget()
    for port in 1...300 { _ = budget.reserve(try target("192.0.2.7", UInt16(port)), at: start, before: start + .seconds(60)) }
    #expect(budget.reserve(try target("192.0.2.8", 80), at: start, before: start) == start)
    #expect(budget.reserve(try target("192.0.2.7", 80), at: start, before: start) == nil)
  }

  @Test func `an attempt that is refused costs nothing, and the budget comes back`() throws {
    var budget = AttemptBudget()
    let target = try target("2001:db8::7", 80)
    for _ in 0..<8 { #expect(budget.reserve(target, at: start, before: start) == start) }
    for _ in 0..<100 { #expect(budget.reserve(target, at: start, before: start) == nil) }
    let later = start + .milliseconds(250)
    #expect(budget.reserve(target, at: later, before: later) == later)
    #expect(budget.reserve(target, at: later, before: later) == nil)
    let muchLater = start + .seconds(60)
    for _ in 0..<8 { #expect(budget.reserve(target, at: muchLater, before: muchLater) == muchLater) }
  }

  @Test func `what strangers cannot announce has no budget`() throws {
    var budget = AttemptBudget()
    let socket = try SocketAddress(unixPath: "/run/socket")
    for _ in 0..<100 { #expect(budget.reserve(socket, at: start, before: start) == start) }
  }

  @Test func `an attempt at an address that strangers have named is not made beyond the budget`() async throws {
    let target = try target("127.0.0.77", 9)
    let now = ContinuousClock.now
    // Four minutes of attempts.
    AttemptBudget.shared.withLock { budget in
      for _ in 0..<1_000 { _ = budget.reserve(target, at: now, before: now + .seconds(3_600)) }
    }
    let error = await #expect(throws: TransportError.self) {
      try await ConnectedSocket.connect(to: [target], isBudgeted: true, within: .seconds(30)).take()
    }
    #expect(error?.code == .throttled)
    let unbounded = await #expect(throws: TransportError.self) { try await ConnectedSocket.connect(to: [target]).take() }
    #expect(unbounded?.code == .refused)
  }

  @Test func `targets without end are not remembered, and are not tried`() throws {
    var budget = AttemptBudget()
    var made = 0
    for number in 0..<5_000 {
      let target = try target("10.0.\(number >> 8).\(number & 255)", 80)
      if budget.reserve(target, at: start, before: start) != nil { made += 1 }
    }
    // For each of them, its host is remembered, too.
    #expect(made == 2_048)
    let later = start + .seconds(1)
    #expect(budget.reserve(try target("192.0.2.7", 80), at: later, before: later) == later)
  }
}
