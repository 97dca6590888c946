import Bonjourish
import FramedSecurity
import FramedTransport
import MatchServer
import Rooms
import _BonjourishConsole

#if Directory
import BonjourishDirectory
import Synchronization
#endif

/// The servers that go on with each other's matches.
enum GroupOptions {
  static let key = Option.optional(
    "group-key", "FILE", .file,
    "go on with the matches of servers that have this key when they are gone; made if it is missing; needs --directory")

  static let lease = Option.optional(
    "group-lease", "S", .seconds(in: 3...60), default: .seconds(13),
    "take the matches of a server over when it has been silent for S seconds (default: 13)")
  static let bucket = Option.optional(
    "group-bucket", "NAME", .text, default: "bonjourish-matches",
    "keep the matches in this bucket of the directory (default: bonjourish-matches)")
  static let size = Option.optional(
    "group-size", "MIB", .integer(in: 1...1_048_576), default: 128,
    "make the bucket for this many MiB of matches, if there is none (default: 128)")

  /// All these options, in the order of `--help`.
  static let all: [any CommandOption] = [key, lease, bucket, size]

  static let notes: [String: String] = [
    "group-bucket": "All servers of a group need the same. It has 1 to 64 letters, digits, hyphens and underscores.",
    "group-key": keyNote,
    "group-lease": """
    It is this server's own: for how long the others wait for it, from 3 to 60. Until then nobody plays its matches. With less than 13,
    the matches stop each time that a cluster of directory servers loses the leader of the bucket: it elects another in 4 to 9 seconds.
    """,
    "group-size": """
    The account at the directory needs so much storage in files, for each replica. A match takes a few KiB. A bucket that exists keeps its
    size; `--replicas` says how many servers keep one that is made.
    """,
  ]

  private static let keyNote = """
    The file has the server's key instead of your own one; it is created unless it exists. Copy it to the other servers of the group, by
    a way that nobody reads: whoever has it is the host for all players. See SEVERAL SERVERS.
    """

  static let section = Manual.Section(
    "SEVERAL SERVERS",
    """
    With `--directory`, each match is listed there by itself, under the server's name and the match's number, and whoever joins it
    plays in it.

    Servers with the same `--group-key` and the same region of a directory are a group. Each of them stores its matches there every
    second, encrypted with a key that follows from the group's. When a server ends, another one goes on with its matches at once; when
    it dies, after about thirteen seconds (`--group-lease`); the players are told meanwhile that they are reconnecting. The players' programs
    connect to that server, and have their seats, points and rounds again, except for what happened in the last two and a half seconds.
    A server that drains plays its matches to their ends. Only players who have sent an answer have a seat that is kept, and phones are not led to
    another server.

    The matches are in a bucket of their own, which the first server of the group makes if its user may. If the bucket cannot be made
    or used, that is told within ten seconds, with what to do, and again when it can: until then nobody takes the server's matches over.

    A server takes no more matches than it has places, and leaves the others until a place is free. When the directory has not
    confirmed for two and a half seconds what is stored, a match is held until it does, for a minute at most: the players are told so,
    and their answers are kept. A server that does not reach the directory for twelve seconds (a second less than
    `--group-lease`) suspends its matches, because another one may have them, and keeps their places, also when it drains. It goes on
    with them if nobody has, and releases for others what it cannot go on with. Each round is written to the results of one server only,
    after the match is stored; see RESULTS OF SEVERAL SERVERS. A round whose server dies before it knows
    that the round is stored is in nobody's results.

    A server that comes back after a crash has its name again at once: its key says that the name is its own. Give each server of a group
    a name: of two with one name, the second gets another one.

    `--state` is not for servers of a group: a server that is started again takes what is left by the last one of the group.
    """)

  /// - Throws: ``Failure`` with exit code 64 if there is nowhere to keep the matches of a group.
  static func check(_ arguments: Arguments, isListed: Bool) throws(Failure) {
    guard arguments[key] == nil || isListed else {
      throw Failure(
        .usage, "--group-key needs a directory; give --directory URL or --directory-context NAME too, and not --unlisted")
    }
    let isChanged = arguments[lease] != .seconds(13) || arguments[bucket] != "bonjourish-matches" || arguments[size] != 128
    guard arguments[key] != nil || !isChanged else {
      throw Failure(
        .usage, "--group-lease, --group-bucket and --group-size are for servers of a group; give --group-key FILE too")
    }
  }

  /// The protection of a server of a group: with the group's key.
  static func protection(_ protection: HostProtection, _ arguments: Arguments) throws(Failure) -> HostProtection {
    guard let path = arguments[key] else { return protection }
    let identity: Identity
    do throws(TransportError) {
      identity = try .stored(at: path)
    } catch {
      throw Failure(.inputOutput, error.description)
    }
    return switch protection {
    case .plaintext: .plaintext
    case .open: .open(identity)
    case .passcode(let passcode, _): .passcode(passcode, identity)
    }
  }

  /// Runs a body with the group of the command line; nil for none.
  ///
  /// - Parameters:
  ///   - news: Called when matches can be kept, and when they cannot. It must not block.
  ///   - tell: Called with what happens to matches. It must not block.
  static func withGroup(
    _ arguments: Arguments, _ protection: HostProtection, on bonjour: Bonjour?,
    news: @escaping @Sendable (StoreNews) -> Void,
    _ tell: @escaping @Sendable (MatchGroup.Event) -> Void, _ body: (MatchGroup?) async throws -> Void
  ) async throws {
    guard arguments[key] != nil, let identity = protection.identity, let bonjour else { return try await body(nil) }
    #if Directory
    do {
      var configuration = OwnedValues.Configuration()
      configuration.lease = arguments[lease]
      configuration.bucket = arguments[bucket]
      configuration.maximumTotal = arguments[size] << 20
      let hasFailed = Mutex(false)
      configuration.stateChanged = { state in
        switch state {
        case .available: if hasFailed.withLock({ $0 }) { news(StoreNews(reason: nil)) }
        case .unavailable(let error):
          hasFailed.withLock { $0 = true }
          news(StoreNews(reason: error.message + remedy(error.code)))
        @unknown default: break
        }
      }
      try await bonjour.withOwnedValues(configuration) { values in
        var group = try MatchGroup(DirectoryMatches(values), identity)
        group.tell = tell
        try await body(group)
      }
    } catch let error as OwnedValueError {
      throw Failure(.usage, "--group-key: \(error.message)")
    }
    #else
    throw Failure(.usage, "--group-key needs a directory, and this program was built without the package trait Directory")
    #endif
  }
}

#if Directory
extension GroupOptions {
  /// What to do about a bucket that cannot be used.
  private static func remedy(_ code: DiscoveryError.Code) -> String {
    switch code {
    case .limitReached: " (give --group-size a smaller number)"
    case .notPermitted: " (see the user `server` in Examples/Directory/nats.conf)"
    default: ""
    }
  }
}
#endif

/// Whether the matches of a group can be kept: a line of `--json`.
struct StoreNews: Encodable {
  var event = "group"
  let state: String
  let reason: String?

  /// - Parameter reason: Why they cannot; nil if they can.
  init(reason: String?) {
    state = reason == nil ? "available" : "unavailable"
    self.reason = reason
  }

  /// What an administrator is told.
  var text: String {
    guard let reason else { return "other servers can go on with the matches again" }
    return "no other server can go on with the matches of this one: \(reason.escapedForDisplay)"
  }
}

/// A line of `--json` about a match that goes from one server to another.
struct GroupNews: Encodable {
  var event = "match"
  let name: String
  let state: String

  /// - Returns: Nil for what is no news of a match.
  init?(_ event: MatchGroup.Event) {
    switch event {
    case .adopted(let name): (self.name, state) = (name, "adopted")
    case .suspended(let name): (self.name, state) = (name, "suspended")
    case .resumed(let name): (self.name, state) = (name, "resumed")
    case .lost(let name): (self.name, state) = (name, "lost")
    case .released(let name): (self.name, state) = (name, "released")
    case .unusable: return nil
    }
  }

  /// What an administrator is told.
  static func text(_ event: MatchGroup.Event) -> String {
    switch event {
    case .adopted(let name): "\"\(name.escapedForDisplay)\" goes on here: its server is gone"
    case .suspended(let name):
      "\"\(name.escapedForDisplay)\" is suspended: the directory does not answer, and another server may have it"
    case .resumed(let name): "\"\(name.escapedForDisplay)\" goes on here: no other server has it"
    case .lost(let name): "\"\(name.escapedForDisplay)\" goes on at another server"
    case .released(let name): "\"\(name.escapedForDisplay)\" cannot go on here, and is left to other servers"
    case .unusable(let name, let reason): "match \(name.escapedForDisplay) of the directory is left alone: \(reason)"
    }
  }
}
