import _BonjourishBase

/// The name of one instance of a service, in plain text: "Ada's game" (RFC 6763 §4.1.1).
///
/// Comparison ignores the case of ASCII letters (RFC 1035 §2.3.3).
/// A name from the network may hold control characters and others that change how text is displayed. Display its
/// ``description``, which is ``text`` after `escapedForDisplay`.
public struct InstanceName: Sendable, CustomStringConvertible {
  /// The exact name, unescaped. In Unicode's composed form (NFC) unless it is from the network (RFC 6762 §16).
  public let text: String
  /// The name with ASCII letters in lower case, for comparisons.
  private let folded: String

  /// The maximum length of a name: 63 bytes of UTF-8, one DNS label (RFC 1035 §2.3.4).
  public static let maximumByteCount = 63

  /// Checks a name to publish or resolve, and makes it.
  ///
  /// - Parameter text: 1–63 bytes of UTF-8 in the composed form (NFC) without ASCII control characters. Other forms are converted:
  ///   "é" of two code points becomes one.
  /// - Throws: ``DiscoveryError`` with code `invalidInstanceName` when the text breaks these rules.
  public init(_ text: String) throws(DiscoveryError) {
    let text = text.composed
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(.invalidInstanceName, "instance name \"\(text)\": \(reason)")
    }
    guard !text.isEmpty else { throw invalid("it is empty; use at least one character") }
    let count = text.utf8.count
    guard count <= Self.maximumByteCount else {
      throw invalid("it has \(count) bytes in UTF-8; at most \(Self.maximumByteCount) are allowed; shorten it")
    }
    guard !text.utf8.contains(where: \.isASCIIControl) else {
      throw invalid("it has a control character; remove it")
    }
    self.init(checked: text)
  }

  /// Makes a name from the network, byte for byte: other hosts find a name only in the form in which it is published. It allows
  /// control characters, because such a name can still be displayed and resolved.
  ///
  /// - Parameter text: The name.
  /// - Returns: Nil unless the name has 1–63 bytes.
  package init?(received text: String) {
    guard (1...Self.maximumByteCount).contains(text.utf8.count) else { return nil }
    self.init(checked: text)
  }

  private init(checked text: String) {
    self.text = text
    folded = text.asciiLowercased()
  }

  /// The name for display: characters that control a terminal, reorder text or are invisible are escaped, such as `\u{1B}`.
  public var description: String { text.escapedForDisplay }

  /// The form of alternative names. Both are Avahi's, so that both engines and other programs choose the same names (RFC 6763
  /// appendix D prescribes no form).
  package enum AlternativeStyle: String {
    /// "Printer #2"
    case instance = " #"
    /// "printer-2"
    case host = "-"
  }

  /// The name to try when this one is taken: "Printer #2" for "Printer", and a number greater by `step` for "Printer #2".
  ///
  /// If the result is too long, whole characters before the number are dropped.
  package func alternative(step: Int = 1, style: AlternativeStyle = .instance) -> InstanceName {
    let (start, number) = numbered(style) ?? (base: text[...], number: 1)
    return Self.joined(start, "\(style.rawValue)\(number + step)")
  }

  /// The name with a random suffix in place of a number: "Printer #k7f3x2q9".
  ///
  /// If the result is too long, whole characters before the suffix are dropped.
  package func alternative(suffix random: String, style: AlternativeStyle = .instance) -> InstanceName {
    Self.joined(numbered(style)?.base ?? text[...], "\(style.rawValue)\(random)")
  }

  /// A name with a suffix, shortened by whole characters before it if needed.
  private static func joined(_ base: Substring, _ suffix: String) -> InstanceName {
    var base = base
    while base.utf8.count + suffix.utf8.count > Self.maximumByteCount { base.removeLast() }
    return InstanceName(checked: base + suffix)
  }

  /// The number of a suffix such as " #2", and the text before the suffix; nil when the name has no such suffix.
  private func numbered(_ style: AlternativeStyle) -> (base: Substring, number: Int)? {
    guard let last = text.utf8.lastIndex(where: { !$0.isASCIIDigit }) else { return nil }
    let end = text.utf8.index(after: last)
    let digits = text[end...]
    let stem = text[..<end]
    guard stem.utf8.reversed().starts(with: style.rawValue.utf8.reversed()), digits.first != "0", let number = Int(digits),
      number < Int(Int32.max)
    else { return nil }
    return (Substring(stem.utf8.dropLast(style.rawValue.utf8.count)), number)
  }
}

extension InstanceName: Hashable {
  /// Compares bytes, not characters: for DNS, é as one code point and é as two code points are different names.
  public static func == (one: Self, other: Self) -> Bool { one.folded.hasSameBytes(as: other.folded) }

  /// Hashes the name without regard to the case of ASCII letters.
  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension InstanceName: ExpressibleByStringLiteral {
  /// Makes a name from a literal. An invalid literal stops the program.
  public init(stringLiteral text: StaticString) {
    do throws(DiscoveryError) {
      try self.init(text.description)
    } catch {
      preconditionFailure(error.message)
    }
  }
}

extension String {
  /// The text in Normalization Form C, which names on the network have (RFC 5198 §3, RFC 6763 §4.1.1).
  ///
  /// The standard library normalises when it compares strings, but has no other public function for it than this underscored one.
  /// Without it the result would need a table of our own.
  fileprivate var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    return String(validating: _nfcCodeUnits, as: UTF8.self) ?? self
  }
}
