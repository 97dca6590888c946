/// SplitMix64: the same seed gives the same numbers, so that what failed can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package mutating func bytes(count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }

  package mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in so many times.
  package mutating func once(in count: Int) -> Bool { number(in: 0..<count) == 0 }
}
