/// A random number generator with a seed: SplitMix64. The same seed gives the same numbers.
///
/// For repeatable games and tests, not for secrets. The algorithm is that of Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators" (OOPSLA 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The position in the sequence; a generator with this seed continues from here.
  public private(set) var state: UInt64

  /// Starts the sequence of `seed`.
  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
