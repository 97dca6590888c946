/// Who may come into a room with a passcode over the web, as a value without clock.
///
/// A page proves no passcode: everybody on the way could read along. It shows a token that was scanned from the host's screen. A token lets
/// one page in. The host then shows another one; those that were shown before stay good for a while, so that two phones can scan one
/// after the other what the host's screen has shown at different times.
public struct WebAdmission: Sendable {
  /// The most tokens that are good at a time.
  static let limit = 8
  /// The time for which a token is good.
  static let lifetime = Duration.seconds(600)
  /// The time after which the host shows another token, although nobody has used the present one.
  static let showingTime = Duration.seconds(300)
  /// How many tokens from one address are looked at: many phones may have one address in common, and 128 bits are not guessed by
  /// trying ten a second.
  static let rate = ShareLimits.Rate(perSecond: 10, burst: 100)

  /// Whether the host asks for tokens: it serves pages, and asks others for a passcode.
  public let isOn: Bool
  private let makeToken: @Sendable () -> AdmissionToken
  private var guesses = RateLimiter(WebAdmission.rate)
  /// The tokens that are good, oldest first.
  private var tokens: [Shown] = []
  /// The token that the host shows; nil if it has to show another one.
  private var present: Shown?

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
    if tokens.count > Self.limit { tokens.removeFirst() }
    return shown.token
  }

  /// Checks what a peer that is not trusted shows.
  ///
  /// - Throws: The reason why it may not come in.
  public mutating func check(_ hello: RoomMessage.Hello, from peer: Peer, at now: Duration) throws(RoomReason) {
    guard isOn, peer.isWeb else { throw .passcode }
    guard let text = hello.admission else { throw .admission }
    guard guesses.allows(peer.address, at: now) else { throw .tooManyJoins }
    guard index(of: text, at: now) != nil else { throw .admission }
  }

  /// Uses the token of a hello up, which was checked at the same time.
  public mutating func use(_ hello: RoomMessage.Hello, at now: Duration) {
    guard let text = hello.admission, let index = index(of: text, at: now) else { return }
    if tokens.remove(at: index) == present { present = nil }
  }

  private func index(of text: String, at now: Duration) -> Int? {
    // All are compared always, so that the time does not reveal which one it was.
    let shown = tokens.map { $0.token.isShown(by: text) && now < $0.at + Self.lifetime }
    return shown.firstIndex(of: true)
  }
}
