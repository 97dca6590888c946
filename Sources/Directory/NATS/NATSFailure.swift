import CNATS

/// A failure of the C library.
struct NATSFailure: Error, Hashable, CustomStringConvertible {
  let status: UInt32
  let reason: String

  /// - Parameters:
  ///   - status: The result of a call.
  ///   - reason: What the library or the server says beside; empty for nothing.
  init(_ status: natsStatus, _ reason: String = "") {
    self.status = status.rawValue
    self.reason =
      switch status {
      case NATS_NO_SERVER: "no server answers there"
      default: reason.isEmpty ? String(cString: natsStatus_GetText(status)) : Self.plain(reason)
      }
  }

  /// The library's words without the place in its sources, such as "(conn.c:2088): ".
  static func plain(_ words: String) -> String {
    guard words.first == "(", let end = words.firstIndex(of: ")"), words[..<end].contains(".c:") else { return words }
    return String(words[words.index(after: end)...].drop { $0 == ":" || $0 == " " })
  }

  var description: String { reason }

  /// Calls a function of the library.
  ///
  /// - Throws: ``NATSFailure`` unless it returns `NATS_OK`, with the library's own words about the last failure on this thread.
  static func check(_ call: () -> natsStatus) throws(NATSFailure) {
    let status = call()
    guard status != NATS_OK else { return }
    var last = NATS_OK
    let words = nats_GetLastError(&last).map { String(cString: $0) } ?? ""
    throw NATSFailure(status, last == status ? words : "")
  }
}
