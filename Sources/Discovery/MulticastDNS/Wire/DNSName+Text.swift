extension DNSName: CustomStringConvertible {
  /// Reads a name from text, with or without a trailing dot.
  ///
  /// - Parameter text: The name. A dot inside a label is written `\.`, and any byte can be written as three decimal digits,
  ///   such as `\032` (RFC 1035 §5.1).
  /// - Throws: ``DNSNameError``.
  package init(_ text: String) throws(DNSNameError) {
    var labels: [[UInt8]] = []
    var label: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    var endsInDot = false
    while let byte = bytes.popFirst() {
      endsInDot = false
      switch byte {
      case UInt8(ascii: "."):
        labels.append(label)
        label = []
        endsInDot = true
      case UInt8(ascii: "\\"):
        label.append(try Self.unescape(&bytes))
      default:
        label.append(byte)
      }
    }
    if !endsInDot && !text.isEmpty { labels.append(label) }
    if labels == [[]] && text == "." { labels = [] }
    try self.init(labels: labels)
  }

  private static func unescape(_ bytes: inout ArraySlice<UInt8>) throws(DNSNameError) -> UInt8 {
    guard let first = bytes.popFirst() else { throw .badEscape }
    guard first.isDigit else { return first }
    guard let second = bytes.popFirst(), let third = bytes.popFirst(), second.isDigit, third.isDigit,
      let value = UInt8(exactly: [first, second, third].reduce(0) { $0 * 10 + Int($1 - 48) })
    else { throw .badEscape }
    return value
  }

  /// The name as text, without a trailing dot; `.` for the root. Dots and backslashes inside labels, control characters and
  /// bytes that are not UTF-8 are escaped.
  package var description: String {
    let labels = labels
    return labels.isEmpty ? "." : labels.map(Self.escaped).joined(separator: ".")
  }

  private static func escaped(_ label: [UInt8]) -> String {
    guard let text = String(validating: label, as: UTF8.self) else {
      return label.map { $0 < 0x80 ? escaped(Unicode.Scalar($0)) : decimal($0) }.joined()
    }
    return text.unicodeScalars.map(escaped).joined()
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case ".", "\\": "\\\(scalar)"
    case "\u{0}"..<" ", "\u{7F}": decimal(UInt8(scalar.value))
    default: String(scalar)
    }
  }

  private static func decimal(_ byte: UInt8) -> String {
    let digits = String(byte)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { self &- 48 < 10 }
}
