import Bonjourish

/// A match server: what it logs, and what its administrator is told. Names are escaped here.
extension Phrases {
  public enum Server {
    public static let commands =
      "list, stats, kick, ban or unban MATCH PLAYER, lock or unlock MATCH, next MATCH, close MATCH, passcode, web, reopen, or drain; MATCH and PLAYER are the numbers"
      + " in the list"
    public static func notACommand(_ line: String) -> String { "--admin-command must be \(commands), not '\(line)'" }
    public static func notAServer(at path: String) -> String {
      "the program at \(path) is not a match server, or has another version"
    }
    public static func noAnswer(at path: String) -> String {
      "the server at \(path) gave no answer; are you the user that runs it?"
    }

    // MARK: - The list of matches

    public static let noMatches = "there are no matches"
    public static func match(
      _ number: Int, _ state: String, round: Int, players: Int, of size: ClosedRange<Int>, spectators: Int, isLocked: Bool
    ) -> String {
      let places = "\(players) of \(size.lowerBound) to \(size.upperBound) players"
      let spectators = spectators > 0 ? ", \(spectators) watching" : ""
      return "match \(number): \(state), round \(round), \(places)\(spectators)\(isLocked ? ", locked" : "")"
    }
    public static func player(_ number: Int, _ name: String, from origin: String?, isAway: Bool) -> String {
      let origin = origin.map { " from \($0)" } ?? ""
      return "  \(number) \(name.escapedForDisplay)\(origin.escapedForDisplay)\(isAway ? " (away)" : "")"
    }

    // MARK: - Answers to commands

    public static let drains = "no new players are accepted; the server closes when its last match is over"
    public static func passcodeIs(_ passcode: String) -> String { "the passcode is \(passcode)" }
    public static let noPage = "phones are not let in; start with --web for that"
    public static let noAddress = "this machine has no address for phones"
    public static func addresses(_ addresses: [String]) -> String { addresses.joined(separator: " or ") }
    public static let reopened = "passcodes are evaluated again"
    public static func noMatch(_ number: String) -> String { "there is no match \(number)" }
    public static func closed(_ number: String) -> String { "match \(number) is closed" }
    public static let noCommand = "there is no such command"
    public static func done(_ word: String, _ player: String?, in match: String) -> String {
      "match \(match): \(word)" + (player.map { " \($0)" } ?? "")
    }

    // MARK: - The log

    public static let drainsByCommand = "draining on an administrator's command: no new players are accepted"
    public static let drainsBySignal =
      "draining: no new players are accepted, and the server closes when its last match is over"
    public static let reopenedByCommand = "passcodes are evaluated again, on an administrator's command"
    public static func closedByCommand(_ number: String) -> String { "match \(number) was closed by an administrator" }
    public static func byCommand(_ done: String) -> String { "\(done), by an administrator" }
    public static func administratorLeft(_ error: String) -> String { "an administrator's connection ended: \(error)" }
    public static func statistics(_ json: String) -> String { "statistics: \(json)" }
    public static func open(_ name: String, at addresses: [String], matches: Int) -> String {
      "\"\(name)\" is open at \(addresses.joined(separator: ", ")) for \(matches) matches"
    }
    public static let closed = "closed"
    public static func notFound(_ reason: String) -> String {
      "the server cannot be found on the network, only joined with --connect: \(reason)"
    }
    public static func opened(_ room: String) -> String { "match \(room) is open" }
    public static func came(_ name: String, to room: String) -> String { "match \(room): \(name) came" }
    public static func left(_ name: String, _ room: String) -> String { "match \(room): \(name) left" }
    public static func away(_ name: String, from room: String) -> String { "match \(room): \(name) is away" }
    public static func back(_ name: String, in room: String) -> String { "match \(room): \(name) is back" }
    public static func over(_ room: String, _ reason: String) -> String { "match \(room) is over: \(reason)" }
    public static func guessed(from address: String, remaining: Int) -> String {
      "somebody at \(address) gave a wrong passcode; \(remaining) more may be wrong"
    }
    public static let passcodeUsedUp =
      "too many passcodes were wrong: nobody new comes in until the administrator's command reopen"
    public static let passcodeIsHidden = "the passcode is told by the administrator's command passcode"
    public static let phonesFindNothing = "phones find no address of this machine at present"
    public static func phonesJoin(at address: String) -> String { "phones join at \(address)" }
    public static func phonesJoinWithCode(at address: String) -> String {
      "phones join at \(address), with the code that the administrator's command web tells"
    }
    public static func renamed(_ name: String) -> String { "the server is now named \"\(name)\": another host uses its name" }
    public static func hidden(_ reason: String) -> String { "new players cannot find the server: \(reason)" }
    public static let visibleAgain = "the server can be found again"
  }

  /// Servers that go on with each other's matches.
  public enum Group {
    public static let needsDirectory =
      "--group-key needs a directory; give --directory URL or --directory-context NAME too, and not --unlisted"
    public static let needsKey =
      "--group-lease, --group-bucket and --group-size are for servers of a group; give --group-key FILE too"
    public static let notBuilt =
      "--group-key needs a directory, and this program was built without the package trait Directory"
    public static func badKey(_ reason: String) -> String { "--group-key: \(reason)" }
    /// What to do about a bucket that is too large for its account, or not permitted.
    public static let giveLess = " (give --group-size a smaller number)"
    public static let seePermissions = " (see the user `server` in Examples/Directory/nats.conf)"
    public static let canBeKept = "other servers can go on with the matches again"
    public static func cannotBeKept(_ reason: String) -> String {
      "no other server can go on with the matches of this one: \(reason.escapedForDisplay)"
    }
    public static func adopted(_ name: String) -> String { "\"\(name.escapedForDisplay)\" goes on here: its server is gone" }
    public static func suspended(_ name: String) -> String {
      "\"\(name.escapedForDisplay)\" is suspended: the directory does not answer, and another server may have it"
    }
    public static func resumed(_ name: String) -> String {
      "\"\(name.escapedForDisplay)\" goes on here: no other server has it"
    }
    public static func lost(_ name: String) -> String { "\"\(name.escapedForDisplay)\" goes on at another server" }
    public static func released(_ name: String) -> String {
      "\"\(name.escapedForDisplay)\" cannot go on here, and is left to other servers"
    }
    public static func unusable(_ name: String, _ reason: String) -> String {
      "match \(name.escapedForDisplay) of the directory is left alone: \(reason)"
    }
  }
}
