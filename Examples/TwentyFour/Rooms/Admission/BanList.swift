/// The origins from which nobody may come in, by the numbers of the players who were banned.
public struct BanList<Number: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
  private var origins: [Number: [Origin]] = [:]

  public init() {}

  /// Bans a player's address and key.
  public mutating func ban(_ number: Number, _ peer: Peer) {
    origins[number] = peer.origins
  }

  /// Lifts the ban of a player's origins, also if other players of one of them were banned.
  ///
  /// - Returns: Whether there was one.
  public mutating func lift(_ number: Number) -> Bool {
    guard let lifted = origins[number] else { return false }
    origins = origins.filter { Set($0.value).isDisjoint(with: lifted) }
    return true
  }

  public func contains(_ number: Number) -> Bool { origins[number] != nil }

  public func contains(_ peer: Peer) -> Bool {
    let banned = peer.origins
    return origins.values.contains { !Set($0).isDisjoint(with: banned) }
  }
}
