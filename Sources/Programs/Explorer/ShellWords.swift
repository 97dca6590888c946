import _BonjourishDiscovery
import _BonjourishTerminal

/// Words of a command line as a POSIX shell reads them (POSIX.1-2024, XCU 2.2). Nothing is expanded.
package enum ShellWords {
  /// The reason why a line is not understood.
  package struct Problem: Error, Hashable, Sendable {
    /// A sentence without capital and full stop.
    package let message: String
  }

  /// The words as one line that a shell takes apart into the same words.
  ///
  /// - Parameter isUnicode: Whether the line may have more than ASCII.
  package static func line(_ words: [String], isUnicode: Bool = true) -> String {
    words.map { quoted($0, isUnicode: isUnicode) }.joined(separator: " ")
  }

  /// The same in few lines, with options beside their values; a shell reads on behind the `\` at the ends of lines.
  ///
  /// - Parameters:
  ///   - columns: The width of a line. What is wider has a wider line.
  ///   - indent: What all lines but the first begin with.
  static func lines(_ words: [String], isUnicode: Bool, columns: Int, indent: String = "    ") -> [String] {
    var (lines, line): ([String], String?) = ([], nil)
    var rest = words[...]
    while let word = rest.popFirst() {
      var part = quoted(word, isUnicode: isUnicode)
      if word.hasPrefix("-"), let value = rest.first, !value.hasPrefix("-") {
        part += " " + quoted(value, isUnicode: isUnicode)
        rest.removeFirst()
      }
      if let begun = line, begun.columns + part.columns + 3 > columns {
        lines.append(begun + " \\")
        line = indent + part
      } else {
        line = line.map { "\($0) \(part)" } ?? part
      }
    }
    return lines + (line.map { [$0] } ?? [])
  }

  /// A word as a shell reads it: in quotation marks if it must be. What a terminal does not show is written as bytes, as in
  /// `$'B\303\274cher'` (XCU 2.2.4), which bash and zsh read, and fish and dash do not.
  ///
  /// - Parameter isUnicode: Whether it may have more than ASCII.
  package static func quoted(_ word: String, isUnicode: Bool = true) -> String {
    // At the beginning, a `=` means the path of a program to zsh, and `%self` a number to fish.
    if let first = word.utf8.first, !"=%".utf8.contains(first), word.utf8.allSatisfy(isPlain) { return word }
    let isShown = word.escapedForDisplay == word && (isUnicode || word.utf8.allSatisfy { $0 < 0x80 })
    guard isShown else { return written(word, isUnicode) }
    // An exclamation mark recalls a line within double quotation marks, in shells at which a person types.
    let isSimple = word.utf8.allSatisfy { !"\"$`\\!".utf8.contains($0) }
    if word.utf8.contains(UInt8(ascii: "'")), isSimple { return "\"\(word)\"" }
    return word.isEmpty ? "''" : pieces(word)
  }

  /// Single quotation marks around all but `'` and `\`, which fish would take for an escape within them.
  private static func pieces(_ word: String) -> String {
    var (line, isOpen) = (String.UnicodeScalarView(), false)
    // Not by characters: a `'` before a combining mark is a part of one, and closes a quotation all the same.
    for scalar in word.unicodeScalars {
      let isOutside = scalar == "'" || scalar == "\\"
      if isOutside == isOpen {
        line.append("'")
        isOpen.toggle()
      }
      if isOutside { line.append("\\") }
      line.append(scalar)
    }
    if isOpen { line.append("'") }
    return String(line)
  }

  private static func written(_ word: String, _ isUnicode: Bool) -> String {
    let scalars = word.unicodeScalars.map { scalar -> String in
      let text = String(Character(scalar))
      let isShown = (isUnicode || scalar.isASCII) && text.escapedForDisplay == text
      // The others may mean something to a shell at which a person types.
      if isShown, !"'\\!".unicodeScalars.contains(scalar) { return text }
      return text.utf8.map { "\\\($0 >> 6)\($0 >> 3 & 7)\($0 & 7)" }.joined()
    }
    return "$'\(scalars.joined())'"
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
      case "$":
        var rest = scalars
        guard rest.next() == "'" else {
          add(scalar)
          break
        }
        scalars = rest
        word = (word ?? "") + (try unwritten(&scalars))
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

  /// Reads the rest of a `$'…'`: bytes in octal digits, and any sign behind a backslash as it is.
  private static func unwritten(_ scalars: inout String.UnicodeScalarView.Iterator) throws(Problem) -> String {
    var bytes: [UInt8] = []
    while let scalar = scalars.next() {
      if scalar == "'" { return String(decoding: bytes, as: UTF8.self) }
      guard scalar == "\\" else {
        bytes += Array(String(Character(scalar)).utf8)
        continue
      }
      var digits = ""
      var rest = scalars
      while digits.count < 3, let digit = rest.next(), ("0"..."7").contains(digit) {
        digits.unicodeScalars.append(digit)
        scalars = rest
      }
      if let number = Int(digits, radix: 8) {
        bytes.append(UInt8(truncatingIfNeeded: number))
      } else if let sign = scalars.next() {
        bytes += Array(String(Character(sign)).utf8)
      }
    }
    throw Problem(message: "a ' is missing")
  }
}
