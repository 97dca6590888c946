package import _BonjourishDiscovery

/// The place of one service in a directory: `region.type.shard.instance`, four tokens of a NATS subject.
///
/// The key says which service it is, so that whoever creates it first has the name. The shard follows from the name; it spreads
/// the services of a type over ``shardCount`` parts that can be listed one by one.
package struct DirectoryKey: Hashable, Sendable {
  /// The number of shards of each type. All users of a bucket must agree on it.
  package static let shardCount = 64

  package let region: Region
  package let type: ServiceType
  package let name: InstanceName

  package init(region: Region, type: ServiceType, name: InstanceName) {
    self.region = region
    self.type = type
    self.name = name
  }

  /// The number of the shard, from 0.
  package var shard: Int { Self.shard(of: KeyToken.make(name.text)) }

  /// The key in its bucket.
  package var text: String {
    let name = KeyToken.make(name.text)
    return "\(region.text).\(Self.token(of: type)).\(Self.twoDigits(Self.shard(of: name))).\(name)"
  }

  /// The keys of all services of a type in a region, as a subject with wildcards.
  ///
  /// - Parameter shard: The shard that they are in, 0–63; nil for all.
  package static func all(of type: ServiceType, in region: Region, shard: Int? = nil) -> String {
    "\(region.text).\(token(of: type)).\(shard.map(twoDigits) ?? "*").*"
  }

  /// The number of the shard in the text of a key that was checked.
  static func shard(ofKey text: String) -> Int {
    let tokens = text.utf8.split(separator: UInt8(ascii: "."))
    return tokens.dropLast().last.flatMap { Int(Substring($0)) } ?? 0
  }

  private static func token(of type: ServiceType) -> String {
    "\(KeyToken.make(type.name))_\(type.transport.rawValue.dropFirst())"
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// FNV-1a, 32 bits: the same everywhere and for ever, unlike Swift's own hash.
  private static func shard(of token: String) -> Int {
    let hash = token.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return Int(hash % UInt32(shardCount))
  }
}

/// A part of a directory that is listed by itself, such as a continent: 1–32 lower-case letters, digits and hyphens.
package struct Region: Hashable, Sendable {
  package let text: String

  /// - Returns: Nil for any other text.
  package init?(_ text: String) {
    guard (1...32).contains(text.utf8.count), KeyToken.make(text) == text else { return nil }
    self.text = text
  }
}
