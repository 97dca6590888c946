public import Rooms
public import TwentyFour

extension ServerMachine {
  /// The state of a server without its connections, to be stored and continued by a restarted host.
  public struct Snapshot: Hashable, Codable, Sendable {
    let server: RoomID
    let lastNumber: Int
    let matches: [SavedMatch]
    var bans: BanList<BannedPlayer>?

    struct SavedMatch: Hashable, Codable, Sendable {
      let number: MatchNumber
      let room: RoomMachine.Snapshot
    }
  }

  public func snapshot(at now: Duration) -> Snapshot? {
    guard phase == .open || phase == .draining else { return nil }
    let saved = inOrder.compactMap { match in
      match.room.snapshot(at: now).map { Snapshot.SavedMatch(number: match.number, room: $0) }
    }
    return Snapshot(server: server, lastNumber: lastNumber, matches: saved, bans: bans)
  }

  /// Makes a server that is not open yet, and continues from a snapshot.
  ///
  /// When it opens, all players are away, and have the full time to come back. The matches keep their rules; matches opened later
  /// have the new rules.
  ///
  /// - Parameters:
  ///   - matchLimit: The largest number of matches; more matches in the snapshot are still played to their ends.
  ///   - rules: The rules of new matches.
  ///   - shares: The most that the connections of one origin may have.
  ///   - invitation: Whoever proves it may come in without being trusted.
  ///   - admission: Lets pages in that are not trusted.
  ///   - generator: Deals the next hands. It is not part of the snapshot, so that who reads the snapshot does not know them.
  ///   - now: The time of the opening.
  /// - Throws: The reason why no server can have this state.
  public init(
    restoring snapshot: Snapshot, matchLimit: Int, rules: Match.Rules, shares: ShareLimits = ShareLimits(),
    invitation: Invitation? = nil, admission: WebAdmission = WebAdmission(), generator: SeededGenerator, at now: Duration,
    makeID: @escaping @Sendable () -> RoomID = { RoomID() }
  ) throws(DamagedSnapshot) {
    let numbers = snapshot.matches.map(\.number.rawValue)
    guard snapshot.lastNumber < .max / 2, numbers.allSatisfy({ 1 <= $0 && $0 <= snapshot.lastNumber }),
      Set(numbers).count == numbers.count
    else { throw DamagedSnapshot("its matches are numbered wrongly") }
    self.init(
      server: snapshot.server, matchLimit: max(matchLimit, numbers.count), rules: rules, shares: shares, invitation: invitation,
      admission: admission, generator: generator, makeID: makeID)
    lastNumber = snapshot.lastNumber
    bans = snapshot.bans ?? bans
    for saved in snapshot.matches {
      let room = try RoomMachine(
        restoring: saved.room, player: nil, shares: .none, generator: SeededGenerator(seed: self.generator.next()), at: now)
      guard !room.match.players.isEmpty, matches[room.room] == nil else {
        throw DamagedSnapshot("a match in it has no players, or occurs twice")
      }
      add(ServedMatch(number: saved.number, room: room))
    }
  }
}
