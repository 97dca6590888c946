/// Chooses the numbers of alternative names after conflicts: "Printer #2", "printer-2".
///
/// The first ones are tried in order, as people expect. After more conflicts there are probably many hosts with one name, such as
/// machines made from one image. Then the steps are random, from a range that is four times as long after each conflict, so that
/// the hosts soon try different names. RFC 6762 §9 leaves the choice to the host.
package struct AlternativeNumbers: Sendable {
  /// The number of conflicts after which the next number is tried.
  private static let conflictsInOrder = 4
  /// The longest random step of all.
  private static let longestStep = 1024

  /// The number of conflicts so far, at most ``conflictsInOrder``.
  private var conflicts = 0
  /// The longest random step after the next conflict.
  private var nextLongestStep = 16

  package init() {}

  /// The difference between the number of the taken name and the next number to try; at least 1.
  package mutating func nextStep(using random: inout some RandomNumberGenerator) -> Int {
    guard conflicts == Self.conflictsInOrder else {
      conflicts += 1
      return 1
    }
    defer { nextLongestStep = min(4 * nextLongestStep, Self.longestStep) }
    return .random(in: 1...nextLongestStep, using: &random)
  }
}
