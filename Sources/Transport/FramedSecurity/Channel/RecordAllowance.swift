/// How many records without application data a peer may send after the handshake: for new keys and, from a server, tickets.
///
/// A request for new keys costs the receiver more than the sender who has prepared it, and delivers nothing. Programs change keys after
/// millions of records (RFC 8446, section 5.5), and servers send two to four tickets.
struct RecordAllowance {
  /// The number at first, and the most that are saved up.
  static let most = 16

  /// The number of bytes of data for which there is one more: four for each MiB.
  static let bytesOfRecord = 256 * 1024

  private var left = most
  private var byteCount = 0

  /// Whether more came than were permitted. It stays so.
  var isExceeded: Bool { left < 0 }

  /// Counts application data.
  mutating func receive(_ count: Int) {
    guard left >= 0, left < Self.most else { return }
    byteCount += count
    left = min(Self.most, left + byteCount / Self.bytesOfRecord)
    byteCount %= Self.bytesOfRecord
  }

  /// Counts a record without data.
  mutating func take() { if left >= 0 { left -= 1 } }
}
