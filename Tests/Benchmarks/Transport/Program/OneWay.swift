import FramedTransport
import _BonjourishConsole

/// Data in one direction, as fast as they go.
struct OneWay {
  let count: Int
  let size: Int
  /// How many are given to one call of `send`.
  let batch: Int

  struct Result: Figures {
    let messagesPerSecond: Double
    let clientCPUPerMillion: Double
    let serverCPUPerMillion: Double
    let size: Int

    var description: String {
      "one way, \(size) B: \((messagesPerSecond / 1e6).text(2)) million messages per second, "
        + "\((messagesPerSecond * Double(size) / 1e6).text()) MB/s; CPU seconds per million: "
        + "client \(clientCPUPerMillion.text(3)), server \(serverCPUPerMillion.text(3))"
    }
  }

  func measured(with peer: Peer) async throws -> any Figures {
    try await send(count / 20 + 1, from: 0, to: peer)
    let server = try await peer.status().cpuNanoseconds
    let client = ProcessFigures.cpuNanoseconds
    let begin = ContinuousClock.now
    try await send(count, from: UInt64(count / 20 + 1), to: peer)
    let seconds = begin.duration(to: .now) / .seconds(1)
    let millions = Double(count) / 1e6
    return Result(
      messagesPerSecond: Double(count) / seconds,
      clientCPUPerMillion: Double(ProcessFigures.cpuNanoseconds - client) / 1e9 / millions,
      serverCPUPerMillion: Double(try await peer.status().cpuNanoseconds - server) / 1e9 / millions, size: size)
  }

  /// Sends data, and waits until they are counted.
  private func send(_ count: Int, from first: UInt64, to peer: Peer) async throws {
    if batch == 1 {
      try await sendEach(count, from: first, over: peer.connection)
    } else {
      try await sendBatches(count, from: first, over: peer.connection)
    }
    var writer = MessageWriter()
    writer.writeUInt8(Kind.end.rawValue)
    writer.writeUInt64(UInt64(count))
    try await peer.connection.send(writer.bytes)
    var reader = try await peer.receive(.counted)
    let counted = try reader.readUInt64()
    guard counted == count else { throw Failure(.protocolError, "the server has counted \(counted) of \(count) messages") }
  }

  private func sendEach(_ count: Int, from first: UInt64, over connection: Connection) async throws {
    var body = [UInt8](repeating: 0, count: size)
    body[0] = Kind.data.rawValue
    for sequence in first..<first + UInt64(count) {
      body.setNumber(sequence, at: 1)
      try await connection.send(body)
    }
  }

  private func sendBatches(_ count: Int, from first: UInt64, over connection: Connection) async throws {
    var body = [UInt8](repeating: 0, count: size)
    body[0] = Kind.data.rawValue
    var bodies = Array(repeating: body, count: batch)
    for begin in stride(from: 0, to: count, by: batch) {
      let number = min(batch, count - begin)
      for index in 0..<number { bodies[index].setNumber(first + UInt64(begin + index), at: 1) }
      try await connection.send(contentsOf: bodies[..<number])
    }
  }
}

extension [UInt8] {
  /// Writes a number in big-endian order.
  mutating func setNumber(_ number: UInt64, at place: Int) {
    withUnsafeMutableBytes { $0.storeBytes(of: number.bigEndian, toByteOffset: place, as: UInt64.self) }
  }
}
