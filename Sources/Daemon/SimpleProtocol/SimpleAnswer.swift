package import _BonjourishDiscovery

/// What a client of the simple socket is told, in one line.
package enum SimpleAnswer: Hashable, Sendable {
  /// Where an answer comes from.
  package struct Source: Hashable, Sendable {
    /// The index of the interface.
    package let interface: Int32
    /// The address family of the link.
    package let family: IPAddress.Family

    package init(interface: Int32, family: IPAddress.Family) {
      self.interface = interface
      self.family = family
    }
  }

  /// The numbers of errors, as in avahi-common/error.h.
  package enum Failure: Int, Hashable, Sendable {
    case invalidHostName = -3
    case invalidAddress = -14
    case timeout = -15
    case invalidOperation = -21
    case notSupported = -49
  }

  /// A host has this address.
  case address(IPAddress, ofHost: String, Source)
  /// An address has this name.
  case name(String, Source)
  /// Nothing was found.
  case failure(Failure, String)

  /// The look-up has taken too long.
  package static let timeout = failure(.timeout, "Timeout reached")
  /// The daemon does not look up names that are not well-formed.
  package static let invalidHostName = failure(.invalidHostName, "Invalid host name")
  /// The daemon does not do it.
  package static let notSupported = failure(.notSupported, "Not supported")

  /// The line with its ending.
  package var line: String {
    switch self {
    case .address(let address, let host, let source): "+ \(source.text) \(Self.word(host)) \(Self.text(of: address))\n"
    case .name(let name, let source): "+ \(source.text) \(Self.word(name))\n"
    case .failure(let failure, let text): "\(failure.rawValue) \(text.filter { !$0.isNewline })\n"
    }
  }

  /// The address without its zone: the interface is told in front.
  private static func text(of address: IPAddress) -> String { String(address.description.prefix { $0 != "%" }) }

  /// A name as one word of a line. A stranger's name with a blank or a line ending would make other words or lines of itself.
  private static func word(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { word, scalar in
      let isPlain = scalar.value > 0x20 && !scalar.properties.isWhitespace && scalar.value != 0x7F
      if isPlain { return word.unicodeScalars.append(scalar) }
      for byte in String(scalar).utf8 {
        word += "\\" + String(repeating: "0", count: byte < 10 ? 2 : byte < 100 ? 1 : 0) + String(byte)
      }
    }
  }
}

extension SimpleAnswer.Source {
  /// `AVAHI_PROTO_INET` is 0, and `AVAHI_PROTO_INET6` 1.
  fileprivate var text: String { "\(interface) \(family == .ipv4 ? 0 : 1)" }
}
