public import Bonjourish
public import _BonjourishConsole

#if Directory
import BonjourishDirectory
#endif

/// Where services are published and found, as a command line says.
public struct NetworkChoice: Sendable {
  /// The implementation of mDNS; nil for that of the environment.
  public let backend: Bonjour.Backend?
  /// The interfaces to use.
  public let interfaces: InterfaceSelection
  /// The part of the directory; nil if no directory is used.
  public let region: String?
  /// Whether the local network is used.
  public let usesLocalNetwork: Bool
  private let source: Source?
  /// The bucket; nil for the usual one.
  private let bucket: String?
  /// The shard that is browsed; nil for all.
  private let shard: Int?
  /// The number of servers that hold a bucket that is made; nil for the usual one.
  private let replicas: Int?
  /// Whether the loopback interface alone is used.
  private let isThisMachineOnly: Bool

  /// What says where the directory is.
  private enum Source: Sendable {
    case servers([String])
    case context(String)
  }

  /// Chooses the local network alone.
  public init(_ backend: Bonjour.Backend?, _ interfaces: InterfaceSelection) {
    (self.backend, self.interfaces) = (backend, interfaces)
    (region, source, usesLocalNetwork, isThisMachineOnly) = (nil, nil, true, false)
    (bucket, shard, replicas) = (nil, nil, nil)
  }

  /// Reads the values of ``NetworkOptions``.
  ///
  /// - Parameters:
  ///   - interfaces: The interfaces as the command line names them.
  ///   - shard: The value of ``NetworkOptions/shard``, if the command has this option.
  /// - Throws: ``Failure`` with exit code 64 if an option needs another one.
  public init(_ arguments: Arguments, _ interfaces: InterfaceSelection, shard: Int? = nil) throws(Failure) {
    backend = arguments[NetworkOptions.backend]
    usesLocalNetwork = !arguments[NetworkOptions.noLocal]
    isThisMachineOnly = interfaces.onlyName == "lo"
    source = arguments[NetworkOptions.directory].map { .servers($0) } ?? arguments[NetworkOptions.context].map { .context($0) }
    bucket = arguments[NetworkOptions.bucket]
    replicas = arguments[NetworkOptions.replicas]
    self.shard = shard
    self.interfaces = interfaces
    guard source != nil else {
      for (option, isGiven) in [
        ("region", arguments[NetworkOptions.region] != nil), ("bucket", bucket != nil), ("replicas", replicas != nil),
        ("shard", shard != nil), ("no-local", !usesLocalNetwork),
      ] where isGiven {
        throw Failure(.usage, "--\(option) needs a directory; give --directory URL or --directory-context NAME too")
      }
      region = nil
      return
    }
    region = arguments[NetworkOptions.region] ?? "world"
  }

  /// Makes what publishes and finds services.
  ///
  /// - Parameters:
  ///   - local: How to use the local network. Its log gets the messages about the directory, too.
  ///   - news: Called when the directory answers, when it has not answered for three seconds, and when it is back. Called on any
  ///     thread. It must not block.
  /// - Throws: `DiscoveryError` as `Bonjour.init`: `invalidDirectory` when a URL, a context or the region cannot be used; `unavailable`
  ///   also when the program was built without the package trait `Directory`.
  public func bonjour(
    _ local: Bonjour.Configuration, news: @escaping @Sendable (DirectoryNews) -> Void
  ) async throws(DiscoveryError) -> Bonjour {
    guard let source, let region else { return try await Bonjour(local) }
    return try await bonjour(source, region, local, news)
  }

  #if Directory
  private func bonjour(
    _ source: Source, _ region: String, _ local: Bonjour.Configuration, _ news: @escaping @Sendable (DirectoryNews) -> Void
  ) async throws(DiscoveryError) -> Bonjour {
    var configuration =
      switch source {
      case .servers(let servers): try DirectoryConfiguration.ofEnvironment(servers: servers)
      case .context(let name): try DirectoryConfiguration(context: name)
      }
    configuration.region = region
    if let bucket { configuration.bucket = bucket }
    configuration.shard = shard
    if let replicas { configuration.replicas = replicas }
    configuration.allowsLoopback = isThisMachineOnly
    if isThisMachineOnly { configuration.addresses = [.ipv4(0x7F00_0001)] }
    configuration.log = local.log
    let reporter = DirectoryReporter(region, isAlone: !usesLocalNetwork, news)
    configuration.stateChanged = { state in
      switch state {
      case .available: reporter.changed(nil)
      case .unavailable(let error) where [.refused, .notPermitted, .untrusted, .invalidDirectory].contains(error.code):
        reporter.refused(error)
      case .unavailable(let error): reporter.changed(error.message)
      }
    }
    configuration.denied = { reporter.denied($0) }
    return try await Bonjour(directory: configuration, local: usesLocalNetwork ? local : nil)
  }
  #else
  private func bonjour(
    _ source: Source, _ region: String, _ local: Bonjour.Configuration, _ news: @escaping @Sendable (DirectoryNews) -> Void
  ) async throws(DiscoveryError) -> Bonjour {
    throw DiscoveryError(
      .unavailable,
      "using a directory: this program was built without the package trait Directory; leave out --directory and "
        + "--directory-context, or build with the trait")
  }
  #endif
}
