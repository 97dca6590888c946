import _BonjourishBase

/// A random number generator: the same seed gives the same numbers. Not for secrets.
public struct SeededNumbers: RandomNumberGenerator, Sendable {
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  /// The next random number.
  public mutating func next() -> UInt64 { generator.next() }
}

extension Option where Value == SeededNumbers {
  /// The option `--seed N`; without it, the seed is random.
  public static var seed: Self {
    let seed = ValueFormat("a whole number of at least 0") { text in
      Int(text).flatMap { UInt64(exactly: $0) }.map { SeededNumbers(seed: $0) }
    }
    return .optional(
      "seed", "N", seed, default: SeededNumbers(seed: .random(in: 0...UInt64.max)),
      "the seed of all random choices; the same seed repeats them")
  }
}
