import _BonjourishBase

/// The description of a service: keys, with or without values (RFC 6763 §6).
///
/// It is an ordered collection of pairs. The case of ASCII letters in keys is ignored. Strings that are no pairs are kept, and
/// published, but are in ``strings`` only.
///
/// ```swift
/// var txt: TXTRecord = ["path": "/", "note": "try me"]
/// txt.removeValue(forKey: "note")
/// for (key, value) in txt { print("\(key) = \(value)") }
/// ```
public struct TXTRecord: Hashable, Sendable {
  /// The value of a key.
  public enum Value: Hashable, Sendable {
    /// A key without an equals sign, like a boolean that is true (RFC 6763 §6.4).
    case flag
    /// The bytes after the equals sign, possibly none. They are opaque, usually UTF-8 (RFC 6763 §6.5).
    case bytes([UInt8])

    /// Makes a value from text, as UTF-8.
    ///
    /// - Parameter text: The text.
    public init(_ text: String) { self = .bytes(Array(text.utf8)) }

    /// The value as text; nil for a flag and for bytes that are not valid UTF-8.
    public var text: String? {
      switch self {
      case .flag: nil
      case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
      }
    }
  }

  /// A key and its value.
  struct Entry: Hashable, Sendable {
    let key: String
    let value: Value

    /// Ignores the case of the key.
    static func == (one: Self, other: Self) -> Bool {
      one.value == other.value && one.key.asciiLowercased() == other.key.asciiLowercased()
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(key.asciiLowercased())
      hasher.combine(value)
    }
  }

  /// A string that is not a pair of its own: it is empty, its key is empty or not printable ASCII, or the key is repeated.
  struct OtherString: Hashable, Sendable {
    /// The position among all strings.
    var place: Int
    let bytes: [UInt8]
  }

  /// The entries, in order. Keys are unique.
  private(set) var entries: [Entry] = []
  /// The strings that are not entries, in order. Nearly always none.
  private(set) var others: [OtherString] = []

  /// The maximum size of one entry (key, equals sign and value) in bytes (RFC 1035 §3.3).
  static let maximumEntryByteCount = 255
  /// The maximum size of a published record: 1,300 bytes, so that it fits into one Ethernet packet (RFC 6763 §6.2).
  public static let maximumByteCount = 1_300

  /// Makes an empty record.
  public init() {}

  /// The value of a key; nil when the record does not have the key.
  public subscript(key: String) -> Value? {
    place(of: key).map { entries[$0].value }
  }

  /// The value of a key as text; nil when the key is missing or has no value, or the value is not valid UTF-8.
  public func text(_ key: String) -> String? { self[key]?.text }

  /// Adds a key at the end, or replaces the value of an existing key.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - key: The key: printable ASCII without an equals sign, at least 1 and preferably at most 9 characters (RFC 6763 §6.4).
  /// - Throws: ``DiscoveryError`` with code `invalidTXTRecord` when the key breaks RFC 6763 §6.4, the entry is longer than
  ///   255 bytes, or the record becomes larger than ``maximumByteCount``. The record is then unchanged.
  public mutating func set(_ value: Value, for key: String) throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(.invalidTXTRecord, "TXT key \"\(key)\": \(reason)")
    }
    guard !key.isEmpty else { throw invalid("it is empty; give at least one character before the equals sign") }
    guard key.utf8.allSatisfy(Self.isAllowedInKey) else {
      throw invalid("it has an equals sign or a character that is not printable ASCII; use letters, digits and hyphens")
    }
    let entry = Entry(key: key, value: value)
    guard entry.byteCount <= Self.maximumEntryByteCount else {
      throw invalid(
        "key and value have \(entry.byteCount) bytes; at most \(Self.maximumEntryByteCount) are allowed; shorten the value")
    }
    var entries = self.entries
    if let place = place(of: key) {
      entries[place] = entry
    } else {
      entries.append(entry)
    }
    let total = entries.reduce(others.reduce(0) { $0 + $1.bytes.count + 1 }) { $0 + $1.byteCount + 1 }
    guard total <= Self.maximumByteCount else {
      throw invalid("it makes the record \(total) bytes long; at most \(Self.maximumByteCount) are allowed; shorten it")
    }
    self.entries = entries
  }

  /// Removes a key, and the strings that repeat it. The others keep their order.
  ///
  /// - Parameter key: The key. The case of ASCII letters is ignored.
  /// - Returns: The removed value; nil when the record does not have the key.
  @discardableResult
  public mutating func removeValue(forKey key: String) -> Value? {
    guard let value = self[key] else { return nil }
    let folded = key.asciiLowercased()
    let strings = strings.filter { Entry($0)?.key.asciiLowercased() != folded }
    self = TXTRecord(kept: strings)
    return value
  }

  private func place(of key: String) -> Int? {
    let folded = key.asciiLowercased()
    return entries.firstIndex { $0.key.asciiLowercased() == folded }
  }

  private static func isAllowedInKey(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "=")
  }
}

extension TXTRecord: RandomAccessCollection {
  /// The position of the first pair: 0.
  public var startIndex: Int { entries.startIndex }
  /// The position after the last pair.
  public var endIndex: Int { entries.endIndex }

  /// The pair at a position, from 0, in the order of the record.
  public subscript(position: Int) -> (key: String, value: Value) { (entries[position].key, entries[position].value) }
}

extension TXTRecord.Entry {
  var byteCount: Int { bytes.count }

  /// The content of one character-string (RFC 1035 §3.3): `key` or `key=value`.
  var bytes: [UInt8] {
    switch value {
    case .flag: Array(key.utf8)
    case .bytes(let value): Array(key.utf8) + [UInt8(ascii: "=")] + value
    }
  }
}

extension TXTRecord {
  /// Reads the data of a TXT record, such as another program publishes.
  ///
  /// Every string is kept as it is. Those that are no pairs are not elements of the collection: empty strings, strings with an
  /// empty key or a key that is not printable ASCII, and repeated keys (RFC 6763 §6.4). A truncated string at the end is dropped.
  ///
  /// - Parameter data: Strings, each after its length in one byte (RFC 1035 §3.3.14).
  public init(data: some Sequence<UInt8>) {
    var strings: [[UInt8]] = []
    var bytes = data.makeIterator()
    while let count = bytes.next() {
      var string: [UInt8] = []
      string.reserveCapacity(Int(count))
      while string.count < Int(count), let byte = bytes.next() { string.append(byte) }
      if string.count == Int(count) { strings.append(string) }
    }
    // RFC 6763 §6.1: a single empty string is how an empty record is written.
    self.init(kept: strings == [[]] ? [] : strings)
  }

  /// Makes a record of strings, which are published byte for byte.
  ///
  /// avahi-daemon does not publish empty strings; everyone ignores them (RFC 6763 §6.4).
  ///
  /// - Parameter strings: The strings in order, usually `key=value` or `key`. They may be anything of at most 255 bytes.
  /// - Throws: ``DiscoveryError`` with code `invalidTXTRecord` when a string is longer, or the record is larger than
  ///   ``maximumByteCount``.
  public init(strings: some Sequence<some Sequence<UInt8>>) throws(DiscoveryError) {
    let strings = strings.map { Array($0) }
    if let long = strings.first(where: { $0.count > Self.maximumEntryByteCount }) {
      throw DiscoveryError(
        .invalidTXTRecord,
        "TXT string of \(long.count) bytes: at most \(Self.maximumEntryByteCount) are allowed; shorten it")
    }
    self.init(kept: strings)
    try checkSize()
  }

  private init(kept strings: [[UInt8]]) {
    var seen: Set<String> = []
    for (place, string) in strings.enumerated() {
      if let entry = Entry(string), seen.insert(entry.key.asciiLowercased()).inserted {
        entries.append(entry)
      } else {
        others.append(OtherString(place: place, bytes: string))
      }
    }
  }

  /// All strings of the record, byte for byte and in order: `key=value`, `key`, and those that are no pairs.
  public var strings: [[UInt8]] {
    guard !others.isEmpty else { return entries.map(\.bytes) }
    var strings: [[UInt8]] = []
    var others = others[...]
    for entry in entries {
      while let other = others.first, other.place == strings.count { strings.append(others.removeFirst().bytes) }
      strings.append(entry.bytes)
    }
    return strings + others.map(\.bytes)
  }

  /// The record on the wire: strings, each after its length in one byte; for an empty record one empty string (RFC 6763 §6.1).
  public var data: [UInt8] {
    let strings = strings
    return strings.isEmpty ? [0] : strings.flatMap { [UInt8($0.count)] + $0 }
  }

  /// - Throws: ``DiscoveryError`` with code `invalidTXTRecord` when the record is too large to be published.
  package func checkSize() throws(DiscoveryError) {
    let count = data.count
    guard count > Self.maximumByteCount else { return }
    throw DiscoveryError(
      .invalidTXTRecord,
      "TXT record of \(count) bytes: at most \(Self.maximumByteCount) are allowed (RFC 6763 §6.2); shorten it")
  }
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
  /// Makes a record from a literal, such as `["players": "3", "path": "/"]`. An invalid literal stops the program.
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
  /// Makes a value from a literal, as UTF-8.
  public init(stringLiteral text: String) { self.init(text) }
}

extension TXTRecord: CustomStringConvertible {
  /// The pairs for display, as `key=value`, separated by spaces.
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
  /// The value for display: its text after `escapedForDisplay`; the number of bytes if it is not UTF-8; nothing for a flag.
  public var description: String {
    switch self {
    case .flag: ""
    case .bytes(let bytes): text?.escapedForDisplay ?? "(\(bytes.count) bytes)"
    }
  }
}
