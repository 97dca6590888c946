import FramedTransport
import _BonjourishConsole

/// A client's connection with the server that is measured.
struct Peer: Sendable {
  let connection: Connection

  init(to addresses: [SocketAddress], _ security: ConnectionSecurity) async throws {
    connection = try await Connection.connect(to: addresses, security: security)
  }

  /// What the server says of itself.
  struct Status {
    let cpuNanoseconds: UInt64
    let process: UInt32
  }

  func status() async throws -> Status {
    try await connection.send([Kind.stat.rawValue])
    var reader = try await receive(.status)
    return try Status(cpuNanoseconds: reader.readUInt64(), process: reader.readUInt32())
  }

  func sayHello() async throws {
    try await connection.send([Kind.hello.rawValue])
    _ = try await receive(.welcome)
  }

  /// The next frame, behind its kind.
  func receive(_ kind: Kind) async throws -> MessageReader {
    var frames = connection.frames.makeAsyncIterator()
    guard let frame = try await frames.next() else {
      throw Failure(.protocolError, "\(connection.peer) has closed the connection instead of answering")
    }
    guard frame.first == kind.rawValue else {
      throw Failure(.protocolError, "\(connection.peer) does not speak the protocol: a frame of kind '\(kind)' was due")
    }
    var reader = MessageReader(frame)
    _ = try reader.readUInt8()
    return reader
  }
}
