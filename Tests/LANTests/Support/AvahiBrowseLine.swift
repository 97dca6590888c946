/// A line of `avahi-browse -p`: fields between semicolons, with everything but letters and digits escaped in names.
struct AvahiBrowseLine {
  enum Event: Character { case appeared = "+", resolved = "=", vanished = "-" }

  let event: Event
  let interface: String
  let family: String
  let name: String
  /// Of a resolved service: host, address and port, as text.
  let place: [String]
  /// Of a resolved service: each string of its TXT record in quotation marks.
  let txt: String

  init?(_ line: String) {
    let fields = line.split(separator: ";", maxSplits: 9, omittingEmptySubsequences: false).map(Self.unescaped)
    guard fields.count == 6 || fields.count == 10, let event = fields[0].first.flatMap(Event.init) else { return nil }
    self.event = event
    (interface, family, name) = (fields[1], fields[2], fields[3])
    place = fields.count == 10 ? Array(fields[6...8]) : []
    txt = fields.count == 10 ? fields[9] : ""
  }

  /// `\DDD` is a byte in decimal digits, a backslash before anything else protects it.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      if let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self)) {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else if let escaped = rest.popFirst() {
        bytes.append(escaped)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
