/// The assignments of a file such as avahi-daemon.conf(5): `[group]` lines, each followed by lines of the form `key=value`.
///
/// Blanks around a key and a value do not count. Lines that begin with `#` or `%` are comments.
struct SettingsFile {
  /// One assignment.
  struct Entry: Hashable {
    /// The group's name in lower case.
    let group: String
    /// The key in lower case.
    let key: String
    let value: String
    let line: Int
  }

  /// The longest line, in bytes, as avahi-daemon reads it; it takes a longer one for two.
  static let maximumLineByteCount = 1_022

  let entries: [Entry]

  /// Splits a file.
  ///
  /// - Throws: ``SettingsError`` for a line that is no comment, group or assignment, is too long, or is not UTF-8.
  init(_ bytes: some Collection<UInt8>, path: String) throws(SettingsError) {
    var entries: [Entry] = []
    var group: String?
    for (index, bytes) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let line = index + 1
      func wrong(_ reason: String) -> SettingsError { SettingsError(path, line: line, reason) }
      guard bytes.count <= Self.maximumLineByteCount else {
        throw wrong("the line has more than \(Self.maximumLineByteCount) bytes; make it shorter")
      }
      guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
        throw wrong("the line is not text in UTF-8")
      }
      let content = text.trimmed
      guard let first = content.first, first != "#", first != "%" else { continue }
      if first == "[" {
        guard let end = content.firstIndex(of: "]") else {
          throw wrong("the group's name has no closing bracket; write [server]")
        }
        group = content[..<end].dropFirst().lowercased()
        continue
      }
      guard let equals = content.firstIndex(of: "=") else { throw wrong("\"\(content)\" is no assignment; write key=value") }
      guard let group else { throw wrong("\"\(content)\" stands before the first group; write [server] in front of it") }
      let key = content[..<equals].trimmed.lowercased()
      entries.append(Entry(group: group, key: key, value: String(content[equals...].dropFirst().trimmed), line: line))
    }
    self.entries = entries
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The text without blanks, tabs and carriage returns at both ends.
  var trimmed: Substring {
    func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" || character.isNewline }
    let start = drop(while: isBlank)
    guard let last = start.lastIndex(where: { !isBlank($0) }) else { return start.prefix(0) }
    return start[...last]
  }

  /// The parts between commas, without blanks around them; empty parts are left out.
  var commaSeparated: [String] { split(separator: ",").map { String($0.trimmed) }.filter { !$0.isEmpty } }
}
