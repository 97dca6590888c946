/// The origins from which nobody may come in, by the numbers of the players who were banned.
public struct BanList<Number: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
  private var origins: [Number: Origin] = [:]

  public init() {}

  public mutating func ban(_ number: Number, from origin: Origin) {
    origins[number] = origin
  }

  /// Lifts the ban of a player's origin, also if other players of this origin were banned.
  ///
  /// - Returns: Whether there was one.
  public mutating func lift(_ number: Number) -> Bool {
    guard let origin = origins[number] else { return false }
    origins = origins.filter { $0.value != origin }
    return true
  }

  public func contains(_ number: Number) -> Bool { origins[number] != nil }

  public func contains(_ origin: Origin) -> Bool { origins.values.contains(origin) }
}
