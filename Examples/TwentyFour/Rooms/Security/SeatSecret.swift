import SecureTransport

/// The secret of a player's seat, on the host.
///
/// The player gets it over an encrypted connection, and never sends it: whoever comes back proves it with a ``SeatClaim``. With each
/// return it is exchanged for another one. Until the player has shown that the new one has arrived, the one before is good, too.
struct SeatSecret: Hashable, Codable, Sendable {
  /// The secret that the player has shown to have, or the first.
  private var known: String
  /// The secret that was sent in its place.
  private var sent: String?

  init(_ secret: String) {
    known = secret
  }

  /// The secret that the player should have.
  var latest: String { sent ?? known }

  /// Whether a claim proves the secret over a connection.
  func isProved(by claim: SeatClaim, over binding: [UInt8]) -> Bool {
    // Both are tried always, so that the time does not reveal which one it was.
    let proved = [known, latest].map { SeatClaim.isValid(claim.proof, of: $0, over: binding) }
    return proved.contains(true)
  }

  /// Exchanges the secret that a claim has proved for a new one.
  mutating func exchange(after claim: SeatClaim, over binding: [UInt8], for secret: String) {
    if let sent, SeatClaim.isValid(claim.proof, of: sent, over: binding) { known = sent }
    sent = secret
  }

  /// Forgets the secret before the latest one, because the player has that.
  mutating func confirm() {
    known = latest
    sent = nil
  }

  /// 16 bytes that cannot be guessed, in hexadecimal digits.
  static func random() -> String {
    // The system's generator is suitable for secrets.
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<4).map { _ in String(UInt32.random(in: 0...UInt32.max, using: &generator), radix: 16) }
    return digits.map { String(repeating: "0", count: 8 - $0.utf8.count) + $0 }.joined()
  }
}
