/// Another host's query with questions that we ask too. Kept until all its known answers have arrived (RFC 6762 §7.2, §7.3).
struct OverheardQuery {
  /// The maximum number on a link.
  static let maximum = 64
  /// The time in which its other datagrams must arrive, in milliseconds.
  static let timeout: Int64 = 500

  let source: MulticastSource
  let began: Instant
  /// The questions that we ask too, and for which the host lists no more known answers than we have.
  var questions: [HashedKey]
}
