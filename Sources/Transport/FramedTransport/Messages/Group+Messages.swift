public import FramedCoding

/// Messages to all members of a group. Each is encoded once.
extension Group {
  /// Sends a message to all members, as ``MessageConnection/send(_:)`` does to one peer. Suspends while the log is full.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - codec: The codec that the members' peers decode with.
  /// - Throws: `unwritable` if the codec cannot encode the message, or it is larger than a frame may be; `cancelled` if the
  ///   task is cancelled while it is suspended. The message is not sent then.
  public func broadcast<Codec: MessageCodec>(_ message: Codec.Message, codec: Codec) async throws(MessagingError) {
    try await send(try codec.message(of: message, in: format))
  }

  /// Sends a message to all members, unless the log is full.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - codec: The codec that the members' peers decode with.
  /// - Returns: Whether the message was accepted.
  /// - Throws: `unwritable`.
  public func tryBroadcast<Codec: MessageCodec>(_ message: Codec.Message, codec: Codec) throws(MessagingError) -> Bool {
    try trySend(try codec.message(of: message, in: format))
  }

  /// Sends a notification to all members, as ``RequestConnection/notify(_:)`` does to one peer. Suspends while the log is full.
  ///
  /// The members must use ``Connection/withRequests(_:replies:limits:answering:streaming:notified:unreadable:_:)``.
  ///
  /// - Parameters:
  ///   - notification: The notification.
  ///   - codec: The codec of the members' requests.
  /// - Throws: `unwritable` if the codec cannot encode the notification, or it is larger than a frame may be; `cancelled` if the
  ///   task is cancelled while it is suspended. No member is notified then.
  public func notify<Codec: MessageCodec>(_ notification: Codec.Message, codec: Codec) async throws(MessagingError) {
    try await send(try notificationBody(notification, codec))
  }

  /// Sends a notification to all members, which must use requests, unless the log is full.
  ///
  /// - Parameters:
  ///   - notification: The notification.
  ///   - codec: The codec of the members' requests.
  /// - Returns: Whether the notification was accepted.
  /// - Throws: `unwritable`.
  public func tryNotify<Codec: MessageCodec>(_ notification: Codec.Message, codec: Codec) throws(MessagingError) -> Bool {
    try trySend(try notificationBody(notification, codec))
  }

  private func notificationBody<Codec: MessageCodec>(
    _ notification: Codec.Message, _ codec: Codec
  ) throws(MessagingError) -> [UInt8] {
    let message = try codec.message(of: notification, in: format, headerSize: RequestFrame.notificationHeaderSize)
    return RequestFrame.notification(message).encoded
  }

  private func send(_ body: [UInt8]) async throws(MessagingError) {
    do throws(TransportError) {
      try await broadcast(body)
    } catch {
      throw MessagingError(error, "Sending a message to a group")
    }
  }

  private func trySend(_ body: [UInt8]) throws(MessagingError) -> Bool {
    do throws(TransportError) {
      return try tryBroadcast(body)
    } catch {
      throw MessagingError(error, "Sending a message to a group")
    }
  }
}
