/// How long something took, of so many times that only their distribution can be kept.
///
/// The classes grow by a sixteenth of a power of two each, so that a quantile is right within 5 %, from a microsecond to over a
/// minute.
struct LatencyHistogram: Hashable, Sendable {
  private static let classesPerDoubling = 16
  private static let doublings = 26

  private(set) var count = 0
  private var counts = [Int](repeating: 0, count: classesPerDoubling * doublings + 1)

  mutating func add(_ duration: Duration) {
    count += 1
    counts[Self.index(of: duration)] += 1
  }

  /// The duration that a share of all did not exceed; nil as long as there were none.
  func quantile(_ share: Double) -> Duration? {
    guard count > 0 else { return nil }
    var left = Int((share * Double(count)).rounded(.up))
    for (index, number) in counts.enumerated() {
      left -= number
      if left <= 0 { return Self.upperBound(of: index) }
    }
    return Self.upperBound(of: counts.count - 1)
  }

  /// Class 0 goes up to a microsecond. Within a doubling the classes are of the same width.
  private static func index(of duration: Duration) -> Int {
    let microseconds = max(duration / .microseconds(1), 1)
    let doubling = microseconds.exponent
    guard doubling < doublings else { return classesPerDoubling * doublings }
    let within = (microseconds.significand - 1) * Double(classesPerDoubling)
    // Rounded up: the bound of a class belongs to it.
    return Int(doubling) * classesPerDoubling + Int(within.rounded(.up))
  }

  private static func upperBound(of index: Int) -> Duration {
    let (doubling, within) = index.quotientAndRemainder(dividingBy: classesPerDoubling)
    let start = Double(sign: .plus, exponent: doubling, significand: 1)
    return .microseconds(1) * (start * (1 + Double(within) / Double(classesPerDoubling)))
  }
}
