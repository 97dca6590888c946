/// An exact fraction in lowest terms, with a positive denominator.
///
/// Arithmetic never traps and never rounds: a result that does not fit is thrown as ``ArithmeticError/overflow``.
public struct Rational: Hashable, Sendable {
  /// The numerator; it carries the sign.
  public let numerator: Int
  /// The denominator, always greater than zero.
  public let denominator: Int

  /// Makes a whole number.
  public init(_ value: Int) {
    numerator = value
    denominator = 1
  }

  /// Makes a fraction and reduces it to lowest terms.
  ///
  /// - Throws: ``ArithmeticError`` if `denominator` is zero, or the fraction in lowest terms does not fit into two `Int`s.
  public init(_ numerator: Int, over denominator: Int) throws(ArithmeticError) {
    guard denominator != 0 else { throw .divisionByZero }
    let divisor = Rational.greatestCommonDivisor(numerator.magnitude, denominator.magnitude)
    self.numerator = try Rational.integer(
      magnitude: numerator.magnitude / divisor, isNegative: (numerator < 0) != (denominator < 0))
    self.denominator = try Rational.integer(magnitude: denominator.magnitude / divisor, isNegative: false)
  }

  /// The value as a whole number, if it is one.
  public var integer: Int? { denominator == 1 ? numerator : nil }

  /// The exact sum.
  ///
  /// - Throws: ``ArithmeticError/overflow`` if the sum, or an intermediate product, does not fit.
  public func adding(_ other: Rational) throws(ArithmeticError) -> Rational {
    try combined(with: other) { $0.addingReportingOverflow($1) }
  }

  /// The exact difference.
  ///
  /// - Throws: ``ArithmeticError/overflow`` if the difference, or an intermediate product, does not fit.
  public func subtracting(_ other: Rational) throws(ArithmeticError) -> Rational {
    try combined(with: other) { $0.subtractingReportingOverflow($1) }
  }

  /// The exact product.
  ///
  /// - Throws: ``ArithmeticError/overflow`` when the product does not fit.
  public func multiplied(by other: Rational) throws(ArithmeticError) -> Rational {
    // Crosswise reduction first: the products are then in lowest terms, and overflow only if the result does.
    let left = try Rational(numerator, over: other.denominator)
    let right = try Rational(other.numerator, over: denominator)
    return try Rational(
      Rational.product(left.numerator, right.numerator), over: Rational.product(left.denominator, right.denominator))
  }

  /// The exact quotient.
  ///
  /// - Throws: ``ArithmeticError/divisionByZero``, or ``ArithmeticError/overflow`` when the quotient does not fit.
  public func divided(by other: Rational) throws(ArithmeticError) -> Rational {
    try multiplied(by: Rational(other.denominator, over: other.numerator))
  }

  private func combined(
    with other: Rational, by operation: (Int, Int) -> (partialValue: Int, overflow: Bool)
  ) throws(ArithmeticError) -> Rational {
    // The greatest common divisor of two positive Ints fits into an Int.
    let divisor = Int(Rational.greatestCommonDivisor(denominator.magnitude, other.denominator.magnitude))
    let (value, overflow) = operation(
      try Rational.product(numerator, other.denominator / divisor),
      try Rational.product(other.numerator, denominator / divisor))
    guard !overflow else { throw .overflow }
    return try Rational(value, over: Rational.product(denominator / divisor, other.denominator))
  }

  private static func product(_ left: Int, _ right: Int) throws(ArithmeticError) -> Int {
    let (value, overflow) = left.multipliedReportingOverflow(by: right)
    guard !overflow else { throw .overflow }
    return value
  }

  private static func integer(magnitude: UInt, isNegative: Bool) throws(ArithmeticError) -> Int {
    if isNegative, magnitude == Int.min.magnitude { return .min }
    guard let value = Int(exactly: magnitude) else { throw .overflow }
    return isNegative ? -value : value
  }

  private static func greatestCommonDivisor(_ left: UInt, _ right: UInt) -> UInt {
    var (left, right) = (left, right)
    while right != 0 { (left, right) = (right, left % right) }
    return left
  }
}

/// The reason why a calculation has no result.
public enum ArithmeticError: Error, Hashable, Sendable {
  case divisionByZero
  /// An intermediate number does not fit into an `Int`.
  case overflow
}

extension Rational: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.checked { (text: String) in try Rational(text: text) } }

  public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }

  /// Parses the form of ``description``: `7`, `-7` or `7/3`.
  private init(text: String) throws {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
    guard let numerator = parts[0], let denominator = parts.count == 2 ? parts[1] : 1 else { throw NoFraction() }
    try self.init(numerator, over: denominator)
  }

  private struct NoFraction: Error, CustomStringConvertible {
    let description = "It is not a fraction."
  }
}

extension Rational: CustomStringConvertible {
  /// `7`, or `7/3` for a fraction that is not a whole number.
  public var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

extension ArithmeticError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .divisionByZero: "It divides by zero."
    case .overflow: "Its numbers grow too large to be calculated exactly."
    }
  }
}
