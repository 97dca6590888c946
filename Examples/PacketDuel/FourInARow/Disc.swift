/// One of the two colours of discs, and the player who has it.
public enum Disc: Hashable, Sendable, CaseIterable {
  /// The disc of the player who begins.
  case first
  case second

  public var opposite: Disc {
    switch self {
    case .first: .second
    case .second: .first
    }
  }
}
