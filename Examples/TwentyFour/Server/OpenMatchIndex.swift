import Rooms

/// An index of the matches with a free place, to find a match for a new player without a search of all matches.
///
/// Matches of the same size, stage and number of players are equally good. The cost of a search depends on the number of such
/// kinds, not on the number of matches.
struct OpenMatchIndex: Sendable {
  /// A match's offer to new players.
  struct Offer: Hashable, Sendable {
    /// The number of players with which the match begins, and the largest number.
    let size: ClosedRange<Int>
    let hasBegun: Bool
    let players: Int

    /// Whether the match has no more places than wanted, and does not begin or continue with fewer players.
    fileprivate func fits(_ wish: ClosedRange<Int>) -> Bool {
      size.upperBound <= wish.upperBound && max(hasBegun ? 0 : size.lowerBound, players + 1) >= wish.lowerBound
    }

    /// Better are matches that have not begun; then those with more players; then those with more places.
    fileprivate static func precedes(_ left: Offer, _ right: Offer) -> Bool {
      (left.hasBegun ? 0 : 1, left.players, left.size.upperBound, left.size.lowerBound) < (
        right.hasBegun ? 0 : 1, right.players, right.size.upperBound, right.size.lowerBound
      )
    }
  }

  private var offers: [RoomID: Offer] = [:]
  private var rooms: [Offer: Set<RoomID>] = [:]

  var isEmpty: Bool { offers.isEmpty }

  /// Sets a match's offer; nil and a full match offer nothing.
  mutating func set(_ room: RoomID, to offer: Offer?) {
    let offer = offer.flatMap { $0.players < $0.size.upperBound ? $0 : nil }
    guard offers[room] != offer else { return }
    if let former = offers[room] {
      rooms[former]?.remove(room)
      if rooms[former]?.isEmpty == true { rooms[former] = nil }
    }
    offers[room] = offer
    if let offer { rooms[offer, default: []].insert(room) }
  }

  /// The best match for a player who wants this number of players.
  ///
  /// Never a match with more places than wanted, nor one that can begin with fewer players. Among the others, matches that have
  /// not begun come first; among equals, those with most players.
  func match(for wish: ClosedRange<Int>) -> RoomID? {
    rooms.keys.filter { $0.fits(wish) }.max(by: Offer.precedes).flatMap { rooms[$0]?.first }
  }
}
