/// The matches of a house that have a free place, so that one for a newcomer is found without looking at all of them.
///
/// Matches of one size, at one stage and with as many players are as good as each other. So what a search costs depends on how
/// many different sizes people have asked for, and not on how many matches there are.
struct Vacancies: Sendable {
  /// Where a match stands as to who may come in.
  struct Offer: Hashable, Sendable {
    /// From how many players on it is played, and how many can play.
    let size: ClosedRange<Int>
    let hasBegun: Bool
    let players: Int
  }

  /// The slots with the same offer, without order, and where each stands among them.
  private struct Shelf {
    var slots: [Int] = []
    var positions: [Int: Int] = [:]

    mutating func insert(_ slot: Int) {
      positions[slot] = slots.count
      slots.append(slot)
    }

    mutating func remove(_ slot: Int) {
      guard let position = positions.removeValue(forKey: slot), let last = slots.popLast(), last != slot else { return }
      slots[position] = last
      positions[last] = position
    }
  }

  private var offers: [Int: Offer] = [:]
  /// For each size that occurs: the shelves of matches that have not begun and of those that have, by the number of players.
  private var shelves: [ClosedRange<Int>: (gathering: [Shelf], begun: [Shelf])] = [:]
  private var counts: [ClosedRange<Int>: Int] = [:]

  var isEmpty: Bool { offers.isEmpty }

  /// Sets what a match offers; nil, or a match that is full, offers nothing.
  mutating func set(_ slot: Int, to offer: Offer?) {
    let offer = offer.flatMap { $0.players < $0.size.upperBound ? $0 : nil }
    guard offers[slot] != offer else { return }
    if let former = offers[slot] {
      change(former) { $0.remove(slot) }
      forget(former.size)
    }
    offers[slot] = offer
    guard let offer else { return }
    counts[offer.size, default: 0] += 1
    change(offer) { $0.insert(slot) }
  }

  private mutating func change(_ offer: Offer, _ body: (inout Shelf) -> Void) {
    let none = [Shelf](repeating: Shelf(), count: offer.size.upperBound)
    if offer.hasBegun {
      body(&shelves[offer.size, default: (none, none)].begun[offer.players])
    } else {
      body(&shelves[offer.size, default: (none, none)].gathering[offer.players])
    }
  }

  private mutating func forget(_ size: ClosedRange<Int>) {
    counts[size, default: 1] -= 1
    guard counts[size] == 0 else { return }
    counts[size] = nil
    shelves[size] = nil
  }

  /// The match for someone who wants to play with so many others.
  ///
  /// Never in one with more places than he wants players, nor in one that can begin before there are as many as he wants. Among
  /// the others first one that has not begun, then one that has, and of either the one with most players.
  func match(for wish: ClosedRange<Int>) -> Int? {
    // In an order, for a dictionary has none.
    let sizes = counts.keys.filter { $0.upperBound <= wish.upperBound }.sorted {
      ($0.upperBound, $0.lowerBound) > ($1.upperBound, $1.lowerBound)
    }
    return best(sizes, \.gathering) { max($0.lowerBound, $1 + 1) >= wish.lowerBound }
      ?? best(sizes, \.begun) { $1 + 1 >= wish.lowerBound }
  }

  private func best(
    _ sizes: [ClosedRange<Int>], _ stage: KeyPath<(gathering: [Shelf], begun: [Shelf]), [Shelf]>,
    _ fits: (ClosedRange<Int>, Int) -> Bool
  ) -> Int? {
    var best: (players: Int, slot: Int)?
    for size in sizes {
      guard let shelves = shelves[size]?[keyPath: stage] else { continue }
      for players in shelves.indices.reversed() where fits(size, players) && players > best?.players ?? -1 {
        guard let slot = shelves[players].slots.last else { continue }
        best = (players, slot)
        break
      }
    }
    return best?.slot
  }
}
