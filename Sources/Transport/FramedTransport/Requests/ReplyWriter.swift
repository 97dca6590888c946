public import FramedCoding

/// Sends the items of a streaming reply, for a handler of requests.
///
/// When the handler returns, the stream ends. When it throws, the peer receives the items before the error.
public struct ReplyWriter<ReplyCodec: MessageCodec>: Sendable {
  let core: RequestCore
  let number: UInt64
  let replies: ReplyCodec

  /// Sends an item. Suspends while the peer has taken too few items, or too much waits to be sent on the connection.
  ///
  /// Only one task at a time may send.
  ///
  /// - Throws: `cancelled` if the peer needs no more items, or the handler is done; `disconnected`; `unwritable`.
  public func send(_ reply: ReplyCodec.Message) async throws(MessagingError) {
    // Encoded behind the header, so that a large item is copied once.
    var body = RequestFrame.startOfItem(number)
    do throws(MessageError) {
      try replies.encode(reply, into: &body)
    } catch {
      throw .unwritable(error)
    }
    let largest = core.connection.format.largestBodySize
    guard body.count <= largest else {
      throw .tooLarge(body.count - RequestFrame.headerSize, permitted: largest - RequestFrame.headerSize)
    }
    try await core.sendItem(body, of: number)
  }
}
