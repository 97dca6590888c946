/// A message of the exchange between the TLS handshake and the first frame: a kind, a length and a body of fixed size.
package struct IntroductionMessage: Equatable, Sendable {
  package enum Kind: UInt8, CaseIterable, Sendable {
    /// A side's share of CPace.
    case share = 1
    /// The proof that a side has the key of CPace.
    case tag
    /// The passcode was refused, or is missing; the body is a ``Refusal``.
    case refusal
    /// The client's commitment to its part of the comparison code.
    case commitment
    /// The server's part of the comparison code.
    case nonce
    /// The client's part of the comparison code.
    case opening

    /// The size of the body in bytes.
    package var bodySize: Int {
      switch self {
      case .share: CPace.shareSize
      case .tag: CPace.tagSize
      case .refusal: 1
      case .commitment, .nonce, .opening: ComparisonCode.partSize
      }
    }
  }

  /// Why a passcode was refused.
  enum Refusal: UInt8, Sendable {
    case wrong = 1
    case paused
    case required
  }

  static let headerSize = 2

  package let kind: Kind
  package let body: [UInt8]

  package init(_ kind: Kind, _ body: [UInt8]) {
    precondition(body.count == kind.bodySize, "body must have \(kind.bodySize) bytes")
    self.kind = kind
    self.body = body
  }

  init(_ refusal: Refusal) {
    self.init(.refusal, [refusal.rawValue])
  }

  /// The message as it is sent.
  package var encoded: [UInt8] { [kind.rawValue, UInt8(body.count)] + body }

  /// The size of the message that begins with these bytes, `headerSize` of them.
  ///
  /// - Returns: `nil` if no message begins like this.
  static func size(beginning header: [UInt8]) -> Int? {
    guard header.count >= headerSize, let kind = Kind(rawValue: header[0]), Int(header[1]) == kind.bodySize else { return nil }
    return headerSize + kind.bodySize
  }

  /// Reads a whole message; `nil` if it is none.
  package init?(encoded bytes: [UInt8]) {
    guard Self.size(beginning: bytes) == bytes.count, let kind = Kind(rawValue: bytes[0]) else { return nil }
    self.init(kind, Array(bytes.dropFirst(Self.headerSize)))
  }
}
