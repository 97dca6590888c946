/// A pattern for names: `*` stands for any text and `?` for one character.
package struct Glob: Hashable, Sendable {
  private let pattern: [Character]

  package init(_ pattern: String) { self.pattern = Array(pattern) }

  package func matches(_ text: String) -> Bool { matches(Array(text)) }

  /// Goes back to the last `*` only, so that the time is at most the product of the lengths.
  package func matches(_ text: [Character]) -> Bool {
    var (place, next) = (0, 0)
    var star: (next: Int, place: Int)?
    while place < text.count {
      if next < pattern.count, pattern[next] == "*" {
        star = (next + 1, place)
        next += 1
      } else if next < pattern.count, pattern[next] == "?" || pattern[next] == text[place] {
        next += 1
        place += 1
      } else if let last = star {
        star = (last.next, last.place + 1)
        (next, place) = (last.next, last.place + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == "*" }
  }
}
