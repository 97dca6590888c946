/// Why bytes from the network are no message.
package enum DNSMessageError: Error, Hashable, Sendable {
  /// More than ``DNSMessage/maximumBytes``.
  case tooLong(bytes: Int)
  /// The bytes end within what begins at `offset`.
  case truncated(offset: Int)
  /// An operation or a response code other than zero: to be ignored (RFC 6762 §18.3, §18.11).
  case unknownOperation(flags: UInt16)
  /// A pointer in a name that does not lead to bytes before the name (RFC 1035 §4.1.4).
  case badPointer(offset: Int)
  /// A label that begins with neither a length nor a pointer.
  case badLabel(offset: Int)
  /// A label that is not UTF-8 (RFC 6762 §16).
  case labelNotText(offset: Int)
  case nameTooLong(offset: Int)
  /// The data of the record at `offset` do not take the length that it tells.
  case badDataLength(offset: Int)
}

extension DNSMessageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLong(let bytes): "a message of \(bytes) bytes; at most \(DNSMessage.maximumBytes) are allowed"
    case .truncated(let offset): "the message ends within what begins at byte \(offset)"
    case .unknownOperation(let flags): "neither a query nor a response without error: flags \(flags)"
    case .badPointer(let offset): "the name at byte \(offset) has a pointer that does not lead back"
    case .badLabel(let offset): "the name at byte \(offset) has a label without a length"
    case .labelNotText(let offset): "the name at byte \(offset) has a label that is not UTF-8"
    case .nameTooLong(let offset): "the name at byte \(offset) takes more than \(DNSName.maximumBytes) bytes"
    case .badDataLength(let offset): "the data of the record at byte \(offset) do not have the length it tells"
    }
  }
}
