/// A race: who runs in it, how far each has got, and when it is over.
///
/// It is over when each has arrived or left; those who are away count until they would have had to be back.
struct RaceMatch: Sendable {
  /// What players have to be told.
  enum News: Hashable, Sendable {
    case everyone(ServerMessage)
    case others(than: Int, ServerMessage)
  }

  private struct Racer {
    let player: RacePlayer
    var position: Int32 = 0
    var place: Int?
    var presence = Presence.here
    /// By when he has to be back.
    var returnDeadline: Duration?

    /// Whether nothing more is expected of him.
    var isDone: Bool { place != nil || presence == .left }
  }

  private let rules: RaceRules
  private let began: Duration
  private var racers: [Racer]
  private var lastPlace = 0

  /// When something happens by itself.
  private(set) var nextDeadline: Duration

  init(of players: [RacePlayer], rules: RaceRules, at now: Duration) {
    self.rules = rules
    began = now
    racers = players.map { Racer(player: $0) }
    nextDeadline = now + rules.matchLimit
  }

  /// In the order of their numbers.
  var players: [RacePlayer] { racers.map(\.player) }

  func isOver(at now: Duration) -> Bool { now >= began + rules.matchLimit || racers.allSatisfy(\.isDone) }

  /// The numbers of the racers: those who have arrived as they came in; then those who have not, the furthest first; last those
  /// who have left.
  var ranking: [Int] {
    func rank(_ index: Int) -> (Int, Int, Int32, Int) {
      let racer = racers[index]
      return (racer.place ?? .max, racer.presence == .left ? 1 : 0, -racer.position, index)
    }
    return racers.indices.sorted { rank($0) < rank($1) }
  }

  /// The match as one of its players is told of it.
  func view(for own: Int) -> MatchView {
    MatchView(
      courseLength: rules.courseLength, topSpeed: rules.topSpeed, own: UInt8(own),
      racers: racers.map {
        MatchView.Racer(
          alias: $0.player.alias, position: $0.position, place: Int32($0.place ?? 0), presence: $0.presence)
      })
  }

  /// A racer says how far it has got.
  ///
  /// - Returns: Whom to tell what, and the place if it has arrived.
  /// - Throws: A refusal when it cannot have got there.
  mutating func move(_ index: Int, to position: Int32, at now: Duration) throws(Refusal) -> (news: [News], place: Int?) {
    let racer = racers[index]
    guard racer.place == nil else { throw Refusal(.impossible, "the racer has arrived already") }
    guard position > racer.position else {
      throw Refusal(.impossible, "a position has to grow: \(position) came after \(racer.position)")
    }
    let reach = rules.reach(after: now - began)
    guard position <= reach else {
      throw Refusal(.impossible, "a racer cannot have got to \(position) yet; at most to \(reach)")
    }
    racers[index].position = position
    let moved = News.others(than: index, .moved(racer: UInt8(index), position: position))
    guard position == rules.courseLength else { return ([moved], nil) }
    lastPlace += 1
    racers[index].place = lastPlace
    return ([moved, .everyone(.arrived(racer: UInt8(index), place: Int32(lastPlace)))], lastPlace)
  }

  /// A player goes, comes back, or leaves for good.
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

  /// The racers who would have had to be back by now.
  func overdue(at now: Duration) -> [Int] {
    racers.indices.filter { index in racers[index].returnDeadline.map { now >= $0 } ?? false }
  }
}
