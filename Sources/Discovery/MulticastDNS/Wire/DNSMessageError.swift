/// The reason why a datagram is not a valid message.
package enum DNSMessageError: Error, Hashable, Sendable {
  /// The datagram has more than ``DNSMessage/maximumBytes`` bytes.
  case tooLong(bytes: Int)
  /// The message ends inside the element that begins at `offset`.
  case truncated(offset: Int)
  /// The operation code or the response code is not zero. Such messages are ignored (RFC 6762 §18.3, §18.11).
  case unknownOperation(flags: UInt16)
  /// A label begins with neither a length nor a pointer.
  case badLabel(offset: Int)
}

extension DNSMessageError {
  /// The offset of the element at fault; nil when the whole message is.
  package var offset: Int? {
    switch self {
    case .truncated(let offset), .badLabel(let offset): offset
    case .tooLong, .unknownOperation: nil
    }
  }
}

extension DNSMessageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLong(let bytes): "a message of \(bytes) bytes; at most \(DNSMessage.maximumBytes) are allowed"
    case .truncated(let offset): "the message ends inside the element that begins at byte \(offset)"
    case .unknownOperation(let flags): "the operation code or the response code is not zero: flags \(flags)"
    case .badLabel(let offset): "the name at byte \(offset) has a label without a length"
    }
  }
}
