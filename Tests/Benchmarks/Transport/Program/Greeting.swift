import FramedTransport

/// Connections that say hello, are answered and close.
struct Greeting {
  /// How many there are at a time.
  private static let atOnce = 32

  let count: Int

  struct Result: Figures {
    let connectionsPerSecond: Double

    var description: String { "accept, hello, answer, close: \(connectionsPerSecond.text()) connections per second" }
  }

  func measured(at addresses: [SocketAddress]) async throws -> any Figures {
    try await greet(count / 10, at: addresses)
    let begin = ContinuousClock.now
    try await greet(count, at: addresses)
    return Result(connectionsPerSecond: Double(count) / (begin.duration(to: .now) / .seconds(1)))
  }

  private func greet(_ count: Int, at addresses: [SocketAddress]) async throws {
    try await withThrowingTaskGroup { group in
      for number in 0..<Self.atOnce {
        group.addTask {
          for _ in stride(from: number, to: count, by: Self.atOnce) {
            let peer = try await Peer(to: addresses)
            try await peer.sayHello()
            await peer.connection.close()
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
