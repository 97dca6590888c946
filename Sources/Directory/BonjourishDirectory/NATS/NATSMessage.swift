import CBonjourishNATS
import _BonjourishDirectoryProtocol

/// A message of the library, which this object owns and frees.
///
/// Sendable: the library hands a message to one callback, and nothing else refers to it then; the object reads it once and frees it.
final class NATSMessage: @unchecked Sendable {
  private let pointer: OpaquePointer

  /// Takes a message over from the library.
  ///
  /// - Returns: Nil for none.
  init?(_ pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  deinit { natsMsg_Destroy(pointer) }

  /// A copy of what the directory needs. Nothing about it is trusted: lengths are bounded, and text is repaired to UTF-8.
  ///
  /// - Parameter maximumByteCount: The largest data that are copied.
  func value(maximumByteCount: Int) -> DirectoryMessage {
    var message = DirectoryMessage(
      subject: Self.text(natsMsg_GetSubject(pointer)), reply: Self.text(natsMsg_GetReply(pointer)),
      status: header("Status").flatMap { Int($0) })
    if natsMsg_IsNoResponders(pointer) { message.status = 503 }
    for name in DirectoryMessage.readHeaders { message.headers[name] = header(name) }
    let count = Int(natsMsg_GetDataLength(pointer))
    if count > maximumByteCount {
      message.isOversized = true
    } else if count > 0, let data = natsMsg_GetData(pointer) {
      message.data = Array(UnsafeRawBufferPointer(start: data, count: count))
    }
    return message
  }

  /// The number of bytes of data.
  var count: Int { Int(natsMsg_GetDataLength(pointer)) }

  /// Shows the data where they are.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: natsMsg_GetData(pointer), count: count))
  }

  /// The header of a relayed connection's message; nil for anything else.
  var relayHeader: RelayMessage? {
    withBytes { RelayMessage(reading: Span(_unsafeBytes: $0)) }
  }

  /// Whether the server tells that nobody listens to a subject.
  var saysNobodyListens: Bool { natsMsg_IsNoResponders(pointer) }

  /// The last token of the subject.
  var lastToken: Substring? {
    let subject = Self.text(natsMsg_GetSubject(pointer))
    return subject.lastIndex(of: ".").map { subject[subject.index(after: $0)...] }
  }

  private func header(_ name: String) -> String? {
    var value: UnsafePointer<CChar>?
    guard natsMsgHeader_Get(pointer, name, &value) == NATS_OK, let value else { return nil }
    return String(cString: value)
  }

  private static func text(_ string: UnsafePointer<CChar>?) -> String { string.map { String(cString: $0) } ?? "" }
}
