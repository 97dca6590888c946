/// The end of an alternative name that no other host can have by chance.
///
/// After many conflicts, somebody is probably disputing every name that this host asks for. A host that hears of a name can always
/// forge a conflict about it. So the next name ends in 40 random bits, and its records are published as shared ones: others
/// are not asked for it first, and cannot take it away (RFC 6762 §8.1, §9: only unique records are probed for and defended).
package enum RandomSuffix {
  /// The number of conflicts about a name after which it gets a random suffix. Before that, numbers are tried: see
  /// ``AlternativeNumbers``. With these, hundreds of hosts of one name find a number each.
  package static let conflictLimit = 8

  /// Letters and digits that are not mistaken for each other.
  private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")

  /// Eight random characters.
  package static func make(using random: inout some RandomNumberGenerator) -> String {
    String((0..<8).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
  }
}
