/// The claims that have a name: seldom more than one, so that the first needs no array.
struct ClaimSet {
  private(set) var first: Int
  private var others: [Int] = []

  init(_ slot: Int) { first = slot }

  /// Whether there are several.
  var isShared: Bool { !others.isEmpty }

  /// All of them, the oldest first.
  var all: [Int] { [first] + others }

  func contains(_ slot: Int) -> Bool { first == slot || others.contains(slot) }

  /// - Returns: Whether it is a new one.
  @discardableResult
  mutating func insert(_ slot: Int) -> Bool {
    guard !contains(slot) else { return false }
    others.append(slot)
    return true
  }

  /// The claims without one; nil if none is left.
  func without(_ slot: Int) -> ClaimSet? {
    let rest = all.filter { $0 != slot }
    guard let first = rest.first else { return nil }
    var set = ClaimSet(first)
    set.others = Array(rest.dropFirst())
    return set
  }
}
