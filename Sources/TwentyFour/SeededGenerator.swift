/// A random number generator that gives the same numbers for the same seed: SplitMix64.
///
/// Made for repeatable games and tests, not for secrets. The algorithm is that of Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators" (OOPSLA 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// Where the sequence is: it goes on from here in a generator with this seed.
  package private(set) var state: UInt64

  /// Starts the sequence that belongs to `seed`.
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
