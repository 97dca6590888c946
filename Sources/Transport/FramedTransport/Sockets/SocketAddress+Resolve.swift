extension SocketAddress {
  /// Looks up the addresses of a host.
  ///
  /// Addresses as text and `localhost` (RFC 6761, section 6.3) are answered at once. The system's resolver answers the rest, on a
  /// separate thread.
  ///
  /// - Parameters:
  ///   - host: A name, or an address as text, such as `example.org` or `fe80::1%eth0`.
  ///   - port: The port of the returned addresses.
  /// - Returns: At least one address, the preferred one first.
  /// - Throws: `nameNotFound` if the host is unknown; `timedOut` if the name service does not answer; `cancelled` at once if the
  ///   task is cancelled.
  public static func resolve(host: String, port: UInt16) async throws(TransportError) -> [SocketAddress] {
    if let addresses = try known(host: host, port: port) { return addresses }
    return try await Resolver.shared.lookUp(host, nil).map { $0.with(port: port) }
  }

  /// The addresses of a host that needs no look-up; `nil` for others.
  ///
  /// - Throws: `nameNotFound` if the text cannot be a host name.
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
