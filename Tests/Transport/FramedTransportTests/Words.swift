import FramedCoding

/// A message for tests: a word, and nothing else. The word `""` cannot be said.
struct Word: Marshallable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  let text: String

  init(_ text: String) { self.text = text }

  init(stringLiteral text: String) { self.text = text }

  init(from reader: inout MessageReader) throws(MessageError) {
    text = try reader.readString()
    guard !text.isEmpty else { throw MessageError(.invalidValue, at: 0, expected: "a word") }
  }

  func write(to writer: inout MessageWriter) throws(MessageError) {
    guard !text.isEmpty else { throw MessageError(.invalidValue, at: 0, expected: "a word") }
    try writer.writeString(text)
  }

  var description: String { text }

  static let codec = MarshallingCodec<Word>()
}
