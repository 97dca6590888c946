import FramedTransport
import TestSupport
import _BonjourishBase

/// Sends random frames both ways over many connections, through a proxy that splits them at random, and checks that every one
/// arrives once, in order and whole.
///
/// Frames are sent and taken in all the ways there are, from the connection's thread and from others, with pauses, and in tasks
/// that are cancelled: what was cancelled while it waited must not have been sent, and must not have taken a frame.
package enum StressRun {
  private static let format = FrameFormat(maximumBodySize: FrameStream.largestBodySize)

  /// Does what is planned.
  ///
  /// - Parameter fault: What the proxy does wrong, to see that it is found out.
  /// - Throws: ``StressFailure`` when a frame is not what was sent, or the `TransportError` of a connection that must not fail.
  package static func run(_ plan: StressPlan, fault: StressFault? = nil) async throws -> StressFigures {
    let limits = limits(sendHighWater: 40_000, receiveAhead: 256 * 1024)
    let listener = try await Listener.bind(interface: "lo", format: format, limits: limits, pending: .unlimited)
    let proxy = try SplittingProxy(to: listener.port, seed: plan.seed, fault: fault)
    do {
      try proxy.start()
      let figures = try await run(plan, listener, proxy)
      proxy.stop()
      await listener.close()
      return figures
    } catch {
      proxy.stop()
      await listener.close()
      throw error
    }
  }

  private static func run(_ plan: StressPlan, _ listener: Listener, _ proxy: SplittingProxy) async throws -> StressFigures {
    try await withThrowingTaskGroup { group in
      for number in 0..<plan.connectionCount {
        // One after another, so that the two sides know which it is.
        let client = try await connect(to: proxy.port, of: plan, number)
        var connections = listener.connections.makeAsyncIterator()
        guard let server = await connections.next() else { throw StressFailure("The listener has been closed") }
        // A machine that has much else to do may take longer to its first frame than strangers are given.
        server.admit()
        let sides = [
          StressSide(client, number, sends: .toServer, takes: .toClient, plan),
          StressSide(server, number, sends: .toClient, takes: .toServer, plan),
        ]
        for (index, side) in sides.enumerated() {
          // Half of the tasks live where the connection does.
          let executor: (any TaskExecutor)? = (number + index) % 2 == 0 ? client.executor : nil
          group.addTask(executorPreference: executor) { try await side.run() }
        }
      }
      var figures = StressFigures()
      var failure: (any Error)?
      while let result = await group.nextResult() {
        switch result {
        case .success(let done): figures += done
        case .failure(let error):
          // Whoever finds something out may be the second to fail: the first may be the one that it has left.
          if failure == nil || (error is StressFailure && !(failure is StressFailure)) { failure = error }
          group.cancelAll()
        }
      }
      if let failure { throw failure }
      figures.pieces = proxy.pieces
      return figures
    }
  }

  private static func connect(to port: UInt16, of plan: StressPlan, _ number: Int) async throws -> Connection {
    var generator = SeededGenerator(seed: plan.seed &+ UInt64(number))
    let highWater = generator.number(in: 1..<200_000)
    let limits = limits(sendHighWater: highWater, receiveAhead: generator.number(in: 1..<200_000))
    return try await Connection.connect(
      to: SocketAddress.resolve(host: "127.0.0.1", port: port), format: format, limits: limits)
  }

  /// No limits in time: through a buffer of a few KiB, whose bytes leave one by one, a window may well stay shut for half a minute.
  private static func limits(sendHighWater: Int, receiveAhead: Int) -> TransportLimits {
    TransportLimits(
      sendHighWater: sendHighWater, receiveAhead: receiveAhead, frameTime: nil, stallTime: nil, keepAlive: nil,
      silenceLimit: nil)
  }
}
