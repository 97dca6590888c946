/// One of the two worlds that a combination shows as one.
package enum CombinedSide: Hashable, Sendable, CaseIterable {
  /// The local network.
  case local
  case directory

  package var other: CombinedSide { self == .local ? .directory : .local }
}
