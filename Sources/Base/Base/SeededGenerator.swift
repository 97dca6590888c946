/// A random number generator that returns the same numbers for the same seed: SplitMix64.
///
/// For jitter, simulations and repeatable tests; not for secrets, nor for the IDs and ports of unicast DNS, which nobody may be able to
/// guess (CVE-2024-52615, CVE-2024-52616). The algorithm is by Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators" (OOPSLA 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the sequence of `seed`.
  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
