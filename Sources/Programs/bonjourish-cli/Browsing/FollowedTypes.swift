import Bonjourish

/// The types that `browse --all` browses of those that are announced: at most so many at a time, because anybody on the network
/// can announce thousands.
struct FollowedTypes {
  enum Action: Equatable {
    case begin(ServiceType)
    case end(ServiceType)
    /// Some types are not browsed; told once.
    case tellLimit
  }

  /// The largest number of types at a time.
  static let limit = 256

  private let limit: Int
  /// The types that are browsed; false for one that is about to end.
  private var followed: [ServiceType: Bool] = [:]
  /// Those for which there is no place, in the order in which they came.
  private var waiting: [ServiceType] = []
  private var isLimitTold = false

  init(limit: Int = Self.limit) {
    self.limit = limit
  }

  /// Takes a type that is announced, and was not before.
  mutating func found(_ type: ServiceType) -> [Action] {
    waiting.append(type)
    let actions = fill()
    guard !isLimitTold, waiting.last == type, followed[type] == nil else { return actions }
    isLimitTold = true
    return actions + [.tellLimit]
  }

  /// Takes a type that is announced no longer.
  mutating func lost(_ type: ServiceType) -> [Action] {
    waiting.removeAll { $0 == type }
    guard followed[type] == true else { return [] }
    followed[type] = false
    return [.end(type)]
  }

  /// Notes that browsing for a type has ended, whoever ended it.
  mutating func ended(_ type: ServiceType) -> [Action] {
    followed[type] = nil
    return fill()
  }

  private mutating func fill() -> [Action] {
    var actions: [Action] = []
    // A type that came back before its browser has ended waits for that end.
    while followed.count < limit, let place = waiting.firstIndex(where: { followed[$0] == nil }) {
      let type = waiting.remove(at: place)
      followed[type] = true
      actions.append(.begin(type))
    }
    return actions
  }
}
