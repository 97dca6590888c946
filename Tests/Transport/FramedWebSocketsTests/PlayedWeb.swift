import CBonjourishLinux
import FramedCoding
import FramedTransport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedWebSockets

/// The layer over a stream that the test plays, as a channel sees it. Confined to the loop.
final class PlayedWeb {
  enum Received: Equatable {
    case bytes([UInt8])
    case end
    case error(CInt)
  }

  private final class Notes {
    var outcomes: [TransportError.Code?] = []
  }

  let lower = PlayedStream()
  let stream: WebStream
  private let notes = Notes()

  /// How establishing has ended; nil for well.
  var outcomes: [TransportError.Code?] { notes.outcomes }

  init(
    _ side: WebLayer.Side, format: FrameFormat = .standard, limits: TransportLimits = .untimed, on transportLoop: TransportLoop
  ) throws {
    let peer = try #require(SocketAddress(numericHost: "192.0.2.1", port: 7))
    let terms = StreamTerms(format, limits, largestFrame: 65_536)
    stream = WebStream(over: lower, WebLayer(side), terms, peer: peer, on: transportLoop)
    let notes = notes
    stream.whenEstablished { notes.outcomes.append($0?.code) }
    try stream.start([.readable, .writable]) { _ in }
  }

  /// A server of binary messages whose WebSocket is open.
  static func server(
    limits: TransportLimits = .untimed, format: FrameFormat = .standard, on transportLoop: TransportLoop
  ) throws -> PlayedWeb {
    let web = try PlayedWeb(.server(WebSite(messages: .binary)), format: format, limits: limits, on: transportLoop)
    web.lower.arrive(Array(RawPeer.handshake().utf8))
    #expect(String(decoding: web.lower.takeSent(), as: UTF8.self).hasPrefix("HTTP/1.1 101 ") && web.outcomes == [nil])
    return web
  }

  /// A client of binary messages whose WebSocket is open.
  ///
  /// - Parameter following: What the server sends with its answer.
  static func client(following: [UInt8] = [], on transportLoop: TransportLoop) throws -> PlayedWeb {
    let request = WebSocketRequest(host: "h", target: "/s", origin: nil, subprotocols: [], messages: .binary)
    let web = try PlayedWeb(.client(request), on: transportLoop)
    let head = String(decoding: web.lower.takeSent(), as: UTF8.self)
    #expect(head.hasPrefix("GET /s HTTP/1.1\r\nHost: h\r\n"))
    let field = "Sec-WebSocket-Key: "
    let line = try #require(head.split(separator: "\r\n").first { $0.hasPrefix(field) })
    let accept = WebSocketKey.accept(String(line.dropFirst(field.count)))
    let answer = "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
    web.lower.arrive(Array(answer.utf8) + following)
    #expect(web.outcomes == [nil])
    return web
  }

  /// What the channel gets, if it has room for so many bytes.
  func receive(room: Int = 65_536) -> Received {
    var bytes: [UInt8] = []
    var count = 0
    do throws(SystemError) {
      try bytes.append(addingCapacity: room) { (output) throws(SystemError) in
        count = try stream.receive(into: &output)
      }
    } catch {
      return .error(error.errno)
    }
    return count == 0 ? .end : .bytes(bytes)
  }

  /// Sends bytes of the channel; returns the number of those that were taken, or the negative number of the error.
  func send(_ bytes: [UInt8]) -> Int {
    var bytes = bytes
    return bytes.withUnsafeMutableBytes { bytes in
      var piece = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
      return withUnsafeMutablePointer(to: &piece) { piece in
        do throws(SystemError) {
          return try stream.send(UnsafeMutableBufferPointer(start: piece, count: 1))
        } catch {
          return -Int(error.errno)
        }
      }
    }
  }
}

/// A loop on which nothing else runs.
private let playedLoop = Result { TransportLoop(try EventLoop(name: "played")) }

/// Runs a closure on that loop.
func onLoop(_ body: @escaping @Sendable (TransportLoop) async throws -> Void) async throws {
  let transportLoop = try playedLoop.get()
  try await Task(executorPreference: transportLoop.loop) { try await body(transportLoop) }.value
}

/// A frame of the channel.
func framed(_ body: [UInt8]) -> [UInt8] {
  [UInt8(body.count >> 24), UInt8(body.count >> 16 & 255), UInt8(body.count >> 8 & 255), UInt8(body.count & 255)] + body
}

/// A frame of a client, of up to 65,535 bytes.
func masked(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
  let mask: [UInt8] = [9, 8, 7, 6]
  let (high, low) = (UInt8(payload.count >> 8), UInt8(payload.count & 255))
  let length = payload.count < 126 ? [low | 0x80] : [0xFE, high, low]
  return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
}

/// A frame of a server, of up to 65,535 bytes.
func unmasked(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
  let (high, low) = (UInt8(payload.count >> 8), UInt8(payload.count & 255))
  return [first] + (payload.count < 126 ? [low] : [126, high, low]) + payload
}

/// A frame that a client has sent.
struct SentFrame: Equatable {
  let first: UInt8
  let mask: [UInt8]
  let payload: [UInt8]

  /// The frames of up to 65,535 bytes, all of which must be masked.
  static func all(_ bytes: [UInt8]) throws -> [SentFrame] {
    var frames: [SentFrame] = []
    var rest = bytes
    while !rest.isEmpty {
      try #require(rest[1] & 0x80 != 0)
      var (size, start) = (Int(rest[1] & 0x7F), 2)
      if size == 126 { (size, start) = (Int(rest[2]) << 8 | Int(rest[3]), 4) }
      let mask = Array(rest[start..<start + 4])
      let payload = rest[(start + 4)..<(start + 4 + size)].enumerated().map { $1 ^ mask[$0 % 4] }
      frames.append(SentFrame(first: rest[0], mask: mask, payload: payload))
      rest.removeFirst(start + 4 + size)
    }
    return frames
  }
}
