import FramedTransport
import _BonjourishConsole

/// A message there and back, one after another.
struct PingPong {
  let count: Int
  let size: Int

  struct Result: Figures {
    let p50Microseconds: Double
    let p99Microseconds: Double
    let size: Int

    var description: String {
      "ping-pong, \(size) B: half of them within \(p50Microseconds.text(1)) µs, 99 % within \(p99Microseconds.text(1)) µs"
    }
  }

  func measured(with peer: Peer) async throws -> any Figures {
    let body = [Kind.ping.rawValue] + [UInt8](repeating: 0, count: size - 1)
    var frames = peer.connection.frames.makeAsyncIterator()
    var times: [Double] = []
    times.reserveCapacity(count)
    let warmUp = count / 10
    for number in 0..<count + warmUp {
      let begin = ContinuousClock.now
      try await peer.connection.send(body)
      let answer = try await frames.next()
      let time = begin.duration(to: .now)
      guard answer == body else { throw Failure(.protocolError, "the server sent something else back") }
      if number >= warmUp { times.append(time / .microseconds(1)) }
    }
    times.sort()
    return Result(p50Microseconds: times[count / 2], p99Microseconds: times[count * 99 / 100], size: size)
  }
}
