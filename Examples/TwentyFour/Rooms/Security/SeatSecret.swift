import FramedSecurity

/// The secret of a player's seat, on the host.
///
/// The player gets it with the welcome, and whoever comes back shows it with a ``SeatProof``: over a native connection it is proved, and never
/// sent. With each return it is exchanged for another one. Until the player has shown that the new one has arrived, the one before is
/// good, too.
///
/// All secrets but the first follow from a seed that is stored with the seat and never told. So a host that goes on from a state before the last
/// returns knows the secrets that these have given out.
struct SeatSecret: Hashable, Codable, Sendable {
  /// The number of returns that a state may lack.
  static let window = 16

  /// The secret that the player has shown to have, or the first.
  private var known: String
  /// The secret that was sent in its place.
  private var sent: String?
  /// True if the seat was won over the web; nil otherwise, as in files that know nothing of that.
  private let web: Bool?
  /// What the next secrets follow from; nil in files that know nothing of that, until the next return.
  private var seed: String?
  /// The number of the latest secret; nil for the first.
  private var number: Int?

  /// - Parameters:
  ///   - seed: As hard to guess as the secret.
  ///   - isWeb: Whether the seat was won over the web: its player comes back only over the web, and no other player does.
  init(_ secret: String, seed: String, isWeb: Bool = false) {
    known = secret
    self.seed = seed
    web = isWeb ? true : nil
  }

  /// Whether the seat was won over the web.
  var isWeb: Bool { web == true }

  /// The secret that the player should have.
  var latest: String { sent ?? known }

  /// Whether a proof shows the secret over a connection of the kind over which the seat was won.
  func isShown(by proof: SeatProof, over peer: Peer) -> Bool {
    // All are tried always, so that the time does not reveal which one it was.
    let shown = ([known, latest] + later.map(\.secret)).map { proof.shows($0, over: peer) }
    return isWeb == peer.isWeb && shown.contains(true)
  }

  /// Exchanges the secret that a proof has shown for a new one.
  ///
  /// - Parameter makeSeed: Makes a seed for a seat without one.
  mutating func exchange(after proof: SeatProof, over peer: Peer, makeSeed: () -> String) {
    if let sent, proof.shows(sent, over: peer) { known = sent }
    if let shown = later.first(where: { proof.shows($0.secret, over: peer) }) { (known, number) = (shown.secret, shown.number) }
    let seed = self.seed ?? makeSeed()
    let next = last + 1
    sent = Self.secret(next, from: seed)
    (self.seed, number) = (seed, next)
  }

  /// Forgets the secret before the latest one, because the player has that.
  mutating func confirm() {
    known = latest
    sent = nil
  }

  /// The secrets that were given out if this state is older than the last returns.
  private var later: [(number: Int, secret: String)] {
    guard let seed else { return [] }
    return (1...Self.window).map { (last + $0, Self.secret(last + $0, from: seed)) }
  }

  /// The number of the latest secret, whatever a file says.
  private var last: Int { min(max(number ?? 0, 0), .max / 2) }

  private static func secret(_ number: Int, from seed: String) -> String {
    hexadecimal(ChannelProof.proof(of: Array("next seat \(seed)".utf8), over: Array("\(number)".utf8)).prefix(16))
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// 16 bytes that cannot be guessed, in hexadecimal digits.
  static func random() -> String {
    // The system's generator is suitable for secrets.
    var generator = SystemRandomNumberGenerator()
    return hexadecimal((0..<16).map { _ in UInt8.random(in: 0...UInt8.max, using: &generator) })
  }
}
