/// The result of ``Listener/drain(within:)``.
public struct DrainReport: Hashable, Sendable {
  /// The number of connections that ended by themselves.
  public let ended: Int

  /// The number of connections that were still open at the limit and were aborted.
  public let aborted: Int
}
