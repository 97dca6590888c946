public import Bonjourish
public import _BonjourishConsole

/// The options that say where services are published and found: the local network, a directory, or both.
public enum NetworkOptions {
  /// The implementation of mDNS.
  public static let backend = Option.optional(
    "backend", "WHICH", ValueFormat<Bonjour.Backend>.anyCase,
    "the mDNS backend: avahi (daemon), builtin (this program), auto (daemon if it runs); default: $BONJOURISH_BACKEND or auto")
  /// The servers of a directory.
  public static let directory = Option.optional(
    "directory", "URL[,URL...]",
    ValueFormat(
      "URLs of NATS servers, such as nats://host:4222 or tls://host, with commas between them",
      // Such as tls://user:password@host.
      isSecret: { $0.contains("@") }
    ) { text -> [String]? in
      let servers = text.split(separator: ",").map(String.init)
      // What is wrong with one is told where passwords are left out of it.
      return servers.isEmpty ? nil : servers
    }, "also use the directory of these NATS servers, beyond the local network")
  /// The context of the `nats` command that says where a directory is.
  public static let context = Option.optional(
    "directory-context", "NAME", .text, "also use a directory, as this context of the nats command says")
  /// The part of the directory.
  public static let region = Option.optional(
    "region", "NAME", .text, "use this part of the directory (default: world)")
  /// The bucket that holds the directory.
  public static let bucket = Option.optional(
    "bucket", "NAME", .text, "use this bucket of the servers (default: bonjourish)")
  /// The shard of the directory that is browsed. Commands that browse declare it beside ``ofDirectory``.
  public static let shard = Option.optional(
    "shard", "N", .integer(in: 0...63), "list only this shard of the directory, about a 64th of it")
  /// The number of servers that hold a bucket.
  public static let replicas = Option.optional(
    "replicas", "N", .integer(in: 1...5),
    "if a bucket of the directory has to be made, have this many of its servers keep it (default: 1)")
  /// Whether to leave out the local network.
  public static let noLocal = Option.flag("no-local", "use the directory alone, and not the local network")

  /// All these options, in the order of `--help`.
  public static let all: [any CommandOption] = [backend] + ofDirectory
  /// The options that are about a directory.
  public static let ofDirectory: [any CommandOption] = [directory, context, region, bucket, replicas, noLocal]
  /// The options that exclude each other.
  public static let exclusive: [[any CommandOption]] = [[directory, context], [backend, noLocal]]

  /// What manual pages say about these options.
  public static let notes: [String: String] = [
    "bucket": "It has 1 to 64 letters, digits, hyphens and underscores. Programs find what is in the same bucket.",
    "directory": """
    See DIRECTORY. All users of this machine can see the arguments of a program: leave passwords and tokens to the environment.
    """,
    "directory-context": "It is a file of yours in `~/.config/nats/context`, see DIRECTORY.",
    "no-local": "Needs `--directory` or `--directory-context`.",
    "region": "It has 1 to 32 lower-case letters, digits and hyphens.",
    "replicas":
      "From 1 to 5; 3 for a cluster of three, which then goes on when one of them is away. A bucket that exists keeps its number.",
  ]

  /// What manual pages say about ``shard``.
  public static let shardNote = """
    It is for directories of more services than one program should list. The servers send what is in this shard alone; the name of
    a service decides which one, from 0 to 63. Services of the local network are listed, too.
    """

  /// The section of manual pages about directories.
  public static let section = Manual.Section(
    "DIRECTORY",
    """
    Multicast DNS ends at the router. With `--directory` or `--directory-context`, services are also published and found in a
    directory, which is kept by servers of NATS with JetStream, and which everybody uses who may reach them. The local network and
    the directory are one list, in which what is seen in both is there once. `directory:` and the name of a region stand for the
    directory where it is told where a service is seen. Interfaces that are named do not leave it out. With `--no-local` nothing is sent to the local network.

    Whoever connects to a service and does not reach its addresses is connected through these servers. They see who talks with
    whom, when and how much; what is said they see only if it is not encrypted.

    A directory may be away at the beginning, and come, go and come back. This ends nothing: it is told when it has lasted three
    seconds, and when it is over. If its servers refuse you at the beginning, or their certificate cannot be trusted, that is told at
    once: with `--no-local` the program ends, with exit code 77 or 69, and otherwise it goes on with the local network.

    With `--directory`, the environment says who you are: `NATS_USER` and `NATS_PASSWORD`, `NATS_TOKEN`, `NATS_NKEY`, the path of a
    file with the seed of your key, or `NATS_CREDS`, the path of a file with credentials; and for TLS `NATS_CA`, `NATS_CERT` and `NATS_KEY`, paths of PEM files. `NATS_CONTEXT` names a
    context that says what they do not. With `--directory-context`, the context alone says it. Credentials are sent in plain text
    unless the URL begins with `tls:`, or there is a CA.

    Programs on one machine without any network find each other with `--interface lo`.
    """)

  /// What manual pages say about the environment of a directory.
  public static let environment = (
    names: "NATS_USER, NATS_PASSWORD, NATS_TOKEN, NATS_NKEY, NATS_CREDS, NATS_CA, NATS_CERT, NATS_KEY, NATS_CONTEXT",
    meaning: "Who you are, for the servers of `--directory`, and whom you trust; see DIRECTORY."
  )

  /// What the line of `--json` about a directory is, for manual pages.
  public static let jsonNote = """
    `directory`
    : The directory of `--directory` or `--directory-context` answers, has not answered for three seconds, or refuses: `region`,
    `state`, which is `available` or `unavailable`, and for the latter `reason`, a sentence. With `available`, the `reason` is why
    something is not published there.
    """
}
