import CBonjourishLinux
import Foundation
import Testing
import _BonjourishEventLoop

@testable import _BonjourishConsole

/// sd_notify(3), with sockets as a service manager has them.
@Suite struct ServiceManagerTests {
  /// A datagram socket at an address as in `NOTIFY_SOCKET`.
  private final class Socket {
    let descriptor: CInt

    init(_ name: String) throws {
      descriptor = try systemCall("socket") { socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = name.hasPrefix("@") ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8) + [0]
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let size = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count)
      try systemCall("bind") {
        withUnsafePointer(to: &address) { bind(descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), size) }
      }
    }

    deinit { close(descriptor) }

    func next() throws -> String {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = try systemCall("recv") { recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT)) }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  @Test func `a manager at a path and at an abstract name is told`() throws {
    let path = NSTemporaryDirectory() + "notify-\(getpid())"
    defer { unlink(path) }
    for name in [path, "@bonjourish-test-\(getpid())"] {
      let socket = try Socket(name)
      let manager = try #require(ServiceManager(socket: name))
      #expect(manager.tell(.ready, .status("two\nlines\u{1B}")))
      #expect(try socket.next() == "READY=1\nSTATUS=two\\nlines\\u{1B}")
      #expect(manager.tell(.stopping))
      #expect(try socket.next() == "STOPPING=1")
      // A manager takes only messages that are newer than its request, by the clock of the machine.
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      #expect(manager.tell(.reloading))
      let lines = try socket.next().split(separator: "\n")
      #expect(lines.count == 2 && lines[0] == "RELOADING=1" && lines[1].hasPrefix("MONOTONIC_USEC="))
      let passed =
        (lines.last?.split(separator: "=").last.flatMap { Int($0) } ?? 0) - time.tv_sec * 1_000_000 - time.tv_nsec / 1_000
      #expect(0..<60_000_000 ~= passed)
    }
  }

  @Test func `a manager that is gone or does not read stops nothing`() throws {
    let name = "@bonjourish-gone-\(getpid())"
    let manager = try #require(ServiceManager(socket: name))
    #expect(!manager.tell(.ready))
    let socket = try Socket(name)
    for _ in 0..<10_000 where !manager.tell(.ready) { return withExtendedLifetime(socket) {} }
    Issue.record("ten thousand datagrams were taken")
  }

  @Test func `other addresses are no manager`() {
    for name in ["", "@", "/", "relative", "vsock:2:1", "/" + String(repeating: "a", count: 107)] {
      #expect(ServiceManager(socket: name) == nil, "\(name)")
    }
    #expect(ServiceManager(socket: "/" + String(repeating: "a", count: 106)) != nil)
    #expect(ServiceManager(socket: "@" + String(repeating: "a", count: 106)) != nil)
  }
}
