/// A query of another host that asks what we ask, until all that it knows has been heard (RFC 6762 §7.2, §7.3).
struct OverheardQuery {
  /// How many are followed on a link.
  static let maximum = 64
  /// Milliseconds in which the rest of it must come.
  static let patience: Int64 = 500

  let source: MulticastSource
  let began: Instant
  /// The questions of ours among its own to which it knows no more answers than we do.
  var questions: [SetKey]
}
