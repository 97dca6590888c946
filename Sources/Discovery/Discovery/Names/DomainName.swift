import _BonjourishBase

/// The name of a domain or a host: `local`, `printer.local`.
///
/// Comparison ignores the case of ASCII letters (RFC 1035 §2.3.3).
public struct DomainName: Sendable, CustomStringConvertible {
  /// The name without a trailing dot.
  public let text: String
  private let folded: String

  /// The domain of multicast DNS (RFC 6762 §3).
  public static let local: DomainName = "local"

  /// Checks a name and makes it. A trailing dot is dropped.
  ///
  /// - Parameter text: Labels of 1–63 bytes, at most 255 bytes in total (RFC 1035 §2.3.4), without control characters. A dot
  ///   inside a label is written `\.`, and any byte can be written as three decimal digits, such as `\032`.
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` when the text breaks these rules.
  public init(_ text: String) throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(.invalidDomain, "domain name \"\(text)\": \(reason); write it like local or printer.local")
    }
    var length = 1  // the root's empty label
    var label = 0
    var bytes = text.utf8.makeIterator()
    func endLabel() throws(DiscoveryError) {
      guard label > 0 else { throw invalid("it has an empty label") }
      guard label <= 63 else { throw invalid("it has a label of \(label) bytes; at most 63 are allowed") }
      length += label + 1
      label = 0
    }
    var endsInDot = false
    while let byte = bytes.next() {
      endsInDot = false
      switch byte {
      case UInt8(ascii: "."):
        try endLabel()
        endsInDot = true
      case UInt8(ascii: "\\"):
        guard let next = bytes.next() else { throw invalid("it ends with a backslash") }
        guard !next.isASCIIControl else { throw invalid("it has a control character") }
        if next.isASCIIDigit {
          guard let second = bytes.next(), let third = bytes.next(), second.isASCIIDigit, third.isASCIIDigit,
            Int(next - 48) * 100 + Int(second - 48) * 10 + Int(third - 48) <= 255
          else { throw invalid("it has a backslash and a digit, but not three digits up to 255") }
        }
        label += 1
      default:
        guard !byte.isASCIIControl else { throw invalid("it has a control character") }
        label += 1
      }
    }
    if !endsInDot { try endLabel() }
    guard length <= 255 else { throw invalid("it has \(length) bytes; at most 255 are allowed") }
    // Drops the last byte, not the last character: after a sign such as U+0600 the dot is part of a longer character.
    self.text = endsInDot ? String(Substring(text.utf8.dropLast())) : text
    folded = self.text.asciiLowercased()
  }

  /// Reads a name from the network: labels with length bytes, ending with the empty label, uncompressed (RFC 1035 §3.1).
  ///
  /// - Parameter wire: The name on the wire.
  /// - Returns: Nil unless it is such a name of at most 255 bytes, in UTF-8, with at least one label.
  package init?(wire: ArraySlice<UInt8>) {
    guard wire.count <= 255 else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(wire.count)
    var left = 0
    var hasEnded = false
    for byte in wire {
      guard !hasEnded else { return nil }
      guard left == 0 else {
        Self.append(byte, to: &text)
        left -= 1
        continue
      }
      guard byte <= 63 else { return nil }
      hasEnded = byte == 0
      left = Int(byte)
      if !hasEnded, !text.isEmpty { text.append(UInt8(ascii: ".")) }
    }
    // Dots and escapes are ASCII, so that the whole is UTF-8 if each label is.
    guard hasEnded, !text.isEmpty, let text = String(validating: text, as: UTF8.self) else { return nil }
    self.init(canonical: text)
  }

  /// Makes a name from text that follows the rules, and needs no other escapes.
  init(canonical text: String) {
    self.text = text
    folded = text.asciiLowercased()
  }

  /// Makes a name from labels; nil when there is none, or one is empty, too long or not UTF-8, or the name is too long.
  package init?(labels: some Collection<[UInt8]>) {
    guard labels.allSatisfy({ (1...63).contains($0.count) }) else { return nil }
    self.init(wire: labels.wire[...])
  }

  /// The labels as bytes, without escapes.
  package var labels: [[UInt8]] {
    var labels: [[UInt8]] = [[]]
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
      switch byte {
      case UInt8(ascii: "."):
        labels.append([])
      case UInt8(ascii: "\\"):
        // The initialisers have checked that this follows.
        guard let next = bytes.next() else { return labels }
        guard next.isASCIIDigit else {
          labels[labels.count - 1].append(next)
          continue
        }
        guard let second = bytes.next(), let third = bytes.next() else { return labels }
        let value = Int(next - 48) * 100 + Int(second - 48) * 10 + Int(third - 48)
        labels[labels.count - 1].append(UInt8(truncatingIfNeeded: value))
      default:
        labels[labels.count - 1].append(byte)
      }
    }
    return labels
  }

  /// The name with as few escapes as possible, whatever the form that it was written in.
  package var canonicalText: String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    return labels.map(Self.escaped).joined(separator: ".")
  }

  /// Escapes a label like text, and each byte of a label that is not UTF-8 as three decimal digits.
  private static func escaped(_ label: [UInt8]) -> String {
    if let text = String(validating: label, as: UTF8.self) { return escaped(text) }
    return label.map { byte in
      let digits = String(byte)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }.joined()
  }

  /// Escapes a label: dots and backslashes as `\.` and `\\`, control characters as three decimal digits, such as `\009`.
  static func escaped(_ label: String) -> String {
    var escaped: [UInt8] = []
    for byte in label.utf8 { append(byte, to: &escaped) }
    return String(decoding: escaped, as: UTF8.self)
  }

  /// Adds a byte of a label to text, escaped if it is not itself there.
  private static func append(_ byte: UInt8, to text: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "\\"):
      text += [UInt8(ascii: "\\"), byte]
    case _ where byte.isASCIIControl:
      text += [UInt8(ascii: "\\"), 48 + byte / 100, 48 + byte / 10 % 10, 48 + byte % 10]
    default:
      text.append(byte)
    }
  }

  /// The name for display: characters that reorder text or are invisible are escaped, such as `\u{202E}`.
  public var description: String { text.escapedForDisplay }
}

extension DomainName: Hashable {
  /// Compares bytes, not characters: for DNS, é as one code point and é as two code points are different names.
  public static func == (one: Self, other: Self) -> Bool { one.folded.hasSameBytes(as: other.folded) }

  /// Hashes the name without regard to the case of ASCII letters.
  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension DomainName: ExpressibleByStringLiteral {
  /// Makes a name from a literal. An invalid literal stops the program.
  public init(stringLiteral text: StaticString) {
    do throws(DiscoveryError) {
      try self.init(text.description)
    } catch {
      preconditionFailure(error.message)
    }
  }
}
