/// What a service says of itself: keys with values, or alone (RFC 6763 §6).
///
/// Keys are compared without regard to the case of ASCII letters; their order is kept.
public struct TXTRecord: Hashable, Sendable {
  /// What stands behind a key.
  public enum Value: Hashable, Sendable {
    /// The key alone, without an equals sign: it is there, as a boolean is true (RFC 6763 §6.4).
    case flag
    /// The bytes after the equals sign, which may be none. They are opaque; mostly they are UTF-8 (RFC 6763 §6.5).
    case bytes([UInt8])

    public init(_ text: String) { self = .bytes(Array(text.utf8)) }

    /// The value as text; nil for a flag and for bytes that are not UTF-8.
    public var text: String? {
      switch self {
      case .flag: nil
      case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
      }
    }
  }

  /// A key and what stands behind it.
  public struct Entry: Hashable, Sendable {
    public let key: String
    public let value: Value

    /// A key is compared without regard to case, so an entry is, too.
    public static func == (one: Self, other: Self) -> Bool {
      one.value == other.value && one.key.asciiLowercased() == other.key.asciiLowercased()
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(key.asciiLowercased())
      hasher.combine(value)
    }
  }

  /// The entries, in their order; no two have the same key.
  public private(set) var entries: [Entry] = []

  /// The most bytes of one key, equals sign and value (RFC 1035 §3.3).
  public static let maximumEntryByteCount = 255
  /// The most bytes of the record that this implementation publishes: what RFC 6763 §6.2 says to stay below, so that the record
  /// fits into one Ethernet packet.
  public static let maximumByteCount = 1_300

  public init() {}

  /// The value of a key, nil when the record does not have it.
  public subscript(key: String) -> Value? {
    let wanted = key.asciiLowercased()
    return entries.first { $0.key.asciiLowercased() == wanted }?.value
  }

  /// The value of a key as text; nil when the key is missing, has no value, or one that is not UTF-8.
  public func text(_ key: String) -> String? { self[key]?.text }

  /// Adds a key, or gives the one that is there another value.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - key: Printable ASCII without an equals sign; at most 9 characters is good style (RFC 6763 §6.4).
  /// - Throws: ``DiscoveryError`` with code `invalidTXTRecord` when the key breaks RFC 6763 §6.4, key and value together have
  ///   more than 255 bytes, or the record becomes larger than ``maximumByteCount``. The record is unchanged then.
  public mutating func set(_ value: Value, for key: String) throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(.invalidTXTRecord, "TXT key \"\(key)\": \(reason)")
    }
    guard !key.isEmpty else { throw invalid("it is empty; give at least one character before the equals sign") }
    guard key.utf8.allSatisfy(Self.isAllowedInKey) else {
      throw invalid("it has something other than printable ASCII, or an equals sign; use letters, digits and hyphens")
    }
    let entry = Entry(key: key, value: value)
    guard entry.byteCount <= Self.maximumEntryByteCount else {
      throw invalid(
        "key and value have \(entry.byteCount) bytes, at most \(Self.maximumEntryByteCount) are allowed; shorten the value")
    }
    var entries = self.entries
    let folded = key.asciiLowercased()
    if let place = entries.firstIndex(where: { $0.key.asciiLowercased() == folded }) {
      entries[place] = entry
    } else {
      entries.append(entry)
    }
    let total = entries.reduce(0) { $0 + $1.byteCount + 1 }
    guard total <= Self.maximumByteCount else {
      throw invalid("with it the record has \(total) bytes, at most \(Self.maximumByteCount) are allowed; say less")
    }
    self.entries = entries
  }

  private static func isAllowedInKey(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "=")
  }
}

extension TXTRecord.Entry {
  var byteCount: Int { bytes.count }

  /// The entry as one character-string of the record: `key` or `key=value`.
  package var bytes: [UInt8] {
    switch value {
    case .flag: Array(key.utf8)
    case .bytes(let value): Array(key.utf8) + [UInt8(ascii: "=")] + value
    }
  }
}

extension TXTRecord {
  /// Reads the data of a TXT record as the network gave it.
  ///
  /// What RFC 6763 §6.4 says to ignore is ignored: empty strings, strings without a key or with one that is not printable
  /// ASCII, and keys that came before. Strings that the data ends in the midst of are ignored as well.
  package init(data: some Sequence<UInt8>) {
    var seen: Set<String> = []
    var bytes = data.makeIterator()
    while let count = bytes.next() {
      var string: [UInt8] = []
      string.reserveCapacity(Int(count))
      while string.count < Int(count), let byte = bytes.next() { string.append(byte) }
      guard string.count == Int(count), let entry = Entry(string), seen.insert(entry.key.asciiLowercased()).inserted else {
        continue
      }
      entries.append(entry)
    }
  }

  /// The record as strings, each of which becomes one character-string on the wire.
  package var strings: [[UInt8]] { entries.map(\.bytes) }
}

extension TXTRecord.Entry {
  fileprivate init?(_ string: [UInt8]) {
    let equals = string.firstIndex(of: UInt8(ascii: "="))
    let key = string[..<(equals ?? string.endIndex)]
    guard !key.isEmpty, key.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    self.key = String(validating: key, as: UTF8.self)!  // printable ASCII is UTF-8
    value = if let equals { .bytes(Array(string[(equals + 1)...])) } else { .flag }
  }
}

extension TXTRecord: ExpressibleByDictionaryLiteral {
  /// A record that stands in the program's text, such as `["players": "3", "path": "/"]`; a mistake in it stops the program.
  public init(dictionaryLiteral pairs: (String, Value)...) {
    for (key, value) in pairs {
      do throws(DiscoveryError) {
        try set(value, for: key)
      } catch {
        preconditionFailure(error.message)
      }
    }
  }
}

extension TXTRecord.Value: ExpressibleByStringInterpolation {
  public init(stringLiteral text: String) { self.init(text) }
}

extension TXTRecord: CustomStringConvertible {
  /// The entries for people, as `key=value` with spaces between.
  public var description: String {
    entries.map { entry in
      switch entry.value {
      case .flag: entry.key
      case .bytes: "\(entry.key)=\(entry.value)"
      }
    }.joined(separator: " ")
  }
}

extension TXTRecord.Value: CustomStringConvertible {
  /// The value for people: its text, with everything escaped that would control a terminal, reorder a line or not show; of bytes
  /// that are not UTF-8 their number; of a flag nothing.
  public var description: String {
    switch self {
    case .flag: ""
    case .bytes(let bytes): text?.visible ?? "(\(bytes.count) bytes)"
    }
  }
}
