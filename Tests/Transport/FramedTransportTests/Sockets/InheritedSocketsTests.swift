import CBonjourishLinux
import Testing

@testable import FramedTransport

@Suite struct InheritedSocketsTests {
  private typealias Entry = InheritedSockets.Entry

  @Test func `the environment is read`() throws {
    let named = try InheritedSockets.parse(processID: "7", count: "2", names: "web:", of: 7)
    #expect(named == [Entry(descriptor: 3, name: "web"), Entry(descriptor: 4, name: "")])
    let unnamed = try InheritedSockets.parse(processID: "7", count: "1", names: nil, of: 7)
    #expect(unnamed == [Entry(descriptor: 3, name: "unknown")])
    #expect(try InheritedSockets.parse(processID: "7", count: "0", names: "", of: 7) == [])
  }

  @Test func `what is not there or for another process is nothing`() throws {
    #expect(try InheritedSockets.parse(processID: nil, count: nil, names: nil, of: 7) == [])
    #expect(try InheritedSockets.parse(processID: nil, count: "1", names: nil, of: 7) == [])
    #expect(try InheritedSockets.parse(processID: "8", count: "1", names: nil, of: 7) == [])
    #expect(try InheritedSockets.parse(processID: "8", count: "junk", names: nil, of: 7) == [])
  }

  @Test(arguments: [
    ("", "1", nil), ("-7", "1", nil), ("7x", "1", nil), ("7", "", nil), ("7", "70000", nil), ("7", "2", "one"),
    ("7", "0", "a"), ("7", "1", "a:b"),
  ])
  func `what cannot be true is refused`(process: String, count: String, names: String?) {
    let error = #expect(throws: TransportError.self) {
      try InheritedSockets.parse(processID: process, count: count, names: names, of: 7)
    }
    #expect(error?.code == .unusableSocket)
  }

  // MARK: - Addresses to listen at

  @Test func `without an interface all addresses are listened at, otherwise those of the interface`() throws {
    #expect(try BindPlan.addresses(of: nil, port: 7).map(\.description) == ["[::]:7", "0.0.0.0:7"])
    let local = try BindPlan.addresses(of: "lo", port: 7).map(\.description)
    #expect(local.contains("127.0.0.1:7") && Set(local).isSubset(of: ["127.0.0.1:7", "[::1]:7"]))
    let error = #expect(throws: TransportError.self) { try BindPlan.addresses(of: "nonesuch0", port: 7) }
    #expect(error?.code == .unavailable)
  }

  @Test func `an inherited socket must listen for streams`() throws {
    func address(_ type: CInt, listens: Bool) throws -> SocketAddress {
      let descriptor = socket(AF_INET, type, 0)
      defer { close(descriptor) }
      let anywhere = try #require(SocketAddress(numericHost: "127.0.0.1", port: 0))
      #expect(anywhere.withSystemAddress { bind(descriptor, $0, $1) } == 0)
      if listens { #expect(listen(descriptor, 1) == 0) }
      return try InheritedSockets.address(of: Entry(descriptor: descriptor, name: "x"))
    }
    let (stream, datagram) = (CInt(SOCK_STREAM.rawValue), CInt(SOCK_DGRAM.rawValue))
    let listening = try address(stream, listens: true)
    #expect(listening.host == "127.0.0.1" && listening.port != 0)
    for type in [stream, datagram] {
      let error = #expect(throws: TransportError.self) { try address(type, listens: false) }
      #expect(error?.code == .unusableSocket && error?.errno == EOPNOTSUPP)
    }
    let closed = #expect(throws: TransportError.self) { try InheritedSockets.address(of: Entry(descriptor: -1, name: "x")) }
    #expect(closed?.code == .unusableSocket && closed?.errno == EBADF)
  }
}
