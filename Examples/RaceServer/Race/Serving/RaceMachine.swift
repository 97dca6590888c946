/// A race server: its players, its matches and its protocol, as a value without sockets and clock.
///
/// The shell passes in the events of its connections, carries out the effects in order, and passes in ``Event/timePassed`` at
/// ``nextDeadline``. A message that is not allowed ends only its own connection.
public struct RaceMachine: Sendable {
  /// Identifies a connection of the shell.
  public struct ConnectionID: Hashable, Sendable, Comparable {
    let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  public enum Event: Hashable, Sendable {
    case connected(ConnectionID)
    case received(ConnectionID, ClientMessage)
    /// A frame arrived that cannot be read.
    case violated(ConnectionID, Refusal)
    case disconnected(ConnectionID)
    case timePassed
    /// The server is closing.
    case close
  }

  public enum Effect: Hashable, Sendable {
    case send(ServerMessage, to: [ConnectionID])
    /// The connection is no longer pending: its player is known.
    case admit(ConnectionID)
    /// Close the connection, after everything has been sent.
    case disconnect(ConnectionID)
    case report(RaceReport)
  }

  enum Activity {
    case idle
    /// The last number of missing players that was sent.
    case waiting(reported: Int?)
    case racing(match: Int, racer: Int)
  }

  struct Entry {
    let player: RacePlayer
    /// Nil while the player is away from a match.
    var connection: ConnectionID?
    var activity = Activity.idle
  }

  public let rules: RaceRules
  /// Connections whose players are not known yet.
  private var strangers: Set<ConnectionID> = []
  private var ids: [ConnectionID: String] = [:]
  private(set) var entries: [String: Entry] = [:]
  private var matchmaker: Matchmaker
  private(set) var matches: [Int: RaceMatch] = [:]
  private var lastMatch = 0
  private var isClosed = false

  public init(rules: RaceRules) {
    self.rules = rules
    matchmaker = Matchmaker(gathering: rules.gathering)
  }

  /// The time to pass in ``Event/timePassed``; `nil` for never.
  public var nextDeadline: Duration? {
    matches.values.lazy.map(\.nextDeadline).reduce(matchmaker.nextDeadline) { min($0 ?? $1, $1) }
  }

  /// Handles what is due before `now`, then an event that happened at `now`; returns the effects, in order.
  ///
  /// Events of unknown or former connections have no effect.
  public mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    var effects = expire(at: now)
    switch event {
    case .connected(let id): effects += connected(id)
    case .received(let id, let message): effects += received(message, from: id, at: now)
    case .violated(let id, let refusal): effects += refuse(id, refusal, at: now)
    case .disconnected(let id): effects += forget(id, at: now)
    case .timePassed: break
    case .close: effects += close(at: now)
    }
    return effects + makeMatches(at: now)
  }
}

// MARK: - Connections

extension RaceMachine {
  private static let closing = Refusal(.closing, "the server is closing; try again later")

  private mutating func connected(_ id: ConnectionID) -> [Effect] {
    guard !isClosed else { return [.send(.refused(Self.closing), to: [id]), .disconnect(id)] }
    strangers.insert(id)
    return []
  }

  private mutating func received(_ message: ClientMessage, from id: ConnectionID, at now: Duration) -> [Effect] {
    if strangers.contains(id) {
      guard case .playerConnected(let player, let continuesMatch) = message else {
        return refuse(id, Refusal(.outOfOrder, "send your ID first (message 0)"), at: now)
      }
      return welcome(player, continuesMatch, on: id, at: now)
    }
    guard let player = ids[id], let entry = entries[player] else { return [] }
    switch (message, entry.activity) {
    case (.playerConnected, _):
      return refuse(id, Refusal(.outOfOrder, "you have already sent your ID (message 0)"), at: now)
    case (.matchWanted(let range), .idle):
      guard let range = range.narrowed(to: rules.players) else {
        let text = "matches here have \(rules.players) players, and none can have \(range)"
        return refuse(id, Refusal(.players, text), at: now)
      }
      matchmaker.add(player, range)
      entries[player]?.activity = .waiting(reported: nil)
      return []
    case (.matchWanted, .waiting), (.matchWanted, .racing):
      return refuse(id, Refusal(.outOfOrder, "you already wait for a match or are in one (message 2)"), at: now)
    case (.position(let position), .racing(let match, let racer)):
      return move(racer, of: match, to: position, by: id, at: now)
    case (.position, .idle), (.position, .waiting):
      return []
    }
  }

  private mutating func welcome(
    _ player: RacePlayer, _ continuesMatch: Bool, on id: ConnectionID, at now: Duration
  ) -> [Effect] {
    var effects: [Effect] = []
    if let former = entries[player.id]?.connection {
      effects += refuse(former, Refusal(.replaced, "you have connected from somewhere else"), at: now)
    }
    let activity = entries[player.id]?.activity ?? .idle
    guard entries[player.id] != nil || entries.count < rules.capacity else {
      return effects + refuse(id, Refusal(.full, "there are already \(rules.capacity) players; try again later"), at: now)
    }
    strangers.remove(id)
    ids[id] = player.id
    entries[player.id] = Entry(player: player, connection: id, activity: activity)
    effects.append(.admit(id))
    guard case .racing(let number, let racer) = activity else {
      return effects + [.report(.connected(player, continued: false)), .send(.notInMatch, to: [id])]
    }
    effects.append(.report(.connected(player, continued: continuesMatch)))
    if continuesMatch {
      effects += set(.here, of: racer, in: number, at: now)
      return effects + (matches[number].map { [.send(.match($0.view(for: racer)), to: [id])] } ?? [])
    }
    entries[player.id]?.activity = .idle
    return effects + set(.left, of: racer, in: number, at: now) + [.send(.notInMatch, to: [id])]
  }

  private mutating func refuse(_ id: ConnectionID, _ refusal: Refusal, at now: Duration) -> [Effect] {
    guard strangers.contains(id) || ids[id] != nil else { return [] }
    let player = ids[id].flatMap { entries[$0]?.player }
    return [.report(.refused(id, player, refusal)), .send(.refused(refusal), to: [id]), .disconnect(id)]
      + forget(id, at: now)
  }

  /// Removes a connection, and its player unless they are in a match.
  private mutating func forget(_ id: ConnectionID, at now: Duration) -> [Effect] {
    strangers.remove(id)
    guard let player = ids.removeValue(forKey: id), let entry = entries[player] else { return [] }
    let report = Effect.report(.disconnected(entry.player))
    switch entry.activity {
    case .racing(let match, let racer):
      entries[player]?.connection = nil
      return [report] + set(.away, of: racer, in: match, at: now)
    case .waiting:
      matchmaker.remove(player)
      entries[player] = nil
      return [report]
    case .idle:
      entries[player] = nil
      return [report]
    }
  }

  private mutating func close(at now: Duration) -> [Effect] {
    let connections = (Array(strangers) + ids.keys).sorted()
    isClosed = true
    strangers = []
    ids = [:]
    entries = [:]
    matches = [:]
    matchmaker = Matchmaker(gathering: rules.gathering)
    guard !connections.isEmpty else { return [] }
    return [.send(.refused(Self.closing), to: connections)] + connections.map { .disconnect($0) }
  }
}

// MARK: - Matches

extension RaceMachine {
  /// Starts matches for which there are enough players, and tells the waiting players how many are missing.
  private mutating func makeMatches(at now: Duration) -> [Effect] {
    guard matchmaker.isDue(at: now) else { return [] }
    var effects: [Effect] = []
    for group in matchmaker.takeGroups(at: now) { effects += start(group, at: now) }
    for (player, count) in matchmaker.missing {
      guard let entry = entries[player], let connection = entry.connection, case .waiting(let reported) = entry.activity,
        reported != count
      else { continue }
      entries[player]?.activity = .waiting(reported: count)
      effects.append(.send(.waiting(missing: Int32(count)), to: [connection]))
    }
    return effects
  }

  private mutating func start(_ group: [String], at now: Duration) -> [Effect] {
    lastMatch += 1
    let match = RaceMatch(of: group.compactMap { entries[$0]?.player }, rules: rules, at: now)
    matches[lastMatch] = match
    var effects = [Effect.report(.started(match: lastMatch, match.players))]
    for (racer, player) in group.enumerated() {
      entries[player]?.activity = .racing(match: lastMatch, racer: racer)
      if let connection = entries[player]?.connection {
        effects.append(.send(.match(match.view(for: racer)), to: [connection]))
      }
    }
    return effects
  }

  private mutating func move(
    _ racer: Int, of number: Int, to position: Int32, by id: ConnectionID, at now: Duration
  ) -> [Effect] {
    guard var match = matches[number] else { return [] }
    do throws(Refusal) {
      let (news, place) = try match.move(racer, to: position, at: now)
      matches[number] = match
      let report = place.map { [Effect.report(.arrived(match: number, match.players[racer], place: $0))] } ?? []
      return tell(news, in: number) + report + finishIfOver(number, at: now)
    } catch {
      return refuse(id, error, at: now)
    }
  }

  private mutating func set(_ presence: Presence, of racer: Int, in number: Int, at now: Duration) -> [Effect] {
    guard let news = matches[number]?.set(presence, of: racer, at: now), let player = matches[number]?.players[racer] else {
      return []
    }
    return [.report(.presence(match: number, player, presence))] + tell(news, in: number) + finishIfOver(number, at: now)
  }

  private func tell(_ news: [RaceMatch.News], in number: Int) -> [Effect] {
    news.compactMap { news in
      let (message, connections) =
        switch news {
        case .everyone(let message): (message, self.connections(in: number))
        case .others(let racer, let message): (message, self.connections(in: number, except: racer))
        }
      return connections.isEmpty ? nil : .send(message, to: connections)
    }
  }

  /// The connections of the present players in a match, in the order of their racers.
  private func connections(in number: Int, except: Int? = nil) -> [ConnectionID] {
    guard let match = matches[number] else { return [] }
    return match.players.enumerated().compactMap { racer, player in
      guard racer != except, let entry = entries[player.id], case .racing(number, racer) = entry.activity else { return nil }
      return entry.connection
    }
  }

  /// Removes players who have been away for too long, and ends matches whose time is over.
  private mutating func expire(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    for (number, match) in matches.filter({ now >= $0.value.nextDeadline }).sorted(by: { $0.key < $1.key }) {
      for racer in match.overdue(at: now) {
        entries[match.players[racer].id] = nil
        effects += set(.left, of: racer, in: number, at: now)
      }
      effects += finishIfOver(number, at: now)
    }
    return effects
  }

  private mutating func finishIfOver(_ number: Int, at now: Duration) -> [Effect] {
    guard let match = matches[number], match.isOver(at: now) else { return [] }
    let ranking = match.ranking
    let effects =
      tell([.everyone(.over(ranking: ranking.map { UInt8($0) }))], in: number) + [
        .report(.over(match: number, ranking.map { match.players[$0] }))
      ]
    matches[number] = nil
    for player in match.players {
      guard let entry = entries[player.id], case .racing(number, _) = entry.activity else { continue }
      entries[player.id] = entry.connection == nil ? nil : Entry(player: entry.player, connection: entry.connection)
    }
    return effects
  }
}
