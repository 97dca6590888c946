#if Avahi
/// Decides how long to wait for a daemon that chooses names for the host. A value without I/O.
///
/// Usually that takes two seconds. But a daemon whose host has an address that another host has too takes one name after the other,
/// each for a moment, and publishes nothing for good. The times are since an origin that the owner chooses.
struct NamingLimit {
  enum Verdict: Hashable {
    /// The daemon is of no use for the time being.
    case exhausted
    /// The daemon has a name again, and has kept it.
    case restored
  }

  /// The time for which the daemon may choose names.
  static let limit: Duration = .seconds(20)
  /// The time for which it must keep a name.
  static let calm: Duration = .seconds(5)

  /// When the daemon began to choose; nil while it has a name.
  private var namingSince: Duration?
  /// When it took the name that it has; nil while it has none.
  private var namedSince: Duration?
  /// Whether the last verdict was ``Verdict/exhausted``.
  private(set) var isExhausted = false

  /// The time at which ``advance(to:)`` is next needed; nil for none.
  var nextDeadline: Duration? {
    guard let namingSince else { return nil }
    if let namedSince { return namedSince + Self.calm }
    return isExhausted ? nil : namingSince + Self.limit
  }

  /// Notes that the daemon has a name, or chooses one.
  mutating func note(hasName: Bool, at now: Duration) -> Verdict? {
    if !hasName {
      namingSince = namingSince ?? now
      namedSince = nil
    } else if namingSince != nil {
      namedSince = namedSince ?? now
    }
    return advance(to: now)
  }

  /// Handles a deadline that has passed.
  mutating func advance(to now: Duration) -> Verdict? {
    guard let nextDeadline, nextDeadline <= now else { return nil }
    if namedSince == nil {
      isExhausted = true
      return .exhausted
    }
    let wasExhausted = isExhausted
    self = NamingLimit()
    return wasExhausted ? .restored : nil
  }
}
#endif
