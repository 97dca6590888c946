import Bonjourish
import BonjourishTransport
import FramedTransport

/// The other program: echoes, swallows, and broadcasts, as the first frame of a connection says.
enum BenchHost {
  static func run(_ url: String) async throws {
    let bonjour = try await RelayBench.bonjour(url)
    let listener = try await Listener.bind(limits: RelayBench.limits, pending: .unlimited)
    let group = Group()
    try await bonjour.withPublishedService(named: RelayBench.service.name, type: RelayBench.service.type, listener: listener) {
      _ in
      await listener.serve(on: .connectionLoop) { connection in
        try? await serve(connection, group)
      }
    }
  }

  private static func serve(_ connection: Connection, _ group: Group) async throws {
    var frames = connection.frames.makeAsyncIterator()
    switch try await frames.next()?.first {
    case UInt8(ascii: "e"): while let frame = try await frames.next() { try await connection.send(frame) }
    case UInt8(ascii: "s"):
      while try await connection.receiveFrames({ _ in }) != nil {}
      try await connection.send([1])
    case UInt8(ascii: "m"):
      group.add(connection)
      while try await frames.next() != nil {}
    case UInt8(ascii: "b"):
      // Broadcasts as many frames of a size as asked for, and tells how much processor time all members together took.
      while let order = try await frames.next(), order.count == 8 {
        let (count, size) = (order[..<4].reduce(0) { $0 << 8 | Int($1) }, order[4...].reduce(0) { $0 << 8 | Int($1) })
        let body = [UInt8](repeating: 7, count: size)
        for _ in 0..<count { try await group.broadcast(body) }
        try await connection.send([1])
      }
    default: break
    }
  }
}
