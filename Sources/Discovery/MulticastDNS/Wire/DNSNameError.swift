/// The reason why labels or a text are not a valid name.
package enum DNSNameError: Error, Hashable, Sendable {
  case emptyLabel
  case labelTooLong(bytes: Int)
  case tooLong(bytes: Int)
  /// A backslash is not followed by a character or by three digits up to 255.
  case badEscape
}

extension DNSNameError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .emptyLabel: "a label of the name is empty; write it like host.local"
    case .labelTooLong(let bytes): "a label has \(bytes) bytes; at most \(DNSName.maximumLabelBytes) are allowed"
    case .tooLong(let bytes): "the name needs \(bytes) bytes; at most \(DNSName.maximumBytes) are allowed"
    case .badEscape: "a backslash is not followed by a character or by three digits up to 255"
    }
  }
}
