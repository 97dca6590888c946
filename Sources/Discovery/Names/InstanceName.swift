/// The name of one instance of a service, for people to read: "Ada's game" (RFC 6763 §4.1.1).
///
/// Two names are equal when they differ in the case of ASCII letters only, as DNS names are (RFC 1035 §2.3.3).
/// A name that came from the network may hold control characters and others that change how text is displayed: to people show its
/// ``description``, and not its ``text``.
public struct InstanceName: Sendable, CustomStringConvertible {
  /// The name as it was given.
  public let text: String
  /// What names are compared by.
  private let folded: String

  /// The most bytes that a name may have in UTF-8: one DNS label (RFC 1035 §2.3.4).
  public static let maximumByteCount = 63

  /// Checks a name before it is published or looked for.
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

  /// Takes a name as the network gave it: what others publish against the rules can still be named, shown and resolved.
  ///
  /// - Parameter text: Nil unless it has 1 to 63 bytes.
  package init?(received text: String) {
    guard (1...Self.maximumByteCount).contains(text.utf8.count) else { return nil }
    self.init(checked: text)
  }

  private init(checked text: String) {
    self.text = text
    folded = text.asciiLowercased()
  }

  /// The name for people: what would control a terminal, reorder a line or not show is written as an escape, such as `\u{1B}`.
  public var description: String { text.visible }

  /// The name to try when this one is taken: "Printer", "Printer #2", "Printer #3" and so on.
  ///
  /// The number is the form that Avahi uses, so that both engines and other programs on a machine choose alike
  /// (RFC 6763 appendix D leaves it open). A name that would become too long loses whole characters before the number.
  public var alternative: InstanceName {
    let (start, number) = numbered ?? (base: text[...], number: 1)
    var base = start
    let suffix = " #\(number + 1)"
    while base.utf8.count + suffix.utf8.count > Self.maximumByteCount { base.removeLast() }
    return InstanceName(checked: base + suffix)
  }

  /// The number in " #2" at the end of the name, and what stands before it; nil when the name does not end so.
  private var numbered: (base: Substring, number: Int)? {
    guard let mark = text.lastIndex(of: "#"), mark > text.startIndex, text[text.index(before: mark)] == " " else { return nil }
    let digits = text[text.index(after: mark)...]
    guard digits.utf8.allSatisfy(\.isASCIIDigit), digits.first != "0", let number = Int(digits), number < Int(Int32.max) else {
      return nil
    }
    return (text[..<text.index(before: mark)], number)
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
