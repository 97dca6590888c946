/// The name and type of a question or of a set of records.
struct SetKey: Hashable {
  let name: DNSName
  let type: DNSType

  func hash(into hasher: inout Hasher) { hasher.combine(name.digest(mixedWith: Int(type.rawValue))) }
}

/// A set's key with its hash, for a key that several tables are searched for.
struct HashedKey: Equatable {
  let name: DNSName
  let type: DNSType
  /// The hash, seeded per process.
  let digest: Int

  init(name: DNSName, type: DNSType) {
    self.name = name
    self.type = type
    digest = name.digest(mixedWith: Int(type.rawValue))
  }

  static func == (one: HashedKey, other: HashedKey) -> Bool {
    one.digest == other.digest && one.type == other.type && one.name == other.name
  }
}

/// The identity of a record: its name and data, without its time to live.
struct RecordKey: Hashable {
  let name: DNSName
  let data: DNSData

  func hash(into hasher: inout Hasher) { hasher.combine(Self.digest(name, data)) }

  /// The hash, seeded per process.
  static func digest(_ name: DNSName, _ data: DNSData) -> Int { name.digest(mixedWith: data.digest) }
}

extension DNSName {
  /// A hash of the name and something else. The name's own is seeded, so mixing does, and is faster than hashing once more.
  fileprivate func digest(mixedWith other: Int) -> Int { digest &+ other &* 0x1E37_79B9_7F4A_7C15 }
}

extension DNSData {
  /// Its hash, seeded per process.
  fileprivate var digest: Int {
    switch self {
    case .ptr(let name), .cname(let name): name.digest
    case .address, .srv, .txt, .nsec, .hinfo, .other: hashValue
    }
  }
}
