package import FuzzCases

/// A room with a passcode; people who come, are cut off and come back; and somebody who repeats, changes and invents what they say.
///
/// The first byte is how the room is made; then each byte is what happens next, and the one behind it to whom.
package enum RoomCase {
  /// Enough for some people to come and come back; more would repeat the same.
  private static let mostSteps = 96

  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    guard let settings = bytes.first else { return }
    var evening = try HostileEvening(settings)
    var rest = bytes.dropFirst()
    for _ in 0..<mostSteps {
      guard let kind = rest.popFirst() else { return }
      try evening.step(kind, rest.popFirst() ?? 0, &rest)
    }
  }
}
