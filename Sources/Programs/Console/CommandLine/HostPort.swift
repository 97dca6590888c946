/// A host and a port in text form: `HOST:PORT`, or `HOST` if there is a default port. An IPv6 address stands in brackets.
public struct HostPort: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an address without brackets.
  public let host: String
  /// The port, 1–65,535.
  public let port: UInt16

  /// Parses a host and a port; returns nil if the text has another form.
  ///
  /// - Parameter defaultPort: The port if the text has none; nil if the text must have one.
  init?(_ text: String, defaultPort: UInt16? = nil) {
    let host: Substring
    let port: Substring?
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count <= 2 else { return nil }
      host = parts[0]
      port = parts.count == 2 ? parts[1] : nil
    }
    guard !host.isEmpty, let number = port.map({ UInt16($0) }) ?? defaultPort, number != 0 else { return nil }
    (self.host, self.port) = (String(host), number)
  }

  /// The text form, `HOST:PORT`; an IPv6 address stands in brackets.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension ValueFormat where Value == HostPort {
  /// A host and a port.
  public static var hostPort: Self {
    Self("a host and a port, such as ada.local:4242 or [fe80::1%eth0]:4242") { HostPort($0) }
  }

  /// A host, with a port unless it is the default one.
  public static func hostPort(default port: UInt16) -> Self {
    Self("a host with or without a port, such as ada.local, 10.0.0.1:4242 or [fe80::1%eth0]") {
      HostPort($0, defaultPort: port)
    }
  }
}
