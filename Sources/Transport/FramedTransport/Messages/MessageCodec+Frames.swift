import FramedCoding

extension MessageCodec {
  /// Encodes a message that must fit into a frame.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - format: The format of the frame.
  ///   - headerSize: The number of bytes before the message in the frame's body.
  func message(of message: Message, in format: FrameFormat, headerSize: Int = 0) throws(MessagingError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(MessageError) {
      bytes = try encode(message)
    } catch {
      throw .unwritable(error)
    }
    let largest = format.largestBodySize - headerSize
    guard bytes.count <= largest else { throw .tooLarge(bytes.count, permitted: largest) }
    return bytes
  }
}
