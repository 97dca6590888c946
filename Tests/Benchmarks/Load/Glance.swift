/// What kind of message a frame holds, found without reading all of it: with many bots in one process to read everything would be
/// most of the work, and be measured as if it were the host's.
enum Glance: String {
  case welcome, round, answer, refused, roundEnded, closed
  case other

  private static let key = Array("\"kind\":\"".utf8)

  init(_ frame: [UInt8]) {
    self = .other
    let quote = UInt8(ascii: "\"")
    // No name can hold a quotation mark that is not escaped, so the first that looks like the key is the key.
    for start in frame.indices where frame[start] == quote && frame[start...].starts(with: Self.key) {
      let kind = frame[(start + Self.key.count)...].prefix { $0 != quote }
      self = Glance(rawValue: String(decoding: kind, as: UTF8.self)) ?? .other
      return
    }
  }
}
