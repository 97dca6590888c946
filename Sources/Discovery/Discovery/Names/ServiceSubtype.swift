import _BonjourishBase

/// A narrower kind of a service type, such as `_printer` of `_http._tcp`, that can be browsed separately (RFC 6763 §7.1).
///
/// Browsing the ``ServiceType`` also finds the services of its subtypes. Comparison ignores the case of ASCII letters
/// (RFC 1035 §2.3.3).
public struct ServiceSubtype: Sendable, CustomStringConvertible {
  /// The subtype without the type.
  public let text: String
  /// The subtype with ASCII letters in lower case, for comparisons.
  private let folded: String

  /// Checks a subtype and makes it.
  ///
  /// - Parameter text: One label: 1–63 bytes of UTF-8 without ASCII control characters. By convention it begins with an
  ///   underscore; avahi-daemon refuses other subtypes.
  /// - Throws: ``DiscoveryError`` with code `invalidServiceType` when the text breaks these rules.
  public init(_ text: String) throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(.invalidServiceType, "subtype \"\(text)\": \(reason); write it like _printer")
    }
    guard !text.isEmpty else { throw invalid("it is empty") }
    guard text.utf8.count <= 63 else { throw invalid("it has \(text.utf8.count) bytes in UTF-8; at most 63 are allowed") }
    guard !text.utf8.contains(where: \.isASCIIControl) else { throw invalid("it has a control character") }
    self.text = text
    folded = text.asciiLowercased()
  }

  /// The subtype for display: characters that reorder text or are invisible are escaped, such as `\u{202E}`.
  public var description: String { text.escapedForDisplay }

  /// Returns the name to browse for this subtype: `_printer._sub._http._tcp`.
  package func name(of type: ServiceType) -> String { "\(DomainName.escaped(text))._sub.\(type.dnsText)" }
}

extension ServiceSubtype: Hashable {
  /// Compares bytes, not characters: for DNS, é as one code point and é as two code points are different names.
  public static func == (one: Self, other: Self) -> Bool { one.folded.hasSameBytes(as: other.folded) }

  /// Hashes the subtype without regard to the case of ASCII letters.
  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension ServiceSubtype: ExpressibleByStringLiteral {
  /// Makes a subtype from a literal. An invalid literal stops the program.
  public init(stringLiteral text: StaticString) {
    do throws(DiscoveryError) {
      try self.init(text.description)
    } catch {
      preconditionFailure(error.message)
    }
  }
}
