/// The name and type of a question or of a set of records.
struct SetKey: Hashable {
  let name: DNSName
  let type: DNSType
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
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(type)
    digest = hasher.finalize()
  }

  static func == (one: HashedKey, other: HashedKey) -> Bool {
    one.digest == other.digest && one.type == other.type && one.name == other.name
  }
}

/// The identity of a record: its name and data, without its time to live.
struct RecordKey: Hashable {
  let name: DNSName
  let data: DNSData
}
