import SecureTransport
public import TwentyFour

/// Who may come into a room with a passcode over the web, as a value without clock.
///
/// A page proves no passcode: everybody on the way could read along. It shows a token that was scanned from the host's screen. A token lets
/// one page in. The host then shows another one; those that were shown before stay good for a while, so that two phones can scan one
/// after the other what the host's screen has shown at different times.
public struct WebAdmission: Sendable {
  /// The time for which a token is good.
  static let lifetime = Duration.seconds(600)
  /// The time after which the host shows another token, although nobody has used the present one.
  static let showingTime = Duration.seconds(300)
  /// How many tokens from one address are looked at: many phones may have one address in common, and 128 bits are not guessed by
  /// trying ten a second.
  static let rate = ShareLimits.Rate(perSecond: 10, burst: 100)

  /// Whether the host asks for tokens: it serves pages, and asks others for a passcode.
  public let isOn: Bool
  let makeToken: @Sendable () -> AdmissionToken
  private var guesses = RateLimiter(WebAdmission.rate)
  /// The tokens that are good, oldest first: a few, because their time is bounded.
  private var tokens: [Shown] = []
  /// The token that the host shows; nil if it has to show another one.
  private var present: Shown?
  /// What lets pages in that were in before, oldest first.
  var passes: [Pass] = []

  private struct Shown: Hashable {
    let token: AdmissionToken
    let at: Duration
  }

  /// Makes the admission of a host that asks for tokens, or of one that asks for none.
  public init(isOn: Bool = false) {
    self.init(isOn: isOn, makeToken: AdmissionToken.random)
  }

  init(isOn: Bool, makeToken: @escaping @Sendable () -> AdmissionToken) {
    self.isOn = isOn
    self.makeToken = makeToken
  }

  /// The time at which ``refresh(at:)`` has something to do; nil for never.
  public var nextDeadline: Duration? {
    guard isOn else { return nil }
    return present.map { $0.at + Self.showingTime } ?? .zero
  }

  /// Shows another token if the present one was used, or was shown for long enough.
  ///
  /// - Returns: The token to show instead; nil if the present one stays.
  public mutating func refresh(at now: Duration) -> AdmissionToken? {
    guard isOn else { return nil }
    tokens.removeAll { $0.at + Self.lifetime <= now }
    if let present, now < present.at + Self.showingTime { return nil }
    let shown = Shown(token: makeToken(), at: now)
    present = shown
    tokens.append(shown)
    return shown.token
  }

  /// Checks what a peer that is not trusted shows.
  ///
  /// - Throws: The reason why it may not come in.
  public mutating func check(_ hello: RoomMessage.Hello, from peer: Peer, at now: Duration) throws(RoomReason) {
    guard isOn, peer.isWeb else { throw .passcode }
    guard let shown = hello.shown else { throw .admission }
    guard guesses.allows(peer.address, at: now) else { throw .tooManyJoins }
    tokens.removeAll { $0.at + Self.lifetime <= now }
    guard [token(shown) != nil, pass(shown) != nil].contains(true) else { throw .admission }
  }

  /// Uses the token of a hello up that was checked just now.
  public mutating func use(_ hello: RoomMessage.Hello) {
    usePass(hello)
    guard let index = hello.shown.flatMap(token) else { return }
    if tokens.remove(at: index) == present { present = nil }
  }

  private func token(_ shown: AccessToken) -> Int? {
    // All are compared always, so that the time does not reveal which one it was.
    tokens.map { $0.token.isShown(by: shown) }.firstIndex(of: true)
  }
}

/// Coming in again.
extension WebAdmission {
  /// The most passes.
  static let passLimit = 256

  /// Whose pass it is: a player's, or a spectator's.
  public struct Owner: Hashable, Sendable {
    public let room: RoomID
    public let player: PlayerID?

    public init(room: RoomID, player: PlayerID?) {
      self.room = room
      self.player = player
    }
  }

  struct Pass {
    let token: AdmissionToken
    let owner: Owner
    let origin: Origin
  }

  /// A token by which a page that was let in may come in once more, for as long as the host is open: its seat may be gone, or it has none.
  /// Those who know a passcode can do the same.
  ///
  /// - Returns: The token; nil if the peer needs none.
  public mutating func pass(for owner: Owner, _ peer: Peer) -> AdmissionToken? {
    guard isOn, peer.isWeb else { return nil }
    let pass = Pass(token: makeToken(), owner: owner, origin: peer.address)
    passes.append(pass)
    if passes.count > Self.passLimit { dropPass() }
    return pass.token
  }

  /// Drops the oldest pass of the address that has most.
  private mutating func dropPass() {
    var counts: [Origin: Int] = [:]
    for pass in passes { counts[pass.origin, default: 0] += 1 }
    let most = counts.values.max()
    if let index = passes.firstIndex(where: { counts[$0.origin] == most }) { passes.remove(at: index) }
  }

  /// Uses the pass of a hello up, if it has one. Who comes back to a seat gets another one, too.
  public mutating func usePass(_ hello: RoomMessage.Hello) {
    if let index = hello.shown.flatMap(pass) { passes.remove(at: index) }
  }

  /// Lets somebody who was removed not come in again without a new token.
  public mutating func revokePasses(of owner: Owner) {
    passes.removeAll { $0.owner == owner }
  }

  private func pass(_ shown: AccessToken) -> Int? { passes.map { $0.token.isShown(by: shown) }.firstIndex(of: true) }
}

extension RoomMessage.Hello {
  /// The token that a page shows; nil if there is none, or it is no token.
  fileprivate var shown: AccessToken? { admission.flatMap { AccessToken($0) } }
}
