/// Those who wait for a match, in the order in which they came, and who of them can have one.
///
/// As many as possible get a match together, the earlier before the later. When there are enough they wait a little for more,
/// unless there may not be more.
struct Matchmaker: Sendable {
  private struct Wish {
    let id: String
    let range: PlayerRange
  }

  private let gathering: Duration
  private var wishes: [Wish] = []
  /// Since when there have been enough for some match.
  private var readySince: Duration?

  init(gathering: Duration) {
    self.gathering = gathering
  }

  mutating func add(_ id: String, _ range: PlayerRange) { wishes.append(Wish(id: id, range: range)) }

  mutating func remove(_ id: String) { wishes.removeAll { $0.id == id } }

  /// When somebody gets a match although nobody else comes.
  var nextDeadline: Duration? { readySince.map { $0 + gathering } }

  /// Takes out those whose match starts now, match by match.
  mutating func takeGroups(at now: Duration) -> [[String]] {
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

  /// Each who waits, and how many more are needed for a match that he wishes.
  var missing: [(id: String, count: Int)] {
    let counts = (0...PlayerRange.limit).map { size in wishes.count { $0.range.contains(size) } }
    return wishes.map { wish in
      let sizes = wish.range.minimum...wish.range.maximum
      return (wish.id, sizes.map { max(0, $0 - counts[$0]) }.min() ?? 0)
    }
  }

  /// Those who can all be in one match of their number.
  private var largestGroup: [Wish]? {
    for size in (1...PlayerRange.limit).reversed() {
      let fitting = wishes.filter { $0.range.contains(size) }
      if fitting.count >= size { return Array(fitting.prefix(size)) }
    }
    return nil
  }
}
