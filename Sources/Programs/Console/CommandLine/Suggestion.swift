/// Finds the word that somebody may have meant.
public enum Suggestion {
  /// The words that are most like a mistyped one: those that it begins, otherwise those with the smallest number of typing errors,
  /// two at most.
  static func words(like word: String, among words: [String]) -> [String] {
    let begun = words.filter { !word.isEmpty && $0.hasPrefix(word) }
    guard begun.isEmpty else { return begun }
    let rated = words.map { (word: $0, distance: distance(from: word, to: $0)) }
    guard let least = rated.map(\.distance).min(), least <= 2, least < word.count else { return [] }
    return rated.filter { $0.distance == least }.map(\.word)
  }

  /// The question at the end of an error, such as "; did you mean --json?"; empty if no word is like this one.
  ///
  /// - Parameters:
  ///   - word: The mistyped word.
  ///   - words: The words that may have been meant.
  public static func question(for word: String, among words: [String]) -> String {
    let meant = Self.words(like: word, among: words)
    return meant.isEmpty ? "" : "; did you mean \(alternatives(meant))?"
  }

  /// Words in a sentence, such as "bash, fish or zsh".
  static func alternatives(_ words: [String]) -> String {
    guard words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) or \(words[words.count - 1])"
  }

  /// The number of typing errors between two words: missing, additional and wrong characters, and exchanged neighbours (optimal
  /// string alignment).
  static func distance(from one: String, to other: String) -> Int {
    let (one, other) = (Array(one), Array(other))
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, character) in one.enumerated() {
      var current = [row + 1]
      for (column, candidate) in other.enumerated() {
        var least = min(last[column + 1] + 1, current[column] + 1, last[column] + (character == candidate ? 0 : 1))
        if row > 0, column > 0, character == other[column - 1], one[row - 1] == candidate {
          least = min(least, beforeLast[column - 1] + 1)
        }
        current.append(least)
      }
      (beforeLast, last) = (last, current)
    }
    return last[other.count]
  }
}
