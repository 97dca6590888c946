/// Why bytes from the network are not a message.
package enum MalformedMessage: Error, Hashable, Sendable {
  /// More bytes than ``RoomMessage/maximumByteCount``, or than one may send who has not been let in.
  case tooLarge
  case notUTF8
  /// Not a JSON object, one without a kind, or one with a number that its field cannot hold.
  case notJSON
  /// A well-formed message of a kind that this version does not know. By the rule of the protocol it is to be ignored.
  case unknownKind
  /// This field is missing, or has a value that it must not have.
  case invalid(field: String)
}

extension MalformedMessage: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLarge: "A message was longer than is allowed."
    case .notUTF8: "A message was not UTF-8."
    case .notJSON: "A message was not usable JSON: it must be an object with a kind."
    case .unknownKind: "A message was of an unknown kind."
    case .invalid(let field): "A message had an unusable or no \(field)."
    }
  }
}

extension RoomReason {
  init(_ malformed: MalformedMessage) {
    self.init(.malformed, malformed.description)
  }
}
