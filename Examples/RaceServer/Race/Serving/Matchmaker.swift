/// The players who wait for a match, in the order of their arrival.
///
/// A match gets as many players as possible, earlier ones first. When there are enough, they wait a while for more, unless the
/// match is full.
struct Matchmaker: Sendable {
  private struct Wish {
    let id: String
    let range: PlayerRange
  }

  private let gathering: Duration
  private var wishes: [Wish] = []
  /// The time since which there have been enough players for a match.
  private var readySince: Duration?
  /// Whether players have come or gone since the last search for matches.
  private var hasChanged = false

  init(gathering: Duration) {
    self.gathering = gathering
  }

  mutating func add(_ id: String, _ range: PlayerRange) {
    wishes.append(Wish(id: id, range: range))
    hasChanged = true
  }

  mutating func remove(_ id: String) {
    wishes.removeAll { $0.id == id }
    hasChanged = true
  }

  /// Whether to search for matches.
  func isDue(at now: Duration) -> Bool { hasChanged || nextDeadline.map { now >= $0 } ?? false }

  /// The time at which a match starts even if no other player comes.
  var nextDeadline: Duration? { readySince.map { $0 + gathering } }

  /// Removes and returns the players whose matches start now, match by match.
  mutating func takeGroups(at now: Duration) -> [[String]] {
    hasChanged = false
    var groups: [[String]] = []
    while let group = largestGroup {
      let since = readySince ?? now
      let isFull = group.contains { $0.range.maximum == group.count }
      guard isFull || now >= since + gathering else {
        readySince = since
        return groups
      }
      let ids = group.map(\.id)
      groups.append(ids)
      let taken = Set(ids)
      wishes.removeAll { taken.contains($0.id) }
      readySince = nil
    }
    readySince = nil
    return groups
  }

  /// The waiting players, each with the number of players missing for a match.
  var missing: [(id: String, count: Int)] {
    let counts = (0...PlayerRange.limit).map { size in wishes.count { $0.range.contains(size) } }
    return wishes.map { wish in
      let sizes = wish.range.minimum...wish.range.maximum
      return (wish.id, sizes.map { max(0, $0 - counts[$0]) }.min() ?? 0)
    }
  }

  /// The players who can be in one match together.
  private var largestGroup: [Wish]? {
    for size in (1...PlayerRange.limit).reversed() {
      let fitting = wishes.filter { $0.range.contains(size) }
      if fitting.count >= size { return Array(fitting.prefix(size)) }
    }
    return nil
  }
}
