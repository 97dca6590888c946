/// What was done with the mouse, as terminals report it in xterm's modes 1000 and 1006.
public struct Mouse: Hashable, Sendable {
  /// The kind of event.
  public enum Action: Hashable, Sendable {
    /// A button was pressed or let go.
    case press, release
    /// The wheel was turned by one notch.
    case wheelUp, wheelDown
  }

  /// What was done.
  public let action: Action
  /// The button: 0 left, 1 middle, 2 right; 0 for the wheel.
  public let button: Int
  /// Where, from the top left corner of the screen.
  public let position: Canvas.Position

  /// Makes an event.
  public init(_ action: Action, button: Int = 0, at position: Canvas.Position) {
    self.action = action
    self.button = button
    self.position = position
  }

  /// Reads the parameters of a report, `<` button `;` column `;` row, whose last byte is `M`, or `m` if a button was let go.
  ///
  /// - Returns: nil for anything else, and for movements, which are not asked for.
  init?(final: UInt8, parameters: [UInt8]) {
    guard parameters.first == UInt8(ascii: "<") else { return nil }
    let numbers = parameters.dropFirst().split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == 3, let code = numbers[0], let column = numbers[1], let row = numbers[2], code >= 0,
      (1...Self.farthest).contains(column), (1...Self.farthest).contains(row)
    else { return nil }
    // Shift 4, Alt 8 and Control 16 may be held meanwhile.
    switch code & ~0b1_1100 {
    case 0, 1, 2:
      action = final == UInt8(ascii: "M") ? .press : .release
      button = code & 3
    case 64 where final == UInt8(ascii: "M"): (action, button) = (.wheelUp, 0)
    case 65 where final == UInt8(ascii: "M"): (action, button) = (.wheelDown, 0)
    default: return nil
    }
    position = Canvas.Position(row: row - 1, column: column - 1)
  }

  /// The largest coordinate that is believed.
  private static let farthest = 10_000
}
