/// A message between the two ends of a relayed connection: a header of fixed size, and for `data` the bytes after it.
///
/// | bytes | are |
/// | --- | --- |
/// | 0 | the version, 1 |
/// | 1 | the kind; 128 is added by the side that has dialled |
/// | 2 | flags |
/// | 3 | the reason of a `reset`, else 0 |
/// | 4–19 | the identity of the connection |
/// | 20–27 | `offset`: where in the stream the bytes are, or its end is |
/// | 28–35 | `acknowledged`: how much has been received |
/// | 36–43 | `limit`: how far the other side may send |
/// | 44–59 | the sender's address, in `dial` and `accept` only |
///
/// Numbers are in network order. Offsets count from 0; the end of a stream counts as one more byte in `acknowledged`.
package struct RelayMessage: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// Asks for a connection; `offset` is the owner in the record.
    case dial = 1
    case accept = 2
    /// Bytes, or none: then it only acknowledges.
    case data = 3
    /// The end of the stream.
    case finish = 4
    /// The connection is broken.
    case reset = 5
  }

  /// Why a connection was broken.
  package enum Reason: UInt8, Sendable {
    /// Nobody accepts connections there, or not now.
    case refused = 1
    /// The program has ended the connection, or there is none (any more).
    case reset = 2
    /// The other side was silent for too long.
    case silent = 3
  }

  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The receiver is to answer at once.
    package static let wantsAnswer = Flags(rawValue: 1)
    /// Bytes before those that came are missing.
    package static let hasGap = Flags(rawValue: 2)
  }

  package static let version: UInt8 = 1
  package static let headerSize = 44
  package static let longHeaderSize = headerSize + RelayNumber.byteCount
  /// The most bytes of the stream in one message. With the header it is far below what a server of NATS takes (1 MiB).
  package static let maximumPayload = 32 * 1024

  package var kind: Kind
  package var isFromDialer: Bool
  package var flags: Flags
  package var reason: Reason?
  package var connection: RelayNumber
  package var offset: UInt64
  package var acknowledged: UInt64
  package var limit: UInt64
  package var address: RelayNumber?

  package init(
    _ kind: Kind, isFromDialer: Bool, of connection: RelayNumber, flags: Flags = [], reason: Reason? = nil, offset: UInt64 = 0,
    acknowledged: UInt64 = 0, limit: UInt64 = 0, address: RelayNumber? = nil
  ) {
    self.kind = kind
    self.isFromDialer = isFromDialer
    self.flags = flags
    self.reason = reason
    self.connection = connection
    self.offset = offset
    self.acknowledged = acknowledged
    self.limit = limit
    self.address = address
  }

  /// The size of the header in bytes; what follows are bytes of the stream.
  package var size: Int { kind == .dial || kind == .accept ? Self.longHeaderSize : Self.headerSize }

  /// The header.
  ///
  /// - Parameter room: How many bytes of the stream will be appended.
  package func bytes(withRoomFor room: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: size + room) { output in
      output.append(Self.version)
      output.append(kind.rawValue | (isFromDialer ? 0x80 : 0))
      output.append(flags.rawValue)
      output.append(reason?.rawValue ?? 0)
      for number in [connection.high, connection.low, offset, acknowledged, limit] { output.append(number) }
      guard size == Self.longHeaderSize else { return }
      output.append(address?.high ?? 0)
      output.append(address?.low ?? 0)
    }
    return bytes
  }

  /// Reads a header.
  ///
  /// - Parameter bytes: The whole message.
  /// - Returns: Nil for anything that breaks the format.
  package init?(reading bytes: Span<UInt8>) {
    guard bytes.count >= Self.headerSize, bytes[0] == Self.version, let kind = Kind(rawValue: bytes[1] & 0x7F) else {
      return nil
    }
    self.init(
      kind, isFromDialer: bytes[1] & 0x80 != 0, of: RelayNumber(high: bytes.number(at: 4), low: bytes.number(at: 12)),
      flags: Flags(rawValue: bytes[2]), reason: Reason(rawValue: bytes[3]), offset: bytes.number(at: 20),
      acknowledged: bytes.number(at: 28), limit: bytes.number(at: 36))
    if size == Self.longHeaderSize {
      guard bytes.count == Self.longHeaderSize else { return nil }
      address = RelayNumber(high: bytes.number(at: 44), low: bytes.number(at: 52))
    } else {
      guard bytes.count - size <= (kind == .data ? Self.maximumPayload : 0) else { return nil }
    }
    guard (kind == .reset) == (reason != nil), bytes[3] == (reason?.rawValue ?? 0) else { return nil }
  }
}

extension OutputSpan<UInt8> {
  /// Appends a number in network order.
  fileprivate mutating func append(_ number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }
}

extension Span<UInt8> {
  /// The number of eight bytes in network order at a place.
  fileprivate func number(at start: Int) -> UInt64 {
    var number: UInt64 = 0
    for place in start..<(start + 8) { number = number << 8 | UInt64(self[place]) }
    return number
  }
}
