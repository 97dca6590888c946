package import _BonjourishDirectoryProtocol
public import _BonjourishDiscovery

/// Where a directory is, and how to use it.
///
/// A directory is a key-value bucket of a NATS server or cluster with JetStream.
///
/// ```swift
/// var directory = DirectoryConfiguration(servers: ["nats://directory.example.org"])
/// directory.credentials = .file("/etc/game/directory.creds")
/// let bonjour = try await Bonjour(directory: directory)
/// ```
public struct DirectoryConfiguration: Sendable {
  /// How this program proves to the server who it is.
  public struct Credentials: Sendable {
    enum Kind {
      case none
      case password(user: String, password: String)
      case token(String)
      case file(String)
      case key(publicKey: String?, seedFile: String)
    }

    let kind: Kind

    /// Nothing; or a user and password, or a token, in the URLs of the servers.
    public static let none = Credentials(kind: .none)

    /// A user and a password. They are sent in plain text unless the connection uses TLS.
    public static func password(user: String, _ password: String) -> Credentials {
      Credentials(kind: .password(user: user, password: password))
    }

    /// A token. It is sent in plain text unless the connection uses TLS.
    public static func token(_ token: String) -> Credentials { Credentials(kind: .token(token)) }

    /// The path of a file with a user's JWT and the seed of its key, as `nsc` makes it.
    public static func file(_ path: String) -> Credentials { Credentials(kind: .file(path)) }

    /// A user's public NKEY, and the path of a file with its seed.
    public static func key(_ publicKey: String, seedFile: String) -> Credentials {
      Credentials(kind: .key(publicKey: publicKey, seedFile: seedFile))
    }

    /// The path of a file with the seed of a user's NKEY, as `nk -gen user` writes it.
    public static func key(seedFile: String) -> Credentials { Credentials(kind: .key(publicKey: nil, seedFile: seedFile)) }
  }

  /// Whether a directory can be reached. Later versions may add cases: a `switch` has a `default` or `@unknown default`.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum State: Hashable, Sendable {
    /// It answers.
    case available
    /// It does not, for this reason. It is tried again by itself, unless the error's code is `refused`. With the codes `notPermitted` and
    /// `untrusted`, and with `invalidDirectory` for a file that cannot be read, that helps only when somebody has mended it: operations
    /// fail then, if it has never answered and the local network is not used.
    case unavailable(DiscoveryError)
  }

  /// The URLs of one or more servers of one cluster, such as `nats://a.example.org:4222` or `tls://a.example.org`. Others of the
  /// cluster are learned from them. Without a port, 4222 is used.
  public var servers: [String]
  /// How this program proves to the server who it is.
  public var credentials = Credentials.none
  /// Whether to connect with TLS, even if no URL begins with `tls:`.
  public var isSecure = false
  /// The path of a PEM file with the certificates of the authorities to trust; nil for those of the system. Implies TLS.
  public var authorities: String?
  /// The paths of PEM files with this program's certificate and its key; nil for none. Implies TLS.
  public var certificate: (certificate: String, key: String)?
  /// The part of the directory in which services are published and found: 1–32 lower-case letters, digits and hyphens.
  public var region = "world"
  /// The shard of the region that is browsed, 0–63; nil for all of it. The servers then send the services of this shard alone, about a
  /// 64th of those of a type: which ones follows from their names. Publishing and resolving reach all shards.
  public var shard: Int?
  /// The bucket: 1–64 letters, digits, hyphens and underscores.
  public var bucket = "bonjourish"
  /// Whether to create the bucket when there is none. Otherwise its operator does; see <doc:RunningADirectory>.
  public var createsBucket = true
  /// The number of servers that hold a bucket that is created, 1–5. A cluster of three should have three.
  public var replicas = 1
  /// Further addresses at which services of this program can be reached, such as those that a router forwards from.
  public var addresses: [IPAddress] = []
  /// Whether addresses of the loopback interface are published and used. For tests on one machine: anybody who may write to the
  /// directory could lead this program to services of its own machine.
  public var allowsLoopback = false
  /// Whether connections may go through the servers of the directory when neither side reaches the other; see <doc:Relaying>.
  public var relays = true
  /// The first tokens of the subjects of JetStream's requests, for a JetStream domain or an import from another account.
  public var requestPrefix = "$JS.API"
  /// The first token of the subjects that answers come to. A user may be permitted to subscribe to one prefix only.
  public var inboxPrefix = "_INBOX"
  /// For how long a record counts without being written again; shorter in tests.
  package var lease = RecordLease.standard
  /// Called with log messages, also about the local network, whose own handler gets the same. Called on any thread. It must not block.
  public var log: @Sendable (LogMessage) -> Void = { _ in }
  /// Called when the directory is reached for the first time, lost or back, and when it is away for another reason than before. Called on any thread. It must not block.
  public var stateChanged: @Sendable (State) -> Void = { _ in }
  /// Called when the directory does not permit to publish a service, which is then published on the local network alone. Called on any
  /// thread. It must not block.
  public var denied: @Sendable (DiscoveryError) -> Void = { _ in }

  /// Makes a configuration.
  ///
  /// - Parameter servers: The URLs of one or more servers of one cluster.
  public init(servers: [String]) {
    self.servers = servers
  }
}

extension DirectoryConfiguration.State: CustomStringConvertible {
  /// The state for display, such as `available`.
  public var description: String {
    switch self {
    case .available: "available"
    case .unavailable(let error): "unavailable: \(error)"
    }
  }
}
