import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

/// A configuration that was checked.
struct DirectorySettings: Sendable {
  let servers: [String]
  let credentials: DirectoryConfiguration.Credentials
  let isSecure: Bool
  let authorities: String?
  let certificate: (certificate: String, key: String)?
  let region: Region
  let shard: Int?
  let bucket: Bucket
  let createsBucket: Bool
  let replicas: Int
  let addresses: [IPAddress]
  let allowsLoopback: Bool
  let inboxPrefix: String
  let relays: Bool

  /// The first tokens of the subjects of relayed connections.
  var relayPrefix: String { "\(bucket.name).relay" }

  /// The servers for messages, without passwords and tokens.
  var place: String {
    let shown = servers.prefix(3).map(ServerURL.withoutSecrets).joined(separator: ", ")
    return servers.count > 3 ? "\(shown) and \(servers.count - 3) more" : shown
  }

  /// - Throws: `DiscoveryError` with code `invalidDirectory`.
  init(_ configuration: DirectoryConfiguration) throws(DiscoveryError) {
    func invalid(_ reason: String) -> DiscoveryError { DiscoveryError(.invalidDirectory, "the directory's \(reason)") }
    guard (1...32).contains(configuration.servers.count) else {
      throw invalid("servers: there are \(configuration.servers.count); give 1–32 URLs such as nats://host:4222")
    }
    var servers: [ServerURL] = []
    for text in configuration.servers {
      guard let server = ServerURL(text) else {
        throw invalid("server \"\(ServerURL.withoutSecrets(text))\" is no URL such as nats://host:4222 or tls://host")
      }
      servers.append(server)
    }
    guard let region = Region(configuration.region) else {
      throw invalid("region \"\(configuration.region)\" must be 1–32 lower-case letters, digits and hyphens")
    }
    guard configuration.shard.map((0..<DirectoryKey.shardCount).contains) ?? true else {
      throw invalid("shard must be 0–\(DirectoryKey.shardCount - 1)")
    }
    guard Self.isSubject(configuration.requestPrefix), Self.isSubject(configuration.inboxPrefix) else {
      throw invalid("prefixes must be tokens of letters, digits and -_$ with dots between them")
    }
    guard let bucket = Bucket(configuration.bucket, api: configuration.requestPrefix, lease: configuration.lease) else {
      throw invalid("bucket \"\(configuration.bucket)\" must be 1–64 letters, digits, hyphens and underscores")
    }
    guard (1...5).contains(configuration.replicas) else { throw invalid("number of replicas must be 1–5") }
    guard configuration.addresses.count <= DirectoryRecord.maximumAddressCount else {
      throw invalid("further addresses are too many; at most \(DirectoryRecord.maximumAddressCount) are allowed")
    }
    let isSecure =
      configuration.isSecure || configuration.authorities != nil || configuration.certificate != nil
      || servers.contains(where: \.isSecure)
    self.servers = servers.map(\.text)
    credentials = configuration.credentials
    self.isSecure = isSecure
    authorities = configuration.authorities
    certificate = configuration.certificate
    self.region = region
    shard = configuration.shard
    self.bucket = bucket
    createsBucket = configuration.createsBucket
    replicas = configuration.replicas
    addresses = configuration.addresses
    allowsLoopback = configuration.allowsLoopback
    inboxPrefix = configuration.inboxPrefix
    relays = configuration.relays
  }

  private static func isSubject(_ text: String) -> Bool {
    let tokens = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return text.utf8.count <= 128
      && tokens.allSatisfy { token in
        !token.isEmpty
          && token.allSatisfy { byte in
            (48...57).contains(byte) || (97...122).contains(byte | 0x20) || [0x2D, 0x5F, 0x24].contains(byte)
          }
      }
  }
}

/// The URL of a server.
struct ServerURL: Hashable {
  let text: String
  let host: String
  let isSecure: Bool

  /// - Parameter text: `nats://`, `tls://` or nothing; perhaps `user:password@` or `token@`; a host name, an IPv4 address or an IPv6
  ///   address in brackets; perhaps a colon and a port.
  /// - Returns: Nil for any other text.
  init?(_ text: String) {
    guard text.utf8.count <= 1_024, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    var rest = Substring(text)
    var scheme = "nats"
    if let end = rest.range(of: "://") {
      scheme = String(rest[..<end.lowerBound])
      rest = rest[end.upperBound...]
    }
    guard scheme == "nats" || scheme == "tls" else { return nil }
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    if rest.last == "/" { rest.removeLast() }
    var port = ""
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
      guard IPAddress(host)?.family == .ipv6, rest.isEmpty || rest.first == ":" else { return nil }
      port = String(rest.dropFirst())
    } else {
      let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count <= 2 else { return nil }
      host = String(parts[0])
      port = parts.count == 2 ? String(parts[1]) : ""
      rest = parts.count == 2 ? ":" : ""
    }
    guard !host.isEmpty, !host.contains("/"), rest.isEmpty || UInt16(port).map({ $0 > 0 }) == true else { return nil }
    isSecure = scheme == "tls"
    self.text = text
  }

  /// A text for messages, without what may be a password or a token.
  static func withoutSecrets(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    let scheme = text.range(of: "://").map { String(text[..<$0.upperBound]) } ?? ""
    return scheme + "…" + text[at...]
  }
}

extension StringProtocol {
  /// The first place of a text, without Foundation.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
