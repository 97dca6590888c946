import Bonjourish
import Rooms

extension [RoomListing] {
  /// The rooms in the order of a lobby: those that wait for players, those that play, those that are full; by their names.
  var inOrder: [RoomListing] {
    sorted { left, right in
      let (first, second) = (left.rank, right.rank)
      guard first == second else { return first < second }
      return NaturalOrder.precedes(left.name, right.name) ?? (left.endpoint.host.text < right.endpoint.host.text)
    }
  }
}

extension RoomListing {
  fileprivate var rank: Int {
    guard advertisement.hasRoom else { return 2 }
    return advertisement.state == .waiting ? 0 : 1
  }
}

/// The order of names in which people look for them: 2 before 10, and upper and lower case alike.
enum NaturalOrder {
  /// Whether the first text comes first; nil if that does not matter.
  static func precedes(_ left: String, _ right: String) -> Bool? {
    let (first, second) = (parts(of: left), parts(of: right))
    for (one, other) in zip(first, second) where one != other { return one < other }
    return first.count == second.count ? nil : first.count < second.count
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
