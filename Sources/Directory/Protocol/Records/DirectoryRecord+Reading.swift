import _BonjourishBase
package import _BonjourishDiscovery

extension DirectoryRecord {
  /// The reason why a record is ignored.
  package enum Flaw: String, Error, Hashable, Sendable {
    case tooLarge, notJSON, otherVersion, name, type, subtypes, port, host, addresses, txt, owner, relay
    /// It is at a place that belongs to another service.
    case wrongKey
  }

  /// Reads a record that anybody may have written.
  ///
  /// - Parameters:
  ///   - bytes: The value of a key.
  ///   - key: The text of the key.
  ///   - region: The region that the key must be in.
  ///   - allowsLoopback: Whether addresses of the loopback interface count. They lead to the reader's own machine.
  /// - Throws: ``Flaw`` when anything breaks the rules. Fields that this version does not know are ignored, and so are addresses
  ///   that cannot be reached from elsewhere: link-local, multicast and unspecified ones, and those with a zone.
  package init(
    reading bytes: [UInt8], at key: String, in region: Region, allowsLoopback: Bool = false
  ) throws(Flaw) {
    guard bytes.count <= Self.maximumByteCount else { throw .tooLarge }
    // TXT strings that are not UTF-8 are arrays of their bytes.
    let limits = JSONReader.Limits(byteCount: Self.maximumByteCount, values: 2_048)
    guard let json = try? JSONReader.read(bytes, limits), case .object = json else { throw .notJSON }
    guard json["v"] == .integer(Self.version) else { throw .otherVersion }
    guard let name = Self.name(json["name"]) else { throw .name }
    guard let type = json["type"]?.string.flatMap({ try? ServiceType($0) }), (try? type.checkForPublishing()) != nil else {
      throw .type
    }
    guard let subtypes = Self.subtypes(json["subtypes"]) else { throw .subtypes }
    guard let port = json["port"]?.integer.flatMap({ UInt16(exactly: $0) }), port > 0 else { throw .port }
    guard let host = json["host"]?.string, InstanceName(received: host) != nil else { throw .host }
    guard let addresses = Self.addresses(json["addresses"], allowsLoopback) else { throw .addresses }
    guard let txt = Self.txt(json["txt"]) else { throw .txt }
    guard let owner = json["owner"]?.string.flatMap({ Owner(digits: $0) }) else { throw .owner }
    let relay = json["relay"]?.string.flatMap { RelayNumber($0) }
    guard (relay == nil) == (json["relay"] == nil) else { throw .relay }
    self.init(
      name: name, type: type, subtypes: subtypes, port: port, host: host, addresses: addresses, txt: txt, owner: owner,
      relay: relay)
    guard self.key(in: region).text == key else { throw .wrongKey }
  }

  /// A name is exactly as somebody may publish it: whole, composed, without control characters.
  private static func name(_ value: JSONValue?) -> InstanceName? {
    guard let text = value?.string, let name = try? InstanceName(text), name.text.utf8.elementsEqual(text.utf8) else {
      return nil
    }
    return name
  }

  private static func subtypes(_ value: JSONValue?) -> Set<ServiceSubtype>? {
    guard let value else { return [] }
    guard let elements = value.array, elements.count <= maximumSubtypeCount else { return nil }
    var subtypes: Set<ServiceSubtype> = []
    for element in elements {
      guard let subtype = element.string.flatMap({ try? ServiceSubtype($0) }) else { return nil }
      subtypes.insert(subtype)
    }
    return subtypes
  }

  private static func addresses(_ value: JSONValue?, _ allowsLoopback: Bool) -> [IPAddress]? {
    guard let elements = value?.array, elements.count <= maximumAddressCount else { return nil }
    var addresses: [IPAddress] = []
    for element in elements {
      guard let address = element.string.flatMap({ IPAddress($0) }) else { return nil }
      if address.leadsElsewhere(allowsLoopback: allowsLoopback), !addresses.contains(address) { addresses.append(address) }
    }
    return addresses
  }

  private static func txt(_ value: JSONValue?) -> TXTRecord? {
    guard let elements = value?.array else { return nil }
    var strings: [[UInt8]] = []
    for element in elements {
      switch element {
      case .string(let text): strings.append(Array(text.utf8))
      case .array(let numbers):
        let bytes = numbers.compactMap { $0.integer.flatMap { UInt8(exactly: $0) } }
        guard bytes.count == numbers.count else { return nil }
        strings.append(bytes)
      case .null, .bool, .integer, .otherNumber, .object: return nil
      }
    }
    return try? TXTRecord(strings: strings)
  }
}

extension IPAddress {
  /// Whether an address of a directory may lead to another machine than the one that reads it.
  package func leadsElsewhere(allowsLoopback: Bool) -> Bool {
    guard isUnicast, zone == nil, !isLinkLocal else { return false }
    return allowsLoopback || !isLoopback
  }
}
