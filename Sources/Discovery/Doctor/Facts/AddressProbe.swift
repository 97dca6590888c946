import CBonjourishLinux
import _BonjourishBase
package import _BonjourishDiscovery
import _BonjourishEventLoop

/// An address of this machine which another host has too.
package struct AddressConflict: Hashable, Sendable {
  package let interface: String
  package let address: IPAddress
  /// The other host's hardware address; nil if unknown.
  package let hardware: String?

  package init(interface: String, address: IPAddress, hardware: String? = nil) {
    self.interface = interface
    self.address = address
    self.hardware = hardware
  }
}

/// Asks by ARP whether another host has an IPv4 address of an interface (RFC 5227 section 2.1.1). Needs privileges.
final class AddressProbe {
  private let interface: InterfaceFacts
  private let descriptor: OwnedDescriptor
  let hardware: [UInt8]
  private let addresses: [IPAddress]

  /// `ETH_P_ARP`
  private static let protocolNumber: UInt16 = 0x0806

  /// Sends the questions; nil for an interface without IPv4, or that is no Ethernet.
  ///
  /// - Throws: ``SystemError``: `EPERM` without privileges.
  init?(of interface: InterfaceFacts) throws(SystemError) {
    addresses = interface.addresses.map(\.address).filter { $0.family == .ipv4 }
    guard !addresses.isEmpty else { return nil }
    self.interface = interface
    let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = OwnedDescriptor(
      try systemCall("socket") { socket(AF_PACKET, type, CInt(Self.protocolNumber.bigEndian)) })
    var link = Self.link(on: interface.index, to: [])
    let number = descriptor.number
    try systemCall("bind") {
      link.withUnsafeBytes { bind(number, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count)) }
    }
    var length = socklen_t(link.count)
    try systemCall("getsockname") {
      link.withUnsafeMutableBytes { getsockname(number, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, &length) }
    }
    // Of `struct sockaddr_ll`, byte 11 is the length of the address, which is six for an Ethernet.
    hardware = Array(link[12..<18])
    guard link[11] == 6 else { return nil }
    let all = Self.link(on: interface.index, to: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    for address in addresses {
      let question = Self.question(for: address, from: hardware)
      _ = all.withUnsafeBytes {
        sendto(
          number, question, question.count, CInt(MSG_NOSIGNAL), $0.assumingMemoryBound(to: sockaddr.self).baseAddress,
          socklen_t($0.count))
      }
    }
  }

  /// The answers of other hosts that have come. Does not wait.
  ///
  /// - Parameter own: This machine's hardware addresses: it may answer itself by way of another interface.
  func conflicts(besides own: [[UInt8]]) -> [AddressConflict] {
    var conflicts: Set<AddressConflict> = []
    var buffer = [UInt8](repeating: 0, count: 128)
    for _ in 0..<1_024 {
      let count = recv(descriptor.number, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      guard count >= 0 else { break }
      guard let (address, sender) = Self.sender(of: Array(buffer[..<count])), addresses.contains(address), !own.contains(sender)
      else { continue }
      conflicts.insert(
        AddressConflict(
          interface: interface.name, address: address,
          hardware: sender.map(\.hexadecimal).joined(separator: ":")))
    }
    return conflicts.sorted { ($0.address.description, $0.hardware ?? "") < ($1.address.description, $1.hardware ?? "") }
  }

  /// `struct sockaddr_ll`
  static func link(on interface: UInt32, to address: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    withUnsafeBytes(of: UInt16(AF_PACKET)) { bytes += $0 }
    withUnsafeBytes(of: protocolNumber.bigEndian) { bytes += $0 }
    withUnsafeBytes(of: interface) { bytes += $0 }
    bytes += [0, 0, 0, UInt8(address.count)] + address
    return bytes + [UInt8](repeating: 0, count: 20 - bytes.count)
  }

  /// A question from nobody: nobody notes its sender.
  static func question(for address: IPAddress, from hardware: [UInt8]) -> [UInt8] {
    // Ethernet and IPv4, lengths of six and four, a request.
    [0, 1, 8, 0, 6, 4, 0, 1] + hardware + [0, 0, 0, 0] + [0, 0, 0, 0, 0, 0] + address.bytes
  }

  /// The sender's addresses in an ARP message; nil for anything else.
  static func sender(of bytes: [UInt8]) -> (address: IPAddress, hardware: [UInt8])? {
    guard bytes.count >= 28, bytes.starts(with: [0, 1, 8, 0, 6, 4, 0]), let address = IPAddress(bytes: Array(bytes[14..<18]))
    else { return nil }
    return (address, Array(bytes[8..<14]))
  }
}
