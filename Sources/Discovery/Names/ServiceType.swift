/// What a service is and how it is spoken to: `_http._tcp`, for example (RFC 6763 §7).
///
/// Two types are equal when they differ in the case of ASCII letters only, as DNS names are (RFC 1035 §2.3.3).
public struct ServiceType: Sendable, CustomStringConvertible {
  /// The second label: TCP, or anything else (RFC 6763 §4.1.2).
  public enum Transport: String, Hashable, Sendable, CaseIterable {
    case tcp = "_tcp"
    case udp = "_udp"
  }

  /// The service name as registered with IANA, without the underscore.
  public let name: String
  public let transport: Transport
  /// What names are compared by.
  private let folded: String

  /// Reads a type such as `_http._tcp`; a dot at the end is allowed.
  ///
  /// - Parameter text: Two labels that begin with underscores. The first is the service name: 1 to 15 letters, digits and
  ///   hyphens, with at least one letter, without a hyphen at either end or two in a row (RFC 6335 §5.1).
  /// - Throws: ``DiscoveryError`` with code `invalidServiceType`.
  public init(_ text: String) throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(
        .invalidServiceType, "service type \"\(text)\": \(reason); write it like _http._tcp")
    }
    var labels = text.split(separator: ".", omittingEmptySubsequences: false)
    if labels.last == "" { labels.removeLast() }
    guard labels.count == 2 else { throw invalid("it has \(labels.count) labels instead of two") }
    guard let transport = Transport(rawValue: labels[1].lowercased()) else {
      throw invalid("it ends in neither _tcp nor _udp")
    }
    guard labels[0].first == "_" else { throw invalid("the service name does not begin with an underscore") }
    let name = labels[0].dropFirst().utf8
    guard !name.isEmpty else { throw invalid("the service name is empty") }
    guard name.count <= 15 else { throw invalid("the service name has \(name.count) characters, at most 15 are allowed") }
    guard name.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }) else {
      throw invalid("the service name has something other than letters, digits and hyphens")
    }
    guard name.contains(where: \.isASCIILetter) else { throw invalid("the service name has no letter") }
    guard name.first != UInt8(ascii: "-"), name.last != UInt8(ascii: "-") else {
      throw invalid("the service name begins or ends with a hyphen")
    }
    guard !zip(name, name.dropFirst()).contains(where: { $0 == UInt8(ascii: "-") && $1 == $0 }) else {
      throw invalid("the service name has two hyphens in a row")
    }
    self.name = String(labels[0].dropFirst())
    self.transport = transport
    folded = self.name.asciiLowercased()
  }

  /// The type with both its labels, without a dot at the end.
  public var description: String { "_\(name).\(transport.rawValue)" }
}

extension ServiceType: Hashable {
  public static func == (one: Self, other: Self) -> Bool {
    one.transport == other.transport && one.folded == other.folded
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(folded)
    hasher.combine(transport)
  }
}

extension ServiceType: ExpressibleByStringLiteral {
  /// A type that stands in the program's text; a mistake in it stops the program.
  public init(stringLiteral text: StaticString) {
    do throws(DiscoveryError) {
      try self.init(text.description)
    } catch {
      preconditionFailure(error.message)
    }
  }
}
