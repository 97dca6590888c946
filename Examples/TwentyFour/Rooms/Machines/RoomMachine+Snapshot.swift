public import TwentyFour

extension RoomMachine {
  /// The state of a room without its connections, to be stored and continued by a restarted host.
  public struct Snapshot: Hashable, Codable, Sendable {
    let room: RoomID
    let match: Match.Snapshot
    /// The secrets of the seats, by the numbers of the players.
    let secrets: [Int: SeatSecret]
    let lastPlayerNumber: Int
    /// The number of the host's own player.
    let own: Int?
    /// The players who have sent an answer.
    var answered: [Int]?
    var bans: BanList<PlayerID>?
    var isLocked: Bool?
    var approves: Bool?
    var matchNumber: Int?

    /// The room's ID.
    public var id: RoomID { room }
    /// The number of rounds that have ended.
    public var endedRounds: Int { match.endedRounds }
  }

  public func snapshot(at now: Duration) -> Snapshot? {
    guard isOpen else { return nil }
    return Snapshot(
      room: room, match: match.snapshot(at: now),
      secrets: Dictionary(uniqueKeysWithValues: secrets.map { ($0.key.rawValue, $0.value) }),
      lastPlayerNumber: lastPlayerNumber,
      own: own?.id.rawValue, answered: answered.map(\.rawValue).sorted(), bans: bans, isLocked: isLocked,
      approves: approves, matchNumber: matchNumber)
  }

  /// Makes a room that is not open yet, and continues from a snapshot.
  ///
  /// When it opens, all players except the host's own are away, and have the full time to come back.
  ///
  /// - Parameters:
  ///   - player: The name of the host's own player if there was none before; `nil` if the host no longer plays.
  ///   - shares: The most that the connections of one origin may have.
  ///   - invitation: Whoever proves it may come in without being trusted.
  ///   - admission: Lets pages in that are not trusted.
  ///   - generator: Deals the next hands. It is not part of the snapshot, so that who reads the snapshot does not know them.
  ///   - now: The time of the opening.
  /// - Throws: The reason why no room can have this state.
  public init(
    restoring snapshot: Snapshot, player: PlayerName?, shares: ShareLimits = ShareLimits(), invitation: Invitation? = nil,
    admission: WebAdmission = WebAdmission(), generator: SeededGenerator, at now: Duration
  ) throws(DamagedSnapshot) {
    try self.init(
      restoring: snapshot, player: player, shares: shares, invitation: invitation, admission: admission, generator: generator,
      at: now, secrets: SeatSecret.random)
  }

  /// As above.
  ///
  /// - Parameter secrets: Makes secrets that cannot be guessed.
  init(
    restoring snapshot: Snapshot, player: PlayerName?, shares: ShareLimits = ShareLimits(), invitation: Invitation? = nil,
    admission: WebAdmission = WebAdmission(), generator: SeededGenerator, at now: Duration,
    secrets: @escaping @Sendable () -> String
  ) throws(DamagedSnapshot) {
    let match: Match
    do {
      match = try Match(restoring: snapshot.match, generator: generator, at: now)
    } catch {
      throw DamagedSnapshot(error.description)
    }
    guard !match.isOver else { throw DamagedSnapshot("its match is over") }
    let numbers = match.players.map(\.id.rawValue)
    guard snapshot.lastPlayerNumber < .max / 2, numbers.allSatisfy({ 1 <= $0 && $0 <= snapshot.lastPlayerNumber }),
      snapshot.own.map(numbers.contains) ?? true, snapshot.secrets.keys.allSatisfy(numbers.contains)
    else { throw DamagedSnapshot("its players are numbered wrongly") }
    guard 1..<Int.max / 2 ~= snapshot.matchNumber ?? 1 else { throw DamagedSnapshot("its match is numbered wrongly") }
    guard player == nil || snapshot.own != nil || match.players.count < match.rules.maximumPlayers else {
      throw DamagedSnapshot("it has no place for the host's own player")
    }
    self.init(
      room: snapshot.room, player: player, match: match, shares: shares, invitation: invitation, admission: admission,
      secrets: secrets)
    for (number, secret) in snapshot.secrets { self.secrets[PlayerID(rawValue: number)] = secret }
    lastPlayerNumber = snapshot.lastPlayerNumber
    own = match.players.first { $0.id.rawValue == snapshot.own }
    answered = Set(match.players.map(\.id)).intersection((snapshot.answered ?? []).map { PlayerID(rawValue: $0) })
    bans = snapshot.bans ?? bans
    isLocked = snapshot.isLocked ?? false
    approves = snapshot.approves ?? false
    matchNumber = snapshot.matchNumber ?? 1
    returnsUntil = now + Self.timeToReturn
  }

  /// The time in which the programs of the players find the room again, also at another server that they have to look for.
  static let timeToReturn: Duration = .seconds(20)
}
