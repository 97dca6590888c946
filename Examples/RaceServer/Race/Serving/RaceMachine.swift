/// A race server: who is there, who waits, who races, and what is said to whom.
///
/// A value without sockets and clock. The shell hands in what happens on its connections, carries out the effects in order, and
/// hands in ``Event/timePassed`` when ``nextDeadline`` has come. Whatever a connection sends ends at most that connection.
package struct RaceMachine: Sendable {
  /// Names a connection of the shell's.
  package struct ConnectionID: Hashable, Sendable, Comparable {
    let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  package enum Event: Hashable, Sendable {
    case connected(ConnectionID)
    case received(ConnectionID, ClientMessage)
    /// What came can not be read.
    case violated(ConnectionID, Refusal)
    case disconnected(ConnectionID)
    case timePassed
    /// The server ends.
    case close
  }

  package enum Effect: Hashable, Sendable {
    case send(ServerMessage, to: [ConnectionID])
    /// The connection's player has said who he is.
    case admit(ConnectionID)
    /// Let what was sent leave, and close the connection.
    case disconnect(ConnectionID)
    case report(RaceReport)
  }

  private enum Activity {
    case idle
    /// Was told that so many are missing.
    case waiting(told: Int?)
    case racing(match: Int, racer: Int)
  }

  private struct Entry {
    let player: RacePlayer
    /// None while he is away from a match.
    var connection: ConnectionID?
    var activity = Activity.idle
  }

  package let rules: RaceRules
  /// Connections of which nobody knows yet whose they are.
  private var strangers: Set<ConnectionID> = []
  private var ids: [ConnectionID: String] = [:]
  private var entries: [String: Entry] = [:]
  private var matchmaker: Matchmaker
  private var matches: [Int: RaceMatch] = [:]
  private var lastMatch = 0
  private var isClosed = false

  package init(rules: RaceRules) {
    self.rules = rules
    matchmaker = Matchmaker(gathering: rules.gathering)
  }

  /// How many players there are, those included who are away.
  package var playerCount: Int { entries.count }

  /// How many matches there are.
  package var matchCount: Int { matches.count }

  /// When something falls due by itself; `nil` when nothing will.
  package var nextDeadline: Duration? {
    matches.values.lazy.map(\.nextDeadline).reduce(matchmaker.nextDeadline) { min($0 ?? $1, $1) }
  }

  /// Takes in what happened at `now`, after whatever fell due until then, and says what to do, in order.
  ///
  /// Connections that the machine does not know (any more) have no effect, so a shell need not care what is still under way when
  /// it disconnects one.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
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
  private static let closing = Refusal(.closing, "the server ends; try again later")

  private mutating func connected(_ id: ConnectionID) -> [Effect] {
    guard !isClosed else { return [.send(.refused(Self.closing), to: [id]), .disconnect(id)] }
    strangers.insert(id)
    return []
  }

  private mutating func received(_ message: ClientMessage, from id: ConnectionID, at now: Duration) -> [Effect] {
    if strangers.contains(id) {
      guard case .playerConnected(let player, let continuesMatch) = message else {
        return refuse(id, Refusal(.outOfOrder, "say who you are first (message 0)"), at: now)
      }
      return welcome(player, continuesMatch, on: id, at: now)
    }
    guard let player = ids[id], let entry = entries[player] else { return [] }
    switch (message, entry.activity) {
    case (.playerConnected, _):
      return refuse(id, Refusal(.outOfOrder, "you have said who you are already (message 0)"), at: now)
    case (.matchWanted(let range), .idle):
      guard let range = range.narrowed(to: rules.players) else {
        let text = "matches here have \(rules.players) players, and none can have \(range)"
        return refuse(id, Refusal(.players, text), at: now)
      }
      matchmaker.add(player, range)
      entries[player]?.activity = .waiting(told: nil)
      return []
    case (.matchWanted, .waiting), (.matchWanted, .racing):
      return refuse(id, Refusal(.outOfOrder, "you wait for a match, or are in one already (message 2)"), at: now)
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
      return effects + refuse(id, Refusal(.full, "there are \(rules.capacity) players already; try again later"), at: now)
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

  /// A connection has gone; its player too, unless he is in a match.
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
  /// Starts the matches for which there are enough, and tells those who wait how many are missing.
  private mutating func makeMatches(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    for group in matchmaker.takeGroups(at: now) { effects += start(group, at: now) }
    for (player, count) in matchmaker.missing {
      guard let entry = entries[player], let connection = entry.connection, case .waiting(let told) = entry.activity,
        told != count
      else { continue }
      entries[player]?.activity = .waiting(told: count)
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

  /// The connections of those who are in a match and there, in the order of their racers.
  private func connections(in number: Int, except: Int? = nil) -> [ConnectionID] {
    guard let match = matches[number] else { return [] }
    return match.players.enumerated().compactMap { racer, player in
      guard racer != except, let entry = entries[player.id], case .racing(number, racer) = entry.activity else { return nil }
      return entry.connection
    }
  }

  /// Lets those leave who have been away for too long, and ends the matches whose time is over.
  private mutating func expire(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    for number in matches.keys.sorted() {
      guard let match = matches[number], now >= match.nextDeadline else { continue }
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
