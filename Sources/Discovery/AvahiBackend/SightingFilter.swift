import _BonjourishDiscovery

/// What one operation has found on all links, and which of it counts.
struct SightingFilter<Item: Hashable> {
  private var reported: [Link: Set<Item>] = [:]
  private var withheld: [Link: Set<Item>] = [:]

  /// Notes that an item was found.
  ///
  /// - Returns: Whether to tell it.
  mutating func appeared(_ item: Item, on link: Link, counts: Bool) -> Bool {
    if counts {
      reported[link, default: []].insert(item)
      withheld[link]?.remove(item)
    } else if reported[link]?.contains(item) != true {
      withheld[link, default: []].insert(item)
    }
    return counts
  }

  /// Notes that an item is gone.
  ///
  /// - Returns: Whether to tell it.
  mutating func vanished(_ item: Item, from link: Link) -> Bool {
    withheld[link]?.remove(item)
    return reported[link]?.remove(item) != nil
  }

  /// Decides anew which links count.
  ///
  /// - Returns: What to tell as found, and as gone.
  mutating func refresh(_ counts: (Link) -> Bool) -> (appeared: [(Item, Link)], vanished: [(Item, Link)]) {
    let gained = withheld.filter { counts($0.key) }
    let lost = reported.filter { !counts($0.key) }
    for (link, items) in gained {
      withheld[link] = nil
      reported[link, default: []].formUnion(items)
    }
    for (link, items) in lost {
      reported[link] = nil
      withheld[link, default: []].formUnion(items)
    }
    func list(_ some: [Link: Set<Item>]) -> [(Item, Link)] { some.flatMap { link, items in items.map { ($0, link) } } }
    return (list(gained), list(lost))
  }

  mutating func clear() {
    reported = [:]
    withheld = [:]
  }
}
