import FramedTransport
import TestSupport
import _BonjourishBase

/// One end of a connection: sends its frames, and checks those of the other end.
struct StressSide: Sendable {
  private let connection: Connection
  private let number: Int
  private let sends: StressPlan.Direction
  private let takes: StressPlan.Direction
  private let plan: StressPlan

  init(
    _ connection: Connection, _ number: Int, sends: StressPlan.Direction, takes: StressPlan.Direction, _ plan: StressPlan
  ) {
    self.connection = connection
    self.number = number
    self.sends = sends
    self.takes = takes
    self.plan = plan
  }

  /// Returns when all frames were sent and all have come; the client ends the connection then, and the server sees the end.
  func run() async throws -> StressFigures {
    async let sent = send()
    var figures = try await take()
    figures += try await sent
    if takes == .toServer {
      guard try await connection.receiveFrames({ _ in }) == nil else {
        throw StressFailure("More frames came over connection \(number) than were sent")
      }
    }
    await connection.close(within: .seconds(60))
    return figures
  }

  private func generator(_ salt: UInt64) -> SeededGenerator {
    SeededGenerator(seed: plan.seed &* 1_000_003 &+ UInt64(number) &* 4 &+ UInt64(sends.rawValue) &* 2 &+ salt)
  }

  // MARK: - Sending

  private func send() async throws -> StressFigures {
    var generator = generator(0)
    var figures = StressFigures()
    var frames = FrameStream(number, sends, seed: plan.seed)
    var left = plan.frameCount(of: number, sends)
    while left > 0 {
      switch generator.number(in: 0..<100) {
      case 0..<20:
        let count = min(left, generator.number(in: 1..<40))
        try await connection.send(contentsOf: (0..<count).map { _ in frames.next() })
        left -= count
      case 20..<40:
        let body = frames.next()
        // Who is refused would have to wait: the time to be cancelled.
        if try !connection.trySend(body.span) { figures.cancelledSends += try await sendCancelled(body, &generator) }
        left -= 1
      case 40..<43:
        figures.cancelledSends += try await sendCancelled(frames.next(), &generator)
        left -= 1
      case 43:
        for _ in 0..<generator.number(in: 1..<50) { await Task.yield() }
      default:
        try await connection.send(frames.next())
        left -= 1
      }
    }
    return figures
  }

  /// Sends a frame in a task that is cancelled, until it was sent; returns how often it was not.
  private func sendCancelled(_ body: [UInt8], _ generator: inout SeededGenerator) async throws -> Int {
    var cancelled = 0
    while true {
      let sending = Task { try await connection.send(body) }
      for _ in 0..<generator.number(in: 0..<4) { await Task.yield() }
      if cancelled < 3 { sending.cancel() }
      do {
        try await sending.value
        return cancelled
      } catch let error as TransportError where error.code == .cancelled {
        cancelled += 1
      }
    }
  }

  // MARK: - Taking

  private func take() async throws -> StressFigures {
    var generator = generator(1)
    var figures = StressFigures()
    var expected = FrameStream(number, takes, seed: plan.seed)
    let count = UInt64(plan.frameCount(of: number, takes))
    var frames = connection.frames.makeAsyncIterator()

    func check(_ body: [UInt8]?) throws(StressFailure) {
      guard let body else { throw StressFailure("Connection \(number) \(takes) ended after \(expected.number) of \(count)") }
      try expected.check(body.span)
      figures.bytes += body.count
    }

    while expected.number < count {
      switch generator.number(in: 0..<100) {
      case 0..<30:
        var failure: StressFailure?
        let shown = try await connection.receiveFrames { body in
          do throws(StressFailure) {
            try expected.check(body)
            figures.bytes += body.count
          } catch {
            failure = failure ?? error
          }
        }
        if let failure { throw failure }
        if shown == nil { try check(nil) }
      case 30..<36:
        let taking = Task {
          var frames = connection.frames.makeAsyncIterator()
          return try await frames.next()
        }
        for _ in 0..<generator.number(in: 0..<4) { await Task.yield() }
        taking.cancel()
        do {
          try check(await taking.value)
        } catch let error as TransportError where error.code == .cancelled {
          figures.cancelledReads += 1
        }
      case 36:
        for _ in 0..<generator.number(in: 1..<50) { await Task.yield() }
      default:
        try check(await frames.next())
      }
    }
    figures.frames = Int(expected.number)
    return figures
  }
}
