import Bonjourish
import Rooms

extension [DiscoveredRoom] {
  /// The rooms in the order of a lobby: those that wait for players, those that play, those that are full; by their names.
  var inOrder: [DiscoveredRoom] {
    // What orders a room is found out once: a directory may list thousands.
    map { ($0, NaturalOrder($0.name)) }.sorted { left, right in
      let (first, second) = (left.0.rank, right.0.rank)
      guard first == second else { return first < second }
      return left.1.precedes(right.1) ?? (left.0.endpoint.host.text < right.0.endpoint.host.text)
    }.map(\.0)
  }
}

extension DiscoveredRoom {
  fileprivate var rank: Int {
    guard advertisement.hasRoom else { return 2 }
    return advertisement.state == .waiting ? 0 : 1
  }
}

/// The order of names in which people look for them: 2 before 10, and upper and lower case alike.
struct NaturalOrder {
  private let parts: [Part]

  init(_ text: String) { parts = Self.parts(of: text) }

  /// Whether a text comes before another; nil if that does not matter.
  func precedes(_ other: NaturalOrder) -> Bool? {
    for (one, other) in zip(parts, other.parts) where one != other { return one < other }
    return parts.count == other.parts.count ? nil : parts.count < other.parts.count
  }

  private enum Part: Comparable {
    /// The digits without zeros in front: more of them make a larger number.
    case number(count: Int, digits: String)
    case text(String)
  }

  private static func parts(of text: String) -> [Part] {
    var parts: [Part] = []
    var rest = text.lowercased()[...]
    while let first = rest.first {
      let isNumber = first.isDigit
      let run = rest.prefix { $0.isDigit == isNumber }
      let digits = run.drop { $0 == "0" }
      parts.append(isNumber ? .number(count: digits.count, digits: String(digits)) : .text(String(run)))
      rest = rest.dropFirst(run.count)
    }
    return parts
  }
}

extension Character {
  fileprivate var isDigit: Bool { isASCII && isNumber }
}
