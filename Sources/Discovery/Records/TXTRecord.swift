import Escaping

/// The description of a service: keys, with or without values (RFC 6763 §6).
///
/// It is an ordered collection of pairs. The case of ASCII letters in keys is ignored.
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

  /// The entries, in order. Keys are unique.
  private(set) var entries: [Entry] = []

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
    let total = entries.reduce(0) { $0 + $1.byteCount + 1 }
    guard total <= Self.maximumByteCount else {
      throw invalid("it makes the record \(total) bytes long; at most \(Self.maximumByteCount) are allowed; shorten it")
    }
    self.entries = entries
  }

  /// Removes a key. The other keys keep their order.
  ///
  /// - Parameter key: The key. The case of ASCII letters is ignored.
  /// - Returns: The removed value; nil when the record does not have the key.
  @discardableResult
  public mutating func removeValue(forKey key: String) -> Value? {
    place(of: key).map { entries.remove(at: $0).value }
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
  /// Reads the data of a TXT record from the network.
  ///
  /// It ignores, as RFC 6763 §6.4 says, empty strings, strings with an empty key or a key that is not printable ASCII, and
  /// repeated keys. It also ignores a truncated string at the end.
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

  /// The contents of the record's character-strings on the wire.
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
