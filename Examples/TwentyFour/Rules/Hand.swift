/// The four numbers of a round, in the order of dealing.
///
/// Hands with the same numbers in another order are different hands; compare ``sorted`` to find out whether they pose the same
/// task.
public struct Hand: Hashable, Sendable {
  /// The count of numbers in a hand.
  public static let size = 4

  /// The numbers as dealt, always ``size`` of them.
  public let digits: [Digit]

  /// Makes a hand of four digits.
  public init(_ first: Digit, _ second: Digit, _ third: Digit, _ fourth: Digit) {
    digits = [first, second, third, fourth]
  }

  /// Makes a hand of four numbers from 1 to 9.
  ///
  /// - Throws: ``Invalid`` if there are not four numbers, or one is not in 1...9.
  public init(_ numbers: some Collection<Int>) throws(Invalid) {
    guard numbers.count == Hand.size else { throw .count(numbers.count) }
    var digits: [Digit] = []
    for number in numbers {
      guard let digit = Digit(rawValue: number) else { throw .notADigit(number) }
      digits.append(digit)
    }
    self.digits = digits
  }

  /// Draws four digits, all equally likely; not every such hand can be solved.
  init(drawnWith generator: inout some RandomNumberGenerator) {
    digits = (0..<Hand.size).map { _ in Digit.allCases.randomElement(using: &generator)! }
  }

  /// The numbers in ascending order, independent of the order of dealing.
  public var sorted: [Digit] { digits.sorted() }

  /// The numbers as dealt, as integers.
  public var numbers: [Int] { digits.map(\.rawValue) }

  /// Deals a hand that can be solved.
  ///
  /// Draws four digits, all equally likely, until they can be solved: five draws in six can.
  public static func random(using generator: inout some RandomNumberGenerator) -> Hand {
    random(difficulty: nil, using: &generator)
  }
}

extension Hand: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.checked { (numbers: [Int]) in try Hand(numbers) } }

  public func encode(to encoder: any Encoder) throws { try numbers.encode(to: encoder) }
}

extension Hand {
  /// The reason why some numbers are not a hand.
  public enum Invalid: Error, Hashable, Sendable {
    /// This count of numbers instead of four.
    case count(Int)
    /// This number is not in 1...9.
    case notADigit(Int)
  }
}

extension Hand: CustomStringConvertible {
  public var description: String { digits.map(\.description).joined(separator: " ") }
}

extension Hand.Invalid: CustomStringConvertible {
  public var description: String {
    switch self {
    case .count(let count): "A hand has four numbers, not \(count)."
    case .notADigit(let number): "A hand has numbers from 1 to 9, not \(number)."
    }
  }
}
