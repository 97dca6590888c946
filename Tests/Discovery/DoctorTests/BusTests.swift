import CBonjourishLinux
import Foundation
import Testing
import _BonjourishEventLoop

@testable import _BonjourishDoctor
@testable import _BonjourishSystemBus

/// What is said to the system bus, and read from it.
@Suite struct BusTests {
  /// An answer to call 1 with the text "h1.local", as dbus-daemon sends it.
  private static let answer: [UInt8] =
    [0x6C, 2, 1, 1, 13, 0, 0, 0, 5, 0, 0, 0, 15, 0, 0, 0]
    + [5, 1, 0x75, 0, 1, 0, 0, 0] + [8, 1, 0x67, 0, 1, 0x73, 0] + [0]
    + [8, 0, 0, 0] + Array("h1.local".utf8) + [0]

  @Test func `an answer is read`() throws {
    var bytes = Self.answer + [1, 2]
    let message = try #require(try BusMessage.take(from: &bytes))
    #expect(message.kind == .answer && message.answers == 1 && message.value == .text("h1.local"))
    #expect(bytes == [1, 2])
  }

  @Test func `an answer that has not arrived completely is waited for`() throws {
    for count in 0..<Self.answer.count {
      var bytes = Array(Self.answer[..<count])
      #expect(try BusMessage.take(from: &bytes) == nil)
      #expect(bytes.count == count)
    }
  }

  @Test func `a call can be read as it was written`() throws {
    let arguments: [BusMessage.Argument] = [.text("e.f"), .uint16(7), .int32(-1), .uint32(8)]
    var bytes = BusMessage.call("NameHasOwner", of: "a.b", at: "/", in: "c.d", arguments: arguments, serial: 9)
    let message = try #require(try BusMessage.take(from: &bytes))
    #expect(message.kind == .call && message.member == "NameHasOwner" && message.value == .text("e.f") && bytes.isEmpty)
  }

  @Test func `what is not D-Bus, or too long, is refused`() {
    var other = Array("HTTP/1.1 400 Bad Request".utf8)
    #expect(throws: BusMessage.Malformed.self) { try BusMessage.take(from: &other) }
    var long = Self.answer
    long[6] = 0x7F
    #expect(throws: BusMessage.Malformed.self) { try BusMessage.take(from: &long) }
  }

  @Test func `damaged messages are refused or read`() {
    var random = SplitMix(state: 3)
    for _ in 0..<50_000 {
      var bytes = random.damage(Self.answer)
      _ = try? BusMessage.take(from: &bytes)
    }
  }

  @Test(arguments: [
    ("unix:path=/run/dbus/system_bus_socket", "/run/dbus/system_bus_socket"), ("unix:guid=1,path=/a;tcp:host=b", "/a"),
    ("tcp:host=b;unix:abstract=c", "\0c"), ("tcp:host=b", nil), ("", nil),
  ])
  func `the bus's path is read from its address`(_ address: String, _ path: String?) {
    #expect(BusConversation.path(in: address) == path)
  }

  @Test func `failures to reach the bus are told apart`() {
    func state(_ errno: Int32) -> BusFacts.State { BusFacts.State(.system(.init("connect", errno: errno)), path: "/a") }
    #expect(state(2) == .missing(path: "/a"))
    #expect(state(111) == .notRunning(path: "/a"))
    #expect(state(13) == .denied(reason: "connect: Permission denied"))
    #expect(BusFacts.State(.timedOut, path: "/a") == .hung)
    #expect(
      BusFacts.State(.error(name: "org.freedesktop.DBus.Error.LimitsExceeded", text: "x"), path: "/a")
        == .limitReached(reason: "x"))
  }

  @Test func `a bus that accepts a program and does not answer is given up in time`() throws {
    let path = NSTemporaryDirectory() + "bus-\(UUID().uuidString)"
    let listener = OwnedDescriptor(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try withUnsafePointer(to: &address) { pointer in
      let any = UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      try #require(bind(listener.number, any, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0)
    }
    defer { unlink(path) }
    try #require(listen(listener.number, 0) == 0)
    // The first fits into the queue; the second finds it full.
    for _ in 0..<2 {
      #expect(throws: BusConversation.Failure.timedOut) {
        _ = try BusConversation(with: path, by: .now + .milliseconds(50))
      }
    }
  }

  @Test func `a bus that is not there is reported at once`() {
    #expect(throws: BusConversation.Failure.system(.init("connect", errno: 2))) {
      _ = try BusConversation(with: "/nonexistent/bus", by: .now + .seconds(1))
    }
  }
}
