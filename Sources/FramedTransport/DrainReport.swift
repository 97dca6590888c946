/// What became of the connections of a listener that was drained.
public struct DrainReport: Hashable, Sendable {
  /// How many ended by themselves.
  public let ended: Int

  /// How many were still there when the time was over, and were aborted.
  public let aborted: Int
}
