/// The pages that may open a WebSocket of a site.
///
/// A browser sends the origin of the page with the handshake, so a page of another site cannot open one in its visitor's name. A program
/// that is no browser can send any origin, or none: it is not kept out by this.
public enum AllowedOrigins: Hashable, Sendable {
  /// Pages that were loaded from the host and port that the handshake is sent to, over TLS if it is sent over TLS, and programs that send no origin.
  case sameHost
  /// These, such as `https://example.com`, in lower case and without a slash at the end; pages of the same host; and programs that send
  /// no origin.
  case these(Set<String>)
  /// All.
  case any

  /// Whether a page may open a WebSocket.
  ///
  /// - Parameters:
  ///   - origin: The field `Origin`; `nil` if there is none.
  ///   - host: The field `Host`.
  ///   - isEncrypted: Whether the handshake came over TLS: a page that did not may be anybody's.
  package func permits(_ origin: String?, host: String, isEncrypted: Bool = false) -> Bool {
    guard let origin = origin?.lowercased() else { return true }
    switch self {
    case .any: return true
    case .these(let origins) where origins.contains(origin): return true
    case .these, .sameHost:
      let host = host.lowercased()
      return !isEncrypted && Self.forms(of: host, scheme: "http", port: ":80").contains(origin)
        || Self.forms(of: host, scheme: "https", port: ":443").contains(origin)
    }
  }

  /// The origins of a host, with and without the scheme's own port.
  private static func forms(of host: String, scheme: String, port: String) -> [String] {
    let short = host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
    return ["\(scheme)://\(host)", "\(scheme)://\(short)"]
  }
}

/// The hosts by which a site may be addressed.
///
/// A page of a stranger can have its name resolved to an address of this network (DNS rebinding). The browser then takes this site for
/// that page's own, but sends the stranger's name as the host.
public enum AllowedHosts: Hashable, Sendable {
  /// Numeric addresses, `localhost`, names below `.local`, and these names, in lower case and without a port.
  case local(names: Set<String> = [])
  /// All.
  case any

  /// Whether requests for a host are served.
  package func permits(_ host: String) -> Bool {
    guard case .local(let names) = self else { return true }
    guard let name = Self.name(of: host.lowercased()) else { return false }
    return name.hasPrefix("[") || name == "localhost" || name.hasSuffix(".local") || names.contains(name) || Self.isIPv4(name)
  }

  /// The host without the port; `nil` if it is malformed.
  private static func name(of host: String) -> String? {
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let address = host[host.index(after: host.startIndex)..<end]
      let isAddress = address.contains(":") && address.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
      return isAddress && isPort(host[host.index(after: end)...]) ? String(host[...end]) : nil
    }
    guard let colon = host.firstIndex(of: ":") else { return host }
    return isPort(host[colon...]) ? String(host[..<colon]) : nil
  }

  /// Whether text is a colon and a number, or nothing.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.first == ":" && text.dropFirst().count <= 5 && text.dropFirst().allSatisfy { ("0"..."9").contains($0) }
  }

  private static func isIPv4(_ name: String) -> Bool {
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4
      && numbers.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy { ("0"..."9").contains($0) } && UInt8($0) != nil }
  }
}
