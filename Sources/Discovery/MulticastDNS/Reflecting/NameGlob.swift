import _BonjourishBase

/// A pattern for names: `*` stands for any text and `?` for one character. The case of letters does not matter.
package struct NameGlob: Hashable, Sendable {
  /// The pattern as it was written.
  package let text: String
  private let pattern: Glob

  /// - Parameter text: The pattern; nil is returned if it is empty.
  package init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    self.text = text
    pattern = Glob(text.lowercased())
  }

  func matches(_ label: [UInt8]) -> Bool { pattern.matches(String(decoding: label, as: UTF8.self).lowercased()) }

  /// Whether it matches a host, whose name is given without its domain: with or without `.local`.
  func matches(host name: [UInt8]) -> Bool {
    let text = Array(String(decoding: name, as: UTF8.self).lowercased())
    return pattern.matches(text) || pattern.matches(text + Array(".local"))
  }
}
