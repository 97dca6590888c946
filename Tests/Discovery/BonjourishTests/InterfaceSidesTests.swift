import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces

@testable import Bonjourish

/// The interfaces by which addresses of strangers are judged, with a table and a clock of the test.
struct InterfaceSidesTests {
  private final class Table: Sendable {
    struct State {
      var now = ContinuousClock.now
      var reads = 0
      var entries: [InterfaceTable.Entry]? = [Table.entry(1, "eth0", [192, 0, 2, 1])]
    }

    let state = Locked(State())

    static func entry(_ index: UInt32, _ name: String, _ address: [UInt8], flags: CInt = 0) -> InterfaceTable.Entry {
      var entry = InterfaceTable.Entry(index: index, name: name, flags: flags, mtu: 1_500)
      entry.addresses = [InterfaceTable.Address(address, prefixLength: 24)]
      return entry
    }

    func makeSides() -> InterfaceSides {
      InterfaceSides(now: { self.state.withLock { $0.now } }) { () throws(SystemError) in
        try self.state.withLock { (state) throws(SystemError) in
          state.reads += 1
          guard let entries = state.entries else { throw SystemError("socket", errno: 24) }
          return entries
        }
      }
    }

    var reads: Int { state.withLock { $0.reads } }
    func advance(by time: Duration) { state.withLock { $0.now += time } }
    func change(_ entries: [InterfaceTable.Entry]?) { state.withLock { $0.entries = entries } }
  }

  private let table = Table()
  private let eth0 = NetworkInterface(index: 1, name: "eth0")

  private func network(_ text: String) throws -> AddressFilter.Side {
    .network([AddressFilter.Subnet(try #require(IPAddress(text)), prefixLength: 24)])
  }

  @Test func `a thousand questions in one moment read the table once`() throws {
    var sides = table.makeSides()
    for _ in 0..<1_000 { #expect(sides.side(of: eth0) == (try network("192.0.2.1"))) }
    for index in 2..<1_000 { #expect(sides.side(of: NetworkInterface(index: UInt32(index), name: "ghost")) == .unknown) }
    #expect(table.reads == 1)
    table.advance(by: .milliseconds(99))
    _ = sides.side(of: eth0)
    #expect(table.reads == 1)
    table.advance(by: .milliseconds(1))
    _ = sides.side(of: eth0)
    #expect(table.reads == 2)
  }

  @Test func `a changed table is seen after at most 100 ms`() throws {
    var sides = table.makeSides()
    _ = sides.side(of: eth0)
    table.change([Table.entry(1, "eth0", [198, 51, 100, 1]), Table.entry(2, "eth1", [203, 0, 113, 1])])
    table.advance(by: .milliseconds(100))
    #expect(sides.side(of: eth0) == (try network("198.51.100.1")))
    #expect(sides.side(of: NetworkInterface(index: 2, name: "eth1")) == (try network("203.0.113.1")))
    table.change([Table.entry(1, "eth1", [203, 0, 113, 1])])
    table.advance(by: .milliseconds(100))
    #expect(sides.side(of: eth0) == .unknown)
  }

  @Test func `a table that cannot be read is asked for once in 100 ms, and the former one counts`() throws {
    var sides = table.makeSides()
    _ = sides.side(of: eth0)
    table.change(nil)
    table.advance(by: .milliseconds(100))
    for _ in 0..<1_000 { #expect(sides.side(of: eth0) == (try network("192.0.2.1"))) }
    #expect(table.reads == 2)
  }

  @Test func `the loopback interface is known by its flag`() {
    let loopback = Table.entry(1, "lo", [127, 0, 0, 1], flags: CInt(IFF_LOOPBACK) | CInt(IFF_UP))
    table.change([loopback, Table.entry(2, "lo0", [127, 0, 0, 2])])
    var sides = table.makeSides()
    #expect(sides.side(of: NetworkInterface(index: 1, name: "lo")) == .loopback)
    #expect(sides.side(of: NetworkInterface(index: 2, name: "lo0")) != .loopback)
    #expect(sides.side(of: NetworkInterface(index: 2, name: "lo")) == .unknown)
  }

  @Test func `the kernel's own routes and interfaces decide`() throws {
    let lo = DiscoverySource(try NetworkInterface(named: "lo"))
    let elsewhere = DiscoverySource(NetworkInterface(index: 9_999, name: "none"))
    for text in ["127.0.0.1", "127.7.7.7"] {
      let address = try #require(IPAddress(text))
      #expect(AddressFilter.kernel.permits(address, heardOn: lo))
      #expect(!AddressFilter.kernel.permits(address, heardOn: elsewhere))
    }
    #expect(!AddressFilter.kernel.permits(.ipv4(0xE000_00FB), heardOn: lo), "a group")
  }

  @Test func `interfaces that are named must exist, and those that may come later need not`() throws {
    #expect(try InterfaceSelection(parsing: ["lo", "eth*", "!nowhere1"]) == InterfaceSelection(["lo", "eth*", "!nowhere1"]))
    #expect(try InterfaceSelection(parsing: [String]()) == .all)
    #expect(try InterfaceSelection(parsing: ["nowhere?"]).included == ["nowhere?"])
    let error = #expect(throws: DiscoveryError.self) { try InterfaceSelection(parsing: ["lo", "nowhere0"]) }
    #expect(error?.code == .noSuchInterface && error?.message.contains("\"nowhere0\"") == true)
    #expect(try NetworkInterface(named: "lo").index == 1)
  }
}
