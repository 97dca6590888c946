package import _BonjourishBase

extension SeededGenerator {
  package mutating func bytes(count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }

  package mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Returns true once in `count` times, on average.
  package mutating func once(in count: Int) -> Bool { number(in: 0..<count) == 0 }
}
