/// The name of one instance of a service, for people to read: "Ada's game" (RFC 6763 §4.1.1).
///
/// Two names are equal when they differ in the case of ASCII letters only, as DNS names are (RFC 1035 §2.3.3).
/// A name that came from the network may hold letters that change how text is displayed: do not print it raw.
public struct InstanceName: Sendable, CustomStringConvertible {
  /// The name as it was given.
  public let text: String
  /// What names are compared by.
  private let folded: String

  /// The most bytes that a name may have in UTF-8: one DNS label (RFC 1035 §2.3.4).
  public static let maximumByteCount = 63

  /// Checks a name.
  ///
  /// - Parameter text: 1 to 63 bytes of UTF-8 without ASCII control characters.
  /// - Throws: ``DiscoveryError`` with code `invalidInstanceName`.
  public init(_ text: String) throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(.invalidInstanceName, "instance name \"\(text)\": \(reason)")
    }
    guard !text.isEmpty else { throw invalid("it is empty; give at least one character") }
    let count = text.utf8.count
    guard count <= Self.maximumByteCount else {
      throw invalid("it has \(count) bytes in UTF-8, at most \(Self.maximumByteCount) are allowed; shorten it")
    }
    guard !text.utf8.contains(where: \.isASCIIControl) else {
      throw invalid("it has a control character; leave that out")
    }
    self.init(checked: text)
  }

  private init(checked text: String) {
    self.text = text
    folded = text.asciiLowercased()
  }

  public var description: String { text }

  /// The name to try when this one is taken: "Printer", "Printer #2", "Printer #3" and so on.
  ///
  /// The number is the form that Avahi uses, so that both engines and other programs on a machine choose alike
  /// (RFC 6763 appendix D leaves it open). A name that would become too long loses whole characters before the number.
  public var alternative: InstanceName {
    var base = Substring(text)
    var number = 2
    if let mark = text.lastIndex(of: "#"), mark > text.startIndex, text[text.index(before: mark)] == " ",
      text[text.index(after: mark)...].utf8.allSatisfy(\.isASCIIDigit),
      let current = Int(text[text.index(after: mark)...]), current >= 1, current < Int(Int32.max)
    {
      base = text[..<text.index(before: mark)]
      number = current + 1
    }
    let suffix = " #\(number)"
    while base.utf8.count + suffix.utf8.count > Self.maximumByteCount { base.removeLast() }
    return InstanceName(checked: base + suffix)
  }
}

extension InstanceName: Hashable {
  /// Bytes are compared, not characters: to DNS, é as one code point and é as two are two names.
  public static func == (one: Self, other: Self) -> Bool { one.folded.utf8.elementsEqual(other.folded.utf8) }

  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension InstanceName: ExpressibleByStringLiteral {
  /// A name that stands in the program's text; a mistake in it stops the program.
  public init(stringLiteral text: StaticString) {
    do throws(DiscoveryError) {
      try self.init(text.description)
    } catch {
      preconditionFailure(error.message)
    }
  }
}
