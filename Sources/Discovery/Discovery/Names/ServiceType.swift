import _BonjourishBase

/// The protocol of a service and its transport, such as `_http._tcp` (RFC 6763 §7).
///
/// Types that break RFC 6335 are in use, such as `_androidtvremote2._tcp`, so all can be looked for. A type to publish must follow
/// it: see ``checkForPublishing()``. Comparison ignores the case of ASCII letters (RFC 1035 §2.3.3).
public struct ServiceType: Sendable, CustomStringConvertible {
  /// The second label: `_tcp` for TCP, `_udp` for everything else (RFC 6763 §4.1.2).
  public enum Transport: String, Hashable, Sendable, CaseIterable {
    /// TCP.
    case tcp = "_tcp"
    /// UDP, or any other transport.
    case udp = "_udp"
  }

  /// The service name without the underscore, such as `http`. One from the network may hold any characters: display
  /// ``description``.
  public let name: String
  /// The second label.
  public let transport: Transport
  /// The name with ASCII letters in lower case, for comparisons.
  private let folded: String

  /// Makes a type from text such as `_http._tcp`. A trailing dot is allowed.
  ///
  /// - Parameter text: The service name and the transport, each after an underscore. The service name has 1–62 bytes of UTF-8
  ///   without control characters; a dot in it is written `\.`.
  /// - Throws: ``DiscoveryError`` with code `invalidServiceType` when the text breaks these rules.
  public init(_ text: String) throws(DiscoveryError) {
    let labels: [[UInt8]]
    do throws(DiscoveryError) {
      labels = text.isEmpty || text == "." ? [] : try DomainName(text).labels
    } catch {
      throw Self.invalid(text, "it is not a name of two parts")
    }
    guard labels.count == 2 else { throw Self.invalid(text, "it needs two parts, not \(labels.count)") }
    guard Transport(label: labels[1]) != nil else { throw Self.invalid(text, "it ends with neither _tcp nor _udp") }
    guard labels[0].first == UInt8(ascii: "_") else {
      throw Self.invalid(text, "the service name does not begin with an underscore")
    }
    guard labels[0].count > 1 else { throw Self.invalid(text, "the service name is empty") }
    guard let type = ServiceType(labels: labels[...]) else { throw Self.invalid(text, "the service name is not UTF-8") }
    self = type
  }

  /// Makes a type from its two labels; nil when they are not those of a type.
  package init?(labels: ArraySlice<[UInt8]>) {
    guard labels.count == 2, let first = labels.first, first.count > 1, first[0] == UInt8(ascii: "_"),
      let name = String(validating: first[1...], as: UTF8.self), let transport = Transport(label: labels[labels.startIndex + 1])
    else { return nil }
    self.name = name
    self.transport = transport
    folded = name.asciiLowercased()
  }

  private static func invalid(_ text: String, _ reason: String) -> DiscoveryError {
    DiscoveryError(.invalidServiceType, "service type \"\(text)\": \(reason); write it like _http._tcp")
  }

  /// Checks whether the type may be published.
  ///
  /// - Throws: ``DiscoveryError`` with code `invalidServiceType` unless the service name has 1–15 letters, digits and hyphens,
  ///   with at least one letter, and no hyphen at either end or next to another (RFC 6335 §5.1).
  public func checkForPublishing() throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError { Self.invalid(dnsText, reason) }
    let name = name.utf8
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
  }

  /// The type with both labels and DNS escapes only, without a trailing dot.
  package var dnsText: String { "\(DomainName.escaped("_" + name)).\(transport.rawValue)" }

  /// The type for display, with both labels and without a trailing dot: characters that control a terminal, reorder text or are
  /// invisible are escaped.
  public var description: String { dnsText.escapedForDisplay }
}

extension ServiceType.Transport {
  fileprivate init?(label: [UInt8]) {
    self.init(rawValue: String(decoding: label, as: UTF8.self).asciiLowercased())
  }
}

extension ServiceType: Hashable {
  /// Compares bytes, without regard to the case of ASCII letters.
  public static func == (one: Self, other: Self) -> Bool {
    one.transport == other.transport && one.folded.hasSameBytes(as: other.folded)
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
