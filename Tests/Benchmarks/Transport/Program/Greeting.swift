import FramedTransport

/// Connections that say hello, are answered and close.
struct Greeting {
  /// How many there are at a time.
  private static let atOnce = 32

  let count: Int
  let security: ConnectionSecurity

  struct Result: Figures {
    let connectionsPerSecond: Double
    /// The time from connecting to the answer to the hello, one client after the other.
    let joinP50Milliseconds: Double
    let joinP99Milliseconds: Double

    var description: String {
      "accept, hello, answer, close: \(connectionsPerSecond.text()) connections per second; one by one, half of them are "
        + "answered within \(joinP50Milliseconds.text(3)) ms, 99 % within \(joinP99Milliseconds.text(3)) ms"
    }
  }

  func measured(at addresses: [SocketAddress]) async throws -> any Figures {
    try await greet(count / 10, at: addresses)
    let begin = ContinuousClock.now
    try await greet(count, at: addresses)
    let seconds = begin.duration(to: .now) / .seconds(1)
    var joins: [Double] = []
    for _ in 0..<max(100, min(count, 1_000)) {
      let begin = ContinuousClock.now
      let peer = try await Peer(to: addresses, security)
      try await peer.sayHello()
      joins.append(begin.duration(to: .now) / .milliseconds(1))
      await peer.connection.close()
    }
    joins.sort()
    return Result(
      connectionsPerSecond: Double(count) / seconds, joinP50Milliseconds: joins[joins.count / 2],
      joinP99Milliseconds: joins[joins.count * 99 / 100])
  }

  private func greet(_ count: Int, at addresses: [SocketAddress]) async throws {
    try await withThrowingTaskGroup { group in
      for number in 0..<Self.atOnce {
        group.addTask {
          for _ in stride(from: number, to: count, by: Self.atOnce) {
            let peer = try await Peer(to: addresses, security)
            try await peer.sayHello()
            await peer.connection.close()
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
