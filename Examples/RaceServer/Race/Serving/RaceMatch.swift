/// A race: its racers, their positions, and its end.
///
/// The race is over when each racer has arrived or its player has left for good. A player who is away too long has left.
struct RaceMatch: Sendable {
  /// News for the players.
  enum News: Hashable, Sendable {
    case everyone(ServerMessage)
    case others(than: Int, ServerMessage)
  }

  private struct Racer {
    let player: RacePlayer
    var position: Int32 = 0
    var place: Int?
    var presence = Presence.here
    /// The time by which the player must be back.
    var returnDeadline: Duration?

    /// Whether the racer will not move any more.
    var isDone: Bool { place != nil || presence == .left }
  }

  private let rules: RaceRules
  private let began: Duration
  private var racers: [Racer]
  private var lastPlace = 0

  /// The time of the match's next change without an event.
  private(set) var nextDeadline: Duration

  init(of players: [RacePlayer], rules: RaceRules, at now: Duration) {
    self.rules = rules
    began = now
    racers = players.map { Racer(player: $0) }
    nextDeadline = now + rules.matchLimit
  }

  /// The racers by number.
  var players: [RacePlayer] { racers.map(\.player) }

  func isOver(at now: Duration) -> Bool { now >= began + rules.matchLimit || racers.allSatisfy(\.isDone) }

  /// The numbers of the racers by rank: first those that have arrived, then those still under way by position, last those whose
  /// players have left.
  var ranking: [Int] {
    func rank(_ index: Int) -> (Int, Int, Int32, Int) {
      let racer = racers[index]
      return (racer.place ?? .max, racer.presence == .left ? 1 : 0, -racer.position, index)
    }
    return racers.indices.sorted { rank($0) < rank($1) }
  }

  /// The match as one of its players sees it.
  func view(for own: Int) -> MatchView {
    MatchView(
      courseLength: rules.courseLength, topSpeed: rules.topSpeed, own: UInt8(own),
      racers: racers.map {
        MatchView.Racer(
          alias: $0.player.alias, position: $0.position, place: Int32($0.place ?? 0), presence: $0.presence)
      })
  }

  /// Moves a racer to the position that its client has sent.
  ///
  /// - Returns: The news for the players, and the rank if the racer has arrived.
  /// - Throws: A refusal if the racer cannot have reached the position.
  mutating func move(_ index: Int, to position: Int32, at now: Duration) throws(Refusal) -> (news: [News], place: Int?) {
    let racer = racers[index]
    guard racer.place == nil else { throw Refusal(.impossible, "the racer has already arrived") }
    guard position > racer.position else {
      throw Refusal(.impossible, "a position must grow: \(position) came after \(racer.position)")
    }
    let reach = rules.reach(after: now - began)
    guard position <= reach else {
      throw Refusal(.impossible, "a racer cannot have reached \(position) yet; at most \(reach)")
    }
    racers[index].position = position
    let moved = News.others(than: index, .moved(racer: UInt8(index), position: position))
    guard position == rules.courseLength else { return ([moved], nil) }
    lastPlace += 1
    racers[index].place = lastPlace
    return ([moved, .everyone(.arrived(racer: UInt8(index), place: Int32(lastPlace)))], lastPlace)
  }

  /// Changes whether a player is present.
  mutating func set(_ presence: Presence, of index: Int, at now: Duration) -> [News] {
    racers[index].presence = presence
    racers[index].returnDeadline =
      switch presence {
      case .away: now + rules.returnLimit
      case .here, .left: nil
      }
    nextDeadline = racers.compactMap(\.returnDeadline).reduce(began + rules.matchLimit, min)
    return [.others(than: index, .presence(racer: UInt8(index), presence))]
  }

  /// The racers whose players should be back by now.
  func overdue(at now: Duration) -> [Int] {
    racers.indices.filter { index in racers[index].returnDeadline.map { now >= $0 } ?? false }
  }
}
