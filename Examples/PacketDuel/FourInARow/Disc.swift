/// One of the two colours of discs, and whoever plays with it.
package enum Disc: Hashable, Sendable, CaseIterable {
  /// Of the one who begins.
  case first
  case second

  package var opposite: Disc {
    switch self {
    case .first: .second
    case .second: .first
    }
  }
}
