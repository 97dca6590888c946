import Foundation

/// A text that is too long to stand in a test, in a file of `Tests/Transcripts`: all that a program can say of something, or draw at all
/// sizes. Whoever changes what people read sees in the file what has changed.
package struct Transcript {
  private let file: URL

  /// - Parameter name: The name of the file, without its ending.
  package init(_ name: String) {
    file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Transcripts/\(name).txt").standardized
  }

  /// Where a text differs first from what is kept.
  package struct Difference: Error, CustomStringConvertible {
    package let description: String
  }

  /// Compares a text with the file. With `TRANSCRIPTS=write` in the environment, the file gets the text.
  ///
  /// - Throws: ``Difference``.
  package func compare(_ text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      // No editor keeps spaces at the end.
      String(line.reversed().drop { $0 == " " }.reversed())
    }
    if ProcessInfo.processInfo.environment["TRANSCRIPTS"] == "write" {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    }
    let kept = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
    func line(_ place: Int, of lines: [String]) -> String { place < lines.count ? "'\(lines[place])'" : "the end" }
    let places = 0..<max(lines.count, kept.count)
    guard let place = places.first(where: { line($0, of: kept) != line($0, of: lines) }) else { return }
    let (former, new) = (line(place, of: kept), line(place, of: lines))
    throw Difference(description: "\(file.lastPathComponent), line \(place + 1): \(former) became \(new)")
  }
}
