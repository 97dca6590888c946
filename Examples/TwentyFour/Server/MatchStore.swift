public import FramedSecurity

/// Where the servers of a group keep their running matches: values that exactly one server at a time owns.
///
/// The product `BonjourishDirectory` has one, `OwnedValues`; the module of servers needs nothing of it.
public protocol MatchStore: Sendable {
  /// Creates or replaces a value of this server.
  func put(_ name: String, _ bytes: [UInt8], version: UInt64) throws
  func remove(_ name: String)
  /// Takes an orphan that was offered.
  func take(_ name: String)
  /// Leaves an orphan that was offered to others. It is offered again when it has changed.
  func ignore(_ name: String)
  /// Offers an orphan again that was ignored, if it still is one.
  func reconsider(_ name: String)
  /// Gives a value of this server up, so that others may take it.
  func release(_ name: String)
  /// The next change; nil at the end, or when the task is cancelled.
  func nextChange() async -> MatchStoreChange?
}

/// What has happened to a value, as `OwnedValues.Change`.
public enum MatchStoreChange: Hashable, Sendable {
  /// It is this server's, and the store has this version; 0 for one that was just taken.
  case owned(String, stored: UInt64)
  /// Another server may own it now.
  case doubtful(String)
  /// Another server owns it, or it is gone.
  case lost(String)
  case failed(String, reason: String)
  /// Its owner is gone.
  case orphaned(String, [UInt8])
}

/// The group of a server: others that have the same key, and go on with its matches when it is gone.
public struct MatchGroup: Sendable {
  /// Where the matches are kept.
  public var store: any MatchStore
  /// What they are encrypted with, the same at all servers of the group.
  public var key: SealingKey
  /// Called with what an administrator should know. It must not block.
  public var tell: @Sendable (Event) -> Void = { _ in }

  /// What happens to a match.
  public enum Event: Hashable, Sendable {
    /// This server goes on with a match of another.
    case adopted(String)
    /// Another server may have the match, so it is suspended here.
    case suspended(String)
    /// Nobody has taken the match meanwhile: it goes on here.
    case resumed(String)
    /// Another server goes on with the match.
    case lost(String)
    /// This server cannot go on with the match, and leaves it to others.
    case released(String)
    /// A value cannot be used: it has another key, is older than one that was seen, or damaged.
    case unusable(String, reason: String)
  }

  /// Makes a group.
  ///
  /// - Parameters:
  ///   - store: Where the matches are kept.
  ///   - identity: The key of the host, the same at all servers of the group.
  /// - Throws: As `SealingKey.init(of:for:)`.
  public init(_ store: any MatchStore, _ identity: Identity) throws {
    self.store = store
    key = try SealingKey(of: identity, for: "matches of TwentyFour")
  }
}
