/// The secret of a player's seat, on the host.
///
/// The player gets it with the welcome, and whoever comes back shows it with a ``SeatClaim``: over a native connection it is proved, and never
/// sent. With each return it is exchanged for another one. Until the player has shown that the new one has arrived, the one before is
/// good, too.
struct SeatSecret: Hashable, Codable, Sendable {
  /// The secret that the player has shown to have, or the first.
  private var known: String
  /// The secret that was sent in its place.
  private var sent: String?
  /// True if the seat was won over the web; nil otherwise, as in files that know nothing of that.
  private let web: Bool?

  /// - Parameter isWeb: Whether the seat was won over the web: its player comes back only over the web, and no other player does.
  init(_ secret: String, isWeb: Bool = false) {
    known = secret
    web = isWeb ? true : nil
  }

  /// Whether the seat was won over the web.
  var isWeb: Bool { web == true }

  /// The secret that the player should have.
  var latest: String { sent ?? known }

  /// Whether a claim shows the secret over a connection of the kind over which the seat was won.
  func isShown(by claim: SeatClaim, over peer: Peer) -> Bool {
    // Both are tried always, so that the time does not reveal which one it was.
    let shown = [known, latest].map { claim.shows($0, over: peer) }
    return isWeb == peer.isWeb && shown.contains(true)
  }

  /// Exchanges the secret that a claim has shown for a new one.
  mutating func exchange(after claim: SeatClaim, over peer: Peer, for secret: String) {
    if let sent, claim.shows(sent, over: peer) { known = sent }
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
