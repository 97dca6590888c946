import Bonjourish
import FramedSecurity
import FramedTransport
import MatchServer
import Rooms
import Screens
import _BonjourishConsole

#if Directory
import BonjourishDirectory
import Synchronization
#endif

/// The servers that go on with each other's matches.
enum GroupOptions {
  static let key = Option.optional(
    "group-key", "FILE", .file,
    Phrases.Options.groupKey)

  static let lease = Option.optional(
    "group-lease", "S", .seconds(in: 3...60), default: .seconds(13),
    Phrases.Options.groupLease)
  static let bucket = Option.optional(
    "group-bucket", "NAME", .text, default: "bonjourish-matches",
    Phrases.Options.groupBucket)
  static let size = Option.optional(
    "group-size", "MIB", .integer(in: 1...1_048_576), default: 128,
    Phrases.Options.groupSize)

  /// All these options, in the order of `--help`.
  static let all: [any CommandOption] = [key, lease, bucket, size]

  /// - Throws: ``Failure`` with exit code 64 if there is nowhere to keep the matches of a group.
  static func check(_ arguments: Arguments, isListed: Bool) throws(Failure) {
    guard arguments[key] == nil || isListed else {
      throw Failure(
        .usage, Phrases.Group.needsDirectory)
    }
    let isChanged = arguments[lease] != .seconds(13) || arguments[bucket] != "bonjourish-matches" || arguments[size] != 128
    guard arguments[key] != nil || !isChanged else {
      throw Failure(
        .usage, Phrases.Group.needsKey)
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
      throw Failure(.usage, Phrases.Group.badKey(error.message))
    }
    #else
    throw Failure(.usage, Phrases.Group.notBuilt)
    #endif
  }
}

#if Directory
extension GroupOptions {
  /// What to do about a bucket that cannot be used.
  private static func remedy(_ code: DiscoveryError.Code) -> String {
    switch code {
    case .limitReached: Phrases.Group.giveLess
    case .notPermitted: Phrases.Group.seePermissions
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
    guard let reason else { return Phrases.Group.canBeKept }
    return Phrases.Group.cannotBeKept(reason)
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
    case .adopted(let name): Phrases.Group.adopted(name)
    case .suspended(let name): Phrases.Group.suspended(name)
    case .resumed(let name): Phrases.Group.resumed(name)
    case .lost(let name): Phrases.Group.lost(name)
    case .released(let name): Phrases.Group.released(name)
    case .unusable(let name, let reason): Phrases.Group.unusable(name, reason)
    }
  }
}
