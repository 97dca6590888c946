/// The name of a domain or a host: `local`, `printer.local`.
///
/// Two names are equal when they differ in the case of ASCII letters only (RFC 1035 §2.3.3).
public struct DomainName: Sendable, CustomStringConvertible {
  /// The name without a dot at the end.
  public let text: String
  private let folded: String

  /// The domain of multicast DNS (RFC 6762 §3).
  public static let local: DomainName = "local"

  /// Checks a name; a dot at the end is dropped.
  ///
  /// - Parameter text: Labels of 1 to 63 bytes, 255 bytes together (RFC 1035 §2.3.4), without control characters. A dot that
  ///   belongs to a label is written `\.`, a byte as its three decimal digits, `\032`.
  /// - Throws: ``DiscoveryError`` with code `invalidDomain`.
  public init(_ text: String) throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(.invalidDomain, "domain name \"\(text)\": \(reason); write it like local or printer.local")
    }
    var length = 1  // the root's empty label
    var label = 0
    var bytes = text.utf8.makeIterator()
    func endLabel() throws(DiscoveryError) {
      guard label > 0 else { throw invalid("it has an empty label") }
      guard label <= 63 else { throw invalid("it has a label of \(label) bytes, at most 63 are allowed") }
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
        guard let next = bytes.next() else { throw invalid("it ends in a backslash") }
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
    guard length <= 255 else { throw invalid("it has \(length) bytes, at most 255 are allowed") }
    // Not the last character: a dot may be a part of one, after a sign such as U+0600.
    self.text = endsInDot ? String(Substring(text.utf8.dropLast())) : text
    folded = self.text.asciiLowercased()
  }

  /// Reads a name from the network: labels, each after its length, up to the empty one, without compression (RFC 1035 §3.1).
  ///
  /// - Parameter wire: Nil unless it is such a name of at most 255 bytes, in UTF-8, with at least one label.
  package init?(wire: some Collection<UInt8>) {
    guard wire.count <= 255 else { return nil }
    var labels: [String] = []
    var rest = wire[...]
    while true {
      guard let count = rest.popFirst() else { return nil }
      if count == 0 { break }
      guard count <= 63, rest.count >= count, let label = String(validating: rest.prefix(Int(count)), as: UTF8.self) else {
        return nil
      }
      labels.append(Self.escaped(label))
      rest = rest.dropFirst(Int(count))
    }
    guard rest.isEmpty, !labels.isEmpty else { return nil }
    text = labels.joined(separator: ".")
    folded = text.asciiLowercased()
  }

  /// A label with what would end it, or would not show, written as backslash and character or decimal number.
  static func escaped(_ label: String) -> String {
    var escaped = ""
    for scalar in label.unicodeScalars {
      switch scalar {
      case ".", "\\":
        escaped.unicodeScalars.append("\\")
        escaped.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value)
        escaped += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      default:
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// The name for people: what would reorder a line or not show is written as an escape, such as `\u{202E}`.
  public var description: String { text.visible }
}

extension DomainName: Hashable {
  /// Bytes are compared, not characters: to DNS, é as one code point and é as two are two names.
  public static func == (one: Self, other: Self) -> Bool { one.folded.utf8.elementsEqual(other.folded.utf8) }

  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension DomainName: ExpressibleByStringLiteral {
  /// A name that stands in the program's text; a mistake in it stops the program.
  public init(stringLiteral text: StaticString) {
    do throws(DiscoveryError) {
      try self.init(text.description)
    } catch {
      preconditionFailure(error.message)
    }
  }
}
