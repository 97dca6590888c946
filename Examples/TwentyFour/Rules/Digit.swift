/// One of the numbers that can be dealt: 1 to 9.
public enum Digit: Int, CaseIterable, Comparable, Sendable {
  case one = 1
  case two, three, four, five, six, seven, eight, nine

  public static func < (left: Digit, right: Digit) -> Bool { left.rawValue < right.rawValue }
}

extension Digit: CustomStringConvertible {
  public var description: String { String(rawValue) }
}
