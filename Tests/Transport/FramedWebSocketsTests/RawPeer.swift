import FramedCoding
import FramedTransport
import FramedTransportTesting
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedWebSockets

/// A listener that serves a site on the loopback interface, for the time of a closure.
func withSite<Result>(
  _ site: WebSite = WebSite(), format: FrameFormat = .standard, limits: TransportLimits = .untimed,
  pending: PendingConnectionLimits = .unlimited, on loops: TransportLoops = .one, _ body: (Listener) async throws -> Result
) async throws -> Result {
  try await withListener(.plaintext(serving: site), format: format, limits: limits, pending: pending, on: loops, body)
}

extension ConnectionSecurity {
  /// A WebSocket of the loopback interface.
  static func socket(
    _ target: String = "/socket", _ messages: WebSocketMessages = .text, origin: String? = nil, subprotocols: [String] = []
  ) throws -> ConnectionSecurity {
    try .webSocket(host: "localhost", target: target, messages: messages, origin: origin, subprotocols: subprotocols)
  }
}

extension Listener {
  /// Connects as a peer that speaks bytes.
  func reachRaw(from family: SocketAddress.Family? = nil) async throws -> RawPeer {
    let chosen = addresses.filter { family == nil || $0.family == family }
    return RawPeer(try await Connection.connect(to: chosen, format: RawBytes.format, limits: .untimed))
  }

  /// Connects as a peer that speaks bytes, and opens a WebSocket.
  func reachRawSocket(_ target: String = "/socket") async throws -> RawPeer {
    let peer = try await reachRaw()
    try await peer.send(RawPeer.handshake(target))
    #expect(try await peer.readHead().hasPrefix("HTTP/1.1 101 "))
    return peer
  }
}

/// Both ends of a WebSocket over the loopback interface, for the time of a closure.
func withPair<Result>(
  _ site: WebSite = WebSite(), _ messages: WebSocketMessages = .text, limits: TransportLimits = .untimed,
  format: FrameFormat = .standard, _ body: (_ client: Connection, _ server: Connection) async throws -> Result
) async throws -> Result {
  try await withPair(.plaintext(serving: site), .socket("/socket", messages), format: format, limits: limits, on: .one, body)
}

extension Connection {
  /// The error that ends the frames; nil if they end in order.
  func failure() async -> TransportError? {
    do throws(TransportError) {
      for try await _ in frames {}
      return nil
    } catch {
      return error
    }
  }
}

/// Bytes without frames: what has arrived is a frame.
struct RawBytes: FrameLayout {
  static let format = FrameFormat(RawBytes())

  var maximumBodySize: Int { 1 << 20 }
  var overhead: Int { 0 }
  var permitsEmptyFrames: Bool { false }

  func scan(_ bytes: Span<UInt8>, seen: Int, limit: Int) throws(FramingError) -> FrameScan {
    .frame(size: min(bytes.count, limit), body: 0..<min(bytes.count, limit))
  }

  func writeHeader(of body: Span<UInt8>, into header: inout OutputSpan<UInt8>) throws(FramingError) -> Int { 0 }
}

/// A peer that speaks bytes. Used by one task at a time.
final class RawPeer: @unchecked Sendable {
  let connection: Connection
  private var received: [UInt8] = []

  init(_ connection: Connection) {
    self.connection = connection
  }

  static func handshake(_ target: String = "/socket") -> String {
    "GET \(target) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
  }

  func send(_ text: String) async throws { try await connection.send(Array(text.utf8)) }
  func send(_ bytes: [UInt8]) async throws { try await connection.send(bytes) }

  /// Sends a masked frame.
  func send(frame first: UInt8, _ payload: [UInt8] = []) async throws {
    let mask: [UInt8] = [9, 8, 7, 6]
    let length =
      payload.count < 126 ? [UInt8(payload.count) | 0x80] : [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    try await send([first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] })
  }

  /// Reads a number of bytes; fewer at the end.
  func read(_ count: Int) async throws -> [UInt8] {
    while received.count < count, let more = try await connection.next() { received += more }
    defer { received.removeFirst(min(count, received.count)) }
    return Array(received.prefix(count))
  }

  /// Reads a short frame of a server: its first byte, and its payload.
  func readFrame() async throws -> (UInt8, [UInt8]) {
    let header = try await read(2)
    guard header.count == 2 else { return (0, []) }
    return (header[0], try await read(Int(header[1])))
  }

  /// Reads up to the end of a head.
  func readHead() async throws -> String {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      let byte = try await read(1)
      guard !byte.isEmpty else { break }
      head += byte
    }
    return String(decoding: head, as: UTF8.self)
  }

  /// Reads everything up to the end.
  func readAll() async throws -> String {
    while let more = try await connection.next() { received += more }
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  /// Asks for something, and returns the whole answer. Ends this side as a browser does, after the answer.
  func ask(_ request: String) async throws -> String {
    try await send(request)
    let answer = try await readAll()
    await connection.close()
    return answer
  }
}
