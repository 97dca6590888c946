import CBonjourishLinux
import Foundation
import TestSupport
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// The limit on what a server may send, with sockets of the loopback interface in the place of the library's.
@Suite(.timeLimit(.minutes(1))) struct InboundGuardTests {
  /// A socket at an address of the loopback interface, and its port.
  private struct Loopback: ~Copyable {
    let descriptor: OwnedDescriptor
    let port: Int

    init(_ type: CInt, connectedTo port: Int? = nil) throws {
      let opened = OwnedDescriptor(try systemCall("socket") { socket(AF_INET, type | CInt(SOCK_CLOEXEC.rawValue), 0) })
      let number = opened.number
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      address.sin_port = UInt16(port ?? 0).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let bound = try withUnsafeMutablePointer(to: &address) { address in
        try address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          try systemCall("connect") { port == nil ? bind(number, address, size) : connect(number, address, size) }
          if port == nil, type == CInt(SOCK_STREAM.rawValue) { try systemCall("listen") { listen(number, 1) } }
          try systemCall("getsockname") { getsockname(number, address, &size) }
        }
        return Int(UInt16(bigEndian: address.pointee.sin_port))
      }
      descriptor = opened
      self.port = bound
    }

    func accept() throws -> OwnedDescriptor {
      let number = descriptor.number
      return OwnedDescriptor(try systemCall("accept4") { CBonjourishLinux.accept(number, nil, nil) })
    }
  }

  private static let stream = CInt(SOCK_STREAM.rawValue)

  @Test func `the socket of a connection is found by its local address, and no other socket`() throws {
    let listener = try Loopback(Self.stream)
    let client = try Loopback(Self.stream, connectedTo: listener.port)
    let accepted = try listener.accept()
    let (number, copy) = (client.descriptor.number, InboundGuard.duplicate(ofSocketAt: "127.0.0.1", port: client.port))
    let found = OwnedDescriptor(try #require(copy))
    #expect(found.number != number && linux_fcntl(found.number, F_GETFD, 0) == FD_CLOEXEC)
    // What comes to one comes to the other.
    let sent = accepted.number
    try systemCall("write") { write(sent, [7], 1) }
    var byte: UInt8 = 0
    #expect(read(found.number, &byte, 1) == 1 && byte == 7)
    #expect(InboundGuard.duplicate(ofSocketAt: "127.0.0.2", port: client.port) == nil)
    // Those that listen, or have datagrams, have no connection.
    let datagrams = try Loopback(CInt(SOCK_DGRAM.rawValue))
    let connected = try Loopback(CInt(SOCK_DGRAM.rawValue), connectedTo: datagrams.port)
    #expect(InboundGuard.duplicate(ofSocketAt: "127.0.0.1", port: connected.port) == nil)
  }

  /// What a guard has told.
  private static func handlers(
    _ events: AsyncStream<String>.Continuation, messages: UInt64?
  ) -> InboundGuard.Handlers {
    InboundGuard.Handlers(
      counts: { messages.map { ($0, 1_000) } }, exceeding: { events.yield("exceeding \($0)") },
      exceeded: { events.yield("exceeded") })
  }

  @Test func `a connection that brings no whole message is ended at the limit, and the reason is told before`() async throws {
    let listener = try Loopback(Self.stream)
    let client = try Loopback(Self.stream, connectedTo: listener.port)
    let accepted = try listener.accept()
    let (events, event) = AsyncStream<String>.makeStream()
    let inbound = try InboundGuard(Self.handlers(event, messages: 3))
    inbound.begin(dup(client.descriptor.number))
    // The library reads whatever comes, and the server sends until the end.
    let (from, to) = (client.descriptor.number, accepted.number)
    async let count = blocking {
      var (count, buffer) = (0, [UInt8](repeating: 0, count: 65_536))
      while case let more = read(from, &buffer, buffer.count), more > 0 { count += more }
      return count
    }
    try await blocking {
      let bytes = [UInt8](repeating: 0, count: 65_536)
      while send(to, bytes, bytes.count, CInt(MSG_NOSIGNAL)) > 0 {}
    }
    let limit = InboundAccount.limit(maximumPayload: 1_000)
    #expect(try await count > limit)
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == "exceeding \(limit)")
    #expect(await iterator.next() == "exceeded")
    event.finish()
    #expect(await iterator.next() == nil)
    inbound.end()
  }

  @Test(arguments: [3, nil] as [UInt64?])
  func `a guard that ends, or that cannot count, lets its socket go`(messages: UInt64?) async throws {
    let listener = try Loopback(Self.stream)
    let (_, event) = AsyncStream<String>.makeStream()
    let inbound = try InboundGuard(Self.handlers(event, messages: messages))
    let accepted: OwnedDescriptor
    do {
      let client = try Loopback(Self.stream, connectedTo: listener.port)
      accepted = try listener.accept()
      inbound.begin(dup(client.descriptor.number))
    }
    if messages != nil { inbound.end() }
    // The other side sees the end when nobody has the socket any more.
    let number = accepted.number
    let count = try await blocking {
      var byte: UInt8 = 0
      return read(number, &byte, 1)
    }
    #expect(count == 0)
    withExtendedLifetime(accepted) {}
  }
}
