import CBonjourishLinux
import _BonjourishBase
import _BonjourishDirectoryProtocol
public import _BonjourishDiscovery
import _BonjourishPrivateFiles

/// Contexts: settings of servers that the `nats` command keeps in files, and variables of the environment that it reads.
extension DirectoryConfiguration {
  /// Makes a configuration of what the environment says: `NATS_URL`, `NATS_CONTEXT`, `NATS_USER`, `NATS_PASSWORD`, `NATS_TOKEN`,
  /// `NATS_NKEY`, `NATS_CREDS`, `NATS_CA`, `NATS_CERT` and `NATS_KEY`, as for the `nats` command. Variables go before the context.
  ///
  /// - Parameter servers: The URLs of servers to use in place of those that the environment names. A context that is only selected, and
  ///   not named by `NATS_CONTEXT`, is then left out, because what it says is for other servers.
  /// - Throws: `DiscoveryError` with code `invalidDirectory` when the context cannot be used, or nothing names a server.
  public static func ofEnvironment(servers: [String] = []) throws(DiscoveryError) -> DirectoryConfiguration {
    try ofEnvironment(servers: servers) { name in getenv(name).map { String(cString: $0) } }
  }

  static func ofEnvironment(
    servers: [String] = [], _ variable: (String) -> String?
  ) throws(DiscoveryError) -> DirectoryConfiguration {
    func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    let folder = contextFolder(value)
    var name = value("NATS_CONTEXT")
    if name == nil, servers.isEmpty, value("NATS_URL") == nil, let folder {
      name = try read("\(folder)/context.txt").map { String(decoding: $0, as: UTF8.self).trimmed }
    }
    var configuration = DirectoryConfiguration(servers: [])
    if let name {
      guard let folder else {
        throw DiscoveryError(.invalidDirectory, "context \"\(name)\": neither XDG_CONFIG_HOME nor HOME is set")
      }
      configuration = try DirectoryConfiguration(context: name, in: folder)
    }
    if !servers.isEmpty {
      configuration.servers = servers
    } else if let url = value("NATS_URL") {
      configuration.servers = Self.servers(url)
    }
    if let user = value("NATS_USER") { configuration.credentials = .password(user: user, value("NATS_PASSWORD") ?? "") }
    if let token = value("NATS_TOKEN") { configuration.credentials = .token(token) }
    if let file = value("NATS_NKEY") { configuration.credentials = .key(seedFile: file) }
    if let file = value("NATS_CREDS") { configuration.credentials = .file(file) }
    if let authorities = value("NATS_CA") { configuration.authorities = authorities }
    if let certificate = value("NATS_CERT"), let key = value("NATS_KEY") { configuration.certificate = (certificate, key) }
    guard !configuration.servers.isEmpty else {
      throw DiscoveryError(.invalidDirectory, "looking for a directory: set NATS_URL, or select a context of the nats command")
    }
    return configuration
  }

  /// Makes a configuration of a context of the `nats` command.
  ///
  /// - Parameter name: The name of the context, whose file is `~/.config/nats/context/<name>.json`, or below `XDG_CONFIG_HOME`.
  /// - Throws: `DiscoveryError` with code `invalidDirectory` when there is no such context, its file is damaged, or it needs
  ///   something that the C library of NATS cannot do: `nsc`, `socks_proxy` or `tls_first`.
  public init(context name: String) throws(DiscoveryError) {
    guard let folder = Self.contextFolder({ name in getenv(name).map { String(cString: $0) } }) else {
      throw DiscoveryError(.invalidDirectory, "context \"\(name)\": neither XDG_CONFIG_HOME nor HOME is set")
    }
    try self.init(context: name, in: folder)
  }

  init(context name: String, in folder: String) throws(DiscoveryError) {
    func invalid(_ reason: String, because error: (any Error)? = nil) -> DiscoveryError {
      DiscoveryError(.invalidDirectory, "context \"\(name)\": \(reason)", because: error)
    }
    guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), name != ".", name != "..", !name.utf8.contains(0) else {
      throw invalid("a name of a context is a file's name without .json")
    }
    let path = "\(folder)/context/\(name).json"
    guard let bytes = try Self.read(path) else { throw invalid("there is no file \(path)") }
    let json: JSONValue
    do throws(JSONReader.Flaw) {
      json = try JSONReader.read(bytes)
    } catch {
      throw invalid("byte \(error.position) of \(path): expected \(error.expected)", because: error)
    }
    func text(_ field: String) -> String? { json[field]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    for field in ["nsc", "socks_proxy"] where text(field) != nil {
      throw invalid("\"\(field)\" cannot be used by the C library of NATS; make a credentials file, and name it as \"creds\"")
    }
    guard json["tls_first"]?.bool != true else { throw invalid("\"tls_first\" cannot be used by the C library of NATS") }
    self.init(servers: Self.servers(text("url") ?? "nats://127.0.0.1:4222"))
    if let user = text("user") {
      credentials = .password(user: user, text("password") ?? "")
    } else if let file = text("creds") {
      credentials = .file(file)
    } else if let file = text("nkey") {
      credentials = .key(seedFile: file)
    } else if let token = text("token") {
      credentials = .token(token)
    }
    if let certificate = text("cert"), let key = text("key") { self.certificate = (certificate, key) }
    authorities = text("ca")
    if let prefix = text("jetstream_api_prefix") {
      requestPrefix = prefix
    } else if let domain = text("jetstream_domain") {
      requestPrefix = "$JS.\(domain).API"
    }
    if let prefix = text("inbox_prefix") { inboxPrefix = prefix }
  }

  private static func servers(_ list: String) -> [String] {
    list.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
  }

  private static func contextFolder(_ variable: (String) -> String?) -> String? {
    if let folder = variable("XDG_CONFIG_HOME"), !folder.isEmpty { return "\(folder)/nats" }
    return variable("HOME").map { "\($0)/.config/nats" }
  }

  private static func read(_ path: String) throws(DiscoveryError) -> [UInt8]? {
    do throws(PrivateFileError) {
      return try PrivateFile(path, maximumSize: 16_384).read()
    } catch {
      throw DiscoveryError(.invalidDirectory, "reading \(path): \(error)", because: error)
    }
  }
}

extension String {
  /// The text without spaces and line ends around it.
  fileprivate var trimmed: String {
    let bytes = Array(utf8)
    guard let first = bytes.firstIndex(where: { $0 > 0x20 }), let last = bytes.lastIndex(where: { $0 > 0x20 }) else {
      return ""
    }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
