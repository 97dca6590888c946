/// A narrower kind of a service, such as the `_printer` of all `_http._tcp`, that others can look for by itself (RFC 6763 §7.1).
///
/// It goes with a ``ServiceType``: whoever looks for the type finds the service as well. Two subtypes are equal when they differ
/// in the case of ASCII letters only, as DNS names are (RFC 1035 §2.3.3).
public struct ServiceSubtype: Sendable, CustomStringConvertible {
  /// The subtype without the type.
  public let text: String
  /// What names are compared by.
  private let folded: String

  /// Checks a subtype.
  ///
  /// - Parameter text: One label: 1 to 63 bytes of UTF-8 without ASCII control characters. By custom it begins with an underscore,
  ///   and avahi-daemon does not take it otherwise.
  /// - Throws: ``DiscoveryError`` with code `invalidServiceType`.
  public init(_ text: String) throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(.invalidServiceType, "subtype \"\(text)\": \(reason); write it like _printer")
    }
    guard !text.isEmpty else { throw invalid("it is empty") }
    guard text.utf8.count <= 63 else { throw invalid("it has \(text.utf8.count) bytes in UTF-8, at most 63 are allowed") }
    guard !text.utf8.contains(where: \.isASCIIControl) else { throw invalid("it has a control character") }
    self.text = text
    folded = text.asciiLowercased()
  }

  /// The subtype for people: what would reorder a line or not show is written as an escape, such as `\u{202E}`.
  public var description: String { text.visible }

  /// The name by which the services of a type that are of this subtype are known: `_printer._sub._http._tcp`.
  package func name(of type: ServiceType) -> String { "\(DomainName.escaped(text))._sub.\(type)" }
}

extension ServiceSubtype: Hashable {
  /// Bytes are compared, not characters: to DNS, é as one code point and é as two are two names.
  public static func == (one: Self, other: Self) -> Bool { one.folded.utf8.elementsEqual(other.folded.utf8) }

  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension ServiceSubtype: ExpressibleByStringLiteral {
  /// A subtype that stands in the program's text; a mistake in it stops the program.
  public init(stringLiteral text: StaticString) {
    do throws(DiscoveryError) {
      try self.init(text.description)
    } catch {
      preconditionFailure(error.message)
    }
  }
}
