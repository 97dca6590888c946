import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishEventLoop

@testable import _BonjourishInterfaces

struct RouteTableTests {
  private static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]

  @Test func `what goes to the loopback address stays here`() throws {
    #expect(try RouteTable.route(to: [127, 0, 0, 1]) == .local)
    #expect(try RouteTable.route(to: [127, 1, 2, 3]) == .local)
    if try InterfaceTable.all().contains(where: { $0.addresses.contains { $0.bytes == Self.loopback6 } }) {
      #expect(try RouteTable.route(to: Self.loopback6) == .local)
    }
  }

  @Test func `what goes to an own address stays here, and to its subnet out of its interface`() throws {
    for interface in try InterfaceTable.all() where interface.flags & CInt(IFF_LOOPBACK) == 0 {
      for own in interface.addresses where own.bytes.count == 4 && own.prefixLength < 31 {
        #expect(try RouteTable.route(to: own.bytes) == .local)
        // The lowest bit of a host's number: another host, the network itself or its broadcast address.
        let neighbour = own.bytes.dropLast() + [own.bytes[3] ^ 1]
        let route = try RouteTable.route(to: Array(neighbour))
        #expect([.unicast(interface: interface.index), .nowhere].contains(route), "\(neighbour): \(route)")
      }
    }
  }

  @Test func `multicast, broadcast and nonsense have no route to one host`() throws {
    for address in [[224, 0, 0, 251], [255, 255, 255, 255]] as [[UInt8]] {
      #expect(try RouteTable.route(to: address) == .nowhere)
    }
    #expect(try RouteTable.route(to: [0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [0xFB]) == .nowhere)
  }

  @Test func `the kernel's answer tells where an address is`() {
    let (unicast, local, unreachable) = (
      UInt8(RTN_UNICAST), UInt8(RTN_LOCAL), UInt8(RTN_UNREACHABLE)
    )
    let link = NetlinkBytes.link(1, "lo", flags: 1)
    #expect(RouteTable.route(in: link + NetlinkBytes.route(unicast, interface: 5)) == .unicast(interface: 5))
    #expect(RouteTable.route(in: NetlinkBytes.route(local, interface: 1)) == .local)
    #expect(RouteTable.route(in: NetlinkBytes.route(local, interface: nil)) == .local)
    #expect(RouteTable.route(in: NetlinkBytes.route(unreachable, interface: 5)) == .nowhere)
    // Without an interface, or as part of another message.
    #expect(RouteTable.route(in: NetlinkBytes.route(unicast, interface: nil)) == .nowhere)
    #expect(RouteTable.route(in: NetlinkBytes.route(local, interface: 1, type: 25)) == .nowhere)
    #expect(RouteTable.route(in: NetlinkBytes.message(24, [2, 32, 0, 0, 254, 0, 0, local, 0, 0, 0])) == .nowhere)
  }

  @Test func `an answer that makes no sense is no route`() {
    #expect(RouteTable.route(in: []) == .nowhere)
    #expect(RouteTable.route(in: [UInt8](repeating: 0xFF, count: 64)) == .nowhere)
  }
}
