/// A pattern for names: `*` stands for any text and `?` for one character. The case of letters does not matter.
package struct NameGlob: Hashable, Sendable {
  /// The pattern as it was written.
  package let text: String
  private let pattern: [Character]

  /// - Parameter text: The pattern; nil is returned if it is empty.
  package init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    self.text = text
    pattern = Array(text.lowercased())
  }

  func matches(_ label: [UInt8]) -> Bool { matches(Array(String(decoding: label, as: UTF8.self).lowercased())) }

  /// Whether it matches a host, whose name is given without its domain: with or without `.local`.
  func matches(host name: [UInt8]) -> Bool {
    let text = Array(String(decoding: name, as: UTF8.self).lowercased())
    return matches(text) || matches(text + Array(".local"))
  }

  /// Goes back to the last `*` only: more would take time that grows with the power of the number of them.
  private func matches(_ text: [Character]) -> Bool {
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
