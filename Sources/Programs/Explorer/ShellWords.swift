/// Words of a command line as a POSIX shell reads them (XCU 2.2). Nothing is expanded.
package enum ShellWords {
  /// The reason why a line is not understood.
  package struct Problem: Error, Hashable, Sendable {
    /// A sentence without capital and full stop.
    package let message: String
  }

  /// The words as one line that a shell takes apart into the same words.
  package static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

  /// A word as a shell reads it: in quotation marks if it must be.
  package static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
    // An exclamation mark recalls a line within double quotation marks, in shells at which a person types.
    let isSimple = word.utf8.allSatisfy { !"\"$`\\!".utf8.contains($0) }
    if word.utf8.contains(UInt8(ascii: "'")), isSimple { return "\"\(word)\"" }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "_-./:,+@%=".utf8.contains(byte)
    }
  }

  /// Takes a line apart.
  ///
  /// - Throws: ``Problem`` if a quotation mark is not closed, or nothing follows a backslash.
  package static func words(of line: String) throws(Problem) -> [String] {
    var words: [String] = []
    var word: String?
    var scalars = line.unicodeScalars.makeIterator()
    func add(_ scalar: Unicode.Scalar) { word = (word ?? "") + String(Character(scalar)) }
    while let scalar = scalars.next() {
      switch scalar {
      case " ", "\t", "\n":
        if let complete = word { words.append(complete) }
        word = nil
      case "'":
        word = word ?? ""
        while true {
          guard let next = scalars.next() else { throw Problem(message: "a ' is missing") }
          if next == "'" { break }
          add(next)
        }
      case "\"":
        word = word ?? ""
        while true {
          guard var next = scalars.next() else { throw Problem(message: "a \" is missing") }
          if next == "\"" { break }
          if next == "\\" {
            guard let escaped = scalars.next() else { throw Problem(message: "a \" is missing") }
            if !"\"\\$`".unicodeScalars.contains(escaped) { add("\\") }
            next = escaped
          }
          add(next)
        }
      case "\\":
        guard let next = scalars.next() else { throw Problem(message: "nothing follows the \\ at the end") }
        add(next)
      default: add(scalar)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}
