extension SocketAddress {
  /// The addresses of a host.
  ///
  /// Addresses as text and `localhost` (RFC 6761, section 6.3) are answered at once. Everything else is asked of the system's
  /// resolver, on a thread that nobody else uses.
  ///
  /// - Parameters:
  ///   - host: A name or an address as text, such as `example.org` or `fe80::1%eth0`.
  ///   - port: The port that the addresses get.
  /// - Returns: At least one address, the preferred first.
  /// - Throws: `nameNotFound` when no such host is known; `timedOut` when the name service does not answer; `cancelled` at once
  ///   when the task is.
  public static func resolve(host: String, port: UInt16) async throws(TransportError) -> [SocketAddress] {
    if let addresses = try known(host: host, port: port) { return addresses }
    return try await Resolver.shared.lookUp(host, nil).map { $0.with(port: port) }
  }

  /// The addresses of a host for which nobody has to be asked; `nil` for others.
  ///
  /// - Throws: `nameNotFound` when it cannot be the name of a host.
  static func known(host: String, port: UInt16) throws(TransportError) -> [SocketAddress]? {
    if let address = SocketAddress(numericHost: host, port: port) { return [address] }
    if host.lowercased() == "localhost" || host.lowercased() == "localhost." {
      return ["::1", "127.0.0.1"].compactMap { SocketAddress(numericHost: $0, port: port) }
    }
    guard !host.isEmpty, !host.utf8.contains(0) else {
      throw TransportError(.nameNotFound, "Looking up a host failed: its name is empty or contains a zero byte")
    }
    return nil
  }
}
