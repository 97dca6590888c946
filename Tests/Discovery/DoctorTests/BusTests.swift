import CBonjourishLinux
import Foundation
import TestSupport
import Testing
import _BonjourishBusProtocol
import _BonjourishEventLoop

@testable import _BonjourishDoctor
@testable import _BonjourishSystemBus

/// What is said to the system bus, and read from it.
@Suite struct BusTests {
  @Test(arguments: [
    ("unix:path=/run/dbus/system_bus_socket", "/run/dbus/system_bus_socket"), ("unix:guid=1,path=/a;tcp:host=b", "/a"),
    ("tcp:host=b;unix:abstract=c", "\0c"), ("tcp:host=b", nil), ("", nil),
    ("unix:path=/a%20b%2c", "/a b,"), ("unix:abstract=%2Fc", "\0/c"), ("unix:path=/a%2", nil), ("unix:path=/a%zz", nil),
    ("unix:path=/a%00b", nil),
  ])
  func `the bus's path is read from its address`(_ address: String, _ path: String?) {
    #expect(BusConversation.path(in: address) == path)
  }

  @Test func `failures to reach the bus are told apart`() {
    func state(_ errno: Int32) -> BusFacts.State { BusFacts.State(.system(.init("connect", errno: errno)), path: "/a") }
    #expect(state(2) == .missing(path: "/a"))
    #expect(state(111) == .notRunning(path: "/a"))
    #expect(state(13) == .denied(reason: "connect: Permission denied"))
    #expect(state(20) == .missing(path: "/a") && state(1) == .denied(reason: "connect: Operation not permitted"))
    #expect(state(5) == .failed(reason: "connect: Input/output error"))
    #expect(BusFacts.State(.system(.init("connect", errno: 2)), path: "\0a") == .missing(path: "@a"))
    #expect(BusFacts.State(.timedOut, path: "/a") == .hung)
    #expect(BusFacts.State(.rejected, path: "/a") == .denied(reason: "it does not accept this user"))
    #expect(BusFacts.State(.ended, path: "/a") == .failed(reason: "it has ended the connection"))
    #expect(BusFacts.State(.error(name: "a.b", text: "x"), path: "/a") == .failed(reason: "x"))
    #expect(
      BusFacts.State(.error(name: "org.freedesktop.DBus.Error.LimitsExceeded", text: "x"), path: "/a")
        == .limitReached(reason: "x"))
  }

  @Test func `a bus that accepts a program and does not answer is given up in time`() throws {
    let path = NSTemporaryDirectory() + "bus-\(UUID().uuidString)"
    let listener = try localListener(at: path, backlog: 0)
    defer { unlink(path) }
    // The first fits into the queue; the second finds it full.
    for _ in 0..<2 {
      #expect(throws: BusConversation.Failure.timedOut) {
        _ = try BusConversation(with: path, by: .now + .milliseconds(50))
      }
    }
    withExtendedLifetime(listener) {}
  }

  @Test func `a bus that sends signals without end is given up in time`() throws {
    let path = NSTemporaryDirectory() + "bus-\(UUID().uuidString)"
    let listener = try localListener(at: path, backlog: 0)
    defer { unlink(path) }
    let number = listener.number
    startThread {
      let peer = OwnedDescriptor(accept(number, nil, nil))
      let signals = (0..<64).flatMap { _ in BusMessage.signal("S", of: "a.b", at: "/", to: nil).encoded }
      var next = Array("OK 0\r\n".utf8)
      // Until the other side has closed.
      while send(peer.number, next, next.count, CInt(MSG_NOSIGNAL)) > 0 { next = signals }
    }
    #expect(throws: BusConversation.Failure.timedOut) {
      try BusConversation(with: path, by: .now + .milliseconds(200)).begin()
    }
    withExtendedLifetime(listener) {}
  }

  @Test func `a bus that is not there is reported at once`() {
    #expect(throws: BusConversation.Failure.system(.init("connect", errno: 2))) {
      _ = try BusConversation(with: "/nonexistent/bus", by: .now + .seconds(1))
    }
  }
}
