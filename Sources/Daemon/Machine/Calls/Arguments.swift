import _BonjourishBusProtocol
import _BonjourishDiscovery

/// The arguments of a call, whose types have been compared with the method's.
struct Arguments {
  private var rest: ArraySlice<BusValue>

  init(_ values: [BusValue]) { rest = values[...] }

  mutating func text() throws(CallFailure) -> String {
    guard case .text(let text)? = rest.popFirst() else { throw .unknownMethod }
    return text
  }

  mutating func int32() throws(CallFailure) -> Int32 {
    guard case .int32(let number)? = rest.popFirst() else { throw .unknownMethod }
    return number
  }

  mutating func uint32() throws(CallFailure) -> UInt32 {
    guard case .uint32(let number)? = rest.popFirst() else { throw .unknownMethod }
    return number
  }

  mutating func uint16() throws(CallFailure) -> UInt16 {
    guard case .uint16(let number)? = rest.popFirst() else { throw .unknownMethod }
    return number
  }

  mutating func bytes() throws(CallFailure) -> [UInt8] {
    guard case .bytes(let bytes)? = rest.popFirst() else { throw .unknownMethod }
    return bytes
  }

  /// The strings of a TXT record.
  mutating func strings() throws(CallFailure) -> [[UInt8]] {
    guard case .array(_, let elements)? = rest.popFirst() else { throw .unknownMethod }
    return elements.compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
  }

  /// The interface and the protocol that something is to be looked up or published on.
  mutating func link() throws(CallFailure) -> ClientLink {
    let (interface, family) = (try int32(), try int32())
    guard interface >= -1 else { throw .avahi(.invalidInterface) }
    return ClientLink(interface: max(interface, 0), family: try Self.family(family))
  }

  mutating func family() throws(CallFailure) -> IPAddress.Family? { try Self.family(try int32()) }

  private static func family(_ number: Int32) throws(CallFailure) -> IPAddress.Family? {
    switch number {
    case -1: nil
    case 0: .ipv4
    case 1: .ipv6
    default: throw .avahi(.invalidProtocol)
    }
  }
}

/// Where a client wants something to be looked up or published.
struct ClientLink: Hashable {
  /// The kernel's index of the interface; 0 for all.
  let interface: Int32
  /// Nil for both.
  let family: IPAddress.Family?
}

extension IPAddress.Family {
  /// The number for clients.
  var number: Int32 { self == .ipv4 ? 0 : 1 }
}

extension Optional<IPAddress.Family> {
  /// The number for clients; -1 for none.
  var number: Int32 { self?.number ?? -1 }
}
