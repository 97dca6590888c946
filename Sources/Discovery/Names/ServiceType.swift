/// The protocol of a service and its transport, such as `_http._tcp` (RFC 6763 §7).
///
/// Comparison ignores the case of ASCII letters (RFC 1035 §2.3.3).
public struct ServiceType: Sendable, CustomStringConvertible {
  /// The second label: `_tcp` for TCP, `_udp` for everything else (RFC 6763 §4.1.2).
  public enum Transport: String, Hashable, Sendable, CaseIterable {
    /// TCP.
    case tcp = "_tcp"
    /// UDP, or any other transport.
    case udp = "_udp"
  }

  /// The service name as registered with IANA, without the underscore: `http`.
  public let name: String
  /// The second label.
  public let transport: Transport
  /// The name with ASCII letters in lower case, for comparisons.
  private let folded: String

  /// Checks a type such as `_http._tcp`, and makes it. A trailing dot is allowed.
  ///
  /// - Parameter text: The service name and the transport, each after an underscore. The service name has 1–15 letters,
  ///   digits and hyphens, with at least one letter, and no hyphen at either end or next to another (RFC 6335 §5.1).
  /// - Throws: ``DiscoveryError`` with code `invalidServiceType` when the text breaks these rules.
  public init(_ text: String) throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(
        .invalidServiceType, "service type \"\(text)\": \(reason); write it like _http._tcp")
    }
    var labels = text.split(separator: ".", omittingEmptySubsequences: false)
    if labels.last == "" { labels.removeLast() }
    guard labels.count == 2 else { throw invalid("it needs two parts, not \(labels.count)") }
    guard let transport = Transport(rawValue: labels[1].lowercased()) else {
      throw invalid("it ends with neither _tcp nor _udp")
    }
    guard labels[0].first == "_" else { throw invalid("the service name does not begin with an underscore") }
    let name = labels[0].dropFirst().utf8
    guard !name.isEmpty else { throw invalid("the service name is empty") }
    guard name.count <= 15 else { throw invalid("the service name has \(name.count) characters; at most 15 are allowed") }
    guard name.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }) else {
      throw invalid("the service name has a character other than letters A to Z, digits and hyphens")
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

  /// The type with both labels, without a trailing dot.
  public var description: String { "_\(name).\(transport.rawValue)" }
}

extension ServiceType: Hashable {
  /// Compares without regard to the case of ASCII letters.
  public static func == (one: Self, other: Self) -> Bool {
    one.transport == other.transport && one.folded == other.folded
  }

  /// Hashes the type without regard to the case of ASCII letters.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(folded)
    hasher.combine(transport)
  }
}

extension ServiceType: ExpressibleByStringLiteral {
  /// Makes a type from a literal. An invalid literal stops the program.
  public init(stringLiteral text: StaticString) {
    do throws(DiscoveryError) {
      try self.init(text.description)
    } catch {
      preconditionFailure(error.message)
    }
  }
}
