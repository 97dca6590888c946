import Bonjourish
import Console
import FramedTransport
import MatchServer
import Rooms
import SecureTransport

#if Directory
import Directory
#endif

/// The servers that go on with each other's matches.
enum GroupOptions {
  static let key = Option.optional(
    "group-key", "FILE", .file,
    "go on with the matches of servers that have this key when they are gone; made if it is missing; needs --directory")

  static let keyNote = """
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
    it dies, after about seven seconds. A server that drains plays its matches to their ends. The players' programs connect to that server, and have their seats, points and rounds again, except
    for what happened in the last second. Only players who have sent an answer have a seat that is kept, and phones are not led to
    another server.

    A server takes no more matches than it has places, and leaves the others until a place is free. While the directory does not confirm
    what is stored, for about two and a half seconds, a match is held: the players are told so, their answers are kept, and no points are told
    that another server might not know. A server that does not reach the directory for five seconds suspends its matches, because another one
    may have them, and keeps their places, also when it drains. It goes on with them if nobody has, and releases for others what it cannot go
    on with. Each round
    is written to the results of one server only, after the match is stored; see RESULTS OF SEVERAL SERVERS.

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
  }

  /// The protection of a server of a group: with the group's key.
  static func protection(_ protection: HostProtection, _ arguments: Arguments) throws(Failure) -> HostProtection {
    guard let path = arguments[key] else { return protection }
    let identity: Identity
    do throws(TransportError) {
      identity = try .kept(at: path)
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
  /// - Parameter tell: Called with what happens to matches. It must not block.
  static func withGroup(
    _ arguments: Arguments, _ protection: HostProtection, on bonjour: Bonjour?,
    _ tell: @escaping @Sendable (MatchGroup.Event) -> Void, _ body: (MatchGroup?) async throws -> Void
  ) async throws {
    guard arguments[key] != nil, let identity = protection.identity, let bonjour else { return try await body(nil) }
    #if Directory
    do {
      try await bonjour.withOwnedValues { values in
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
