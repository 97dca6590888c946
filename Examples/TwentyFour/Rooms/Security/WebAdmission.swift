import FramedSecurity
import Names
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
  /// The tokens that are good: a few, because their time is bounded.
  private var tokens: [Shown] = []
  /// The token that the host shows; nil if it has to show another one.
  private var present: Shown?
  /// What lets pages in that were in before, oldest first.
  var passes: [Pass] = []

  struct Shown: Hashable {
    let token: AdmissionToken
    let at: Duration
  }

  /// What was used up: a token or a pass.
  public struct Used: Hashable, Sendable {
    var token: Shown?
    var pass: Pass?

    /// The connection that had the pass, which may be broken, or not yet: a spectator is in once, like a player.
    public var former: ConnectionID? { pass?.holder }
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
  /// - Parameter isOwnerIn: Whether the ``owner(of:)`` the pass that it shows still has a seat: then the pass lets nobody in, or it would
  ///   let in one phone after the other. Whoever has the seat's secret needs no pass.
  /// - Throws: The reason why it may not come in.
  public mutating func check(
    _ hello: RoomMessage.Hello, from peer: Peer, at now: Duration, isOwnerIn: Bool
  ) throws(RoomReason) {
    guard isOn, peer.isWeb else { throw .passcode }
    guard let shown = hello.shown else { throw .admission }
    guard guesses.allows(peer.address, at: now) else { throw .tooManyJoins }
    tokens.removeAll { $0.at + Self.lifetime <= now }
    let mayComeBack = pass(shown).map { !isOwnerIn && passes[$0].isGood(for: hello) } ?? false
    guard [token(shown) != nil, mayComeBack].contains(true) else { throw .admission }
  }

  /// Whether a page would come in with what it shows. Nothing is used up.
  ///
  /// - Parameter isOwnerIn: As for ``check(_:from:at:isOwnerIn:)``.
  /// - Throws: The reason why the page gets no answer: another version, or too many tokens from its address.
  public mutating func admits(
    _ peer: Peer, showing look: RoomMessage.Look, at now: Duration, isOwnerIn: Bool
  ) throws(RoomReason) -> Bool {
    guard look.version == RoomMessage.version else { throw .otherVersion }
    if peer.isTrusted { return true }
    do throws(RoomReason) {
      try check(look.hello, from: peer, at: now, isOwnerIn: isOwnerIn)
      return true
    } catch {
      guard error.code == .admission else { throw error }
      return false
    }
  }

  /// Uses the token or pass of a hello up that was checked just now.
  ///
  /// - Returns: What was used up; nil for nothing.
  public mutating func use(_ hello: RoomMessage.Hello) -> Used? {
    if let pass = usePass(hello) { return pass }
    guard let index = hello.shown.flatMap(token) else { return nil }
    let token = tokens.remove(at: index)
    if token == present { present = nil }
    return Used(token: token)
  }

  /// Makes good again what was used up, a token for the rest of its time: whoever showed it had no answer, and may ask again.
  ///
  /// The host's screen shows another token already.
  public mutating func restore(_ used: Used) {
    if let token = used.token { tokens.append(token) }
    if let pass = used.pass { add(pass) }
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

  struct Pass: Hashable {
    let token: AdmissionToken
    let owner: Owner
    /// The name of the player; nil for a spectator.
    let name: PlayerName?
    let holder: ConnectionID
    let origin: Origin

    /// Whether it brings back its owner: a player of the same name, or a spectator.
    func isGood(for hello: RoomMessage.Hello) -> Bool {
      hello.spectates ? owner.player == nil : name != nil && name == (try? PlayerName(typed: hello.name))
    }
  }

  /// A token by which a page that was let in may come back once, for as long as the host is open: its seat may be gone, or it has none.
  /// It brings back this player, or a spectator, and never lets in anybody else.
  ///
  /// - Parameters:
  ///   - name: The player's name; nil for a spectator.
  ///   - holder: The connection over which the page gets it.
  /// - Returns: The token; nil if the peer needs none.
  public mutating func pass(
    for owner: Owner, called name: PlayerName?, over holder: ConnectionID, _ peer: Peer
  ) -> AdmissionToken? {
    guard isOn, peer.isWeb else { return nil }
    let pass = Pass(token: makeToken(), owner: owner, name: name, holder: holder, origin: peer.address)
    add(pass)
    return pass.token
  }

  private mutating func add(_ pass: Pass) {
    passes.append(pass)
    if passes.count > Self.passLimit { dropPass() }
  }

  /// Drops the oldest pass of the address that has most.
  private mutating func dropPass() {
    var counts: [Origin: Int] = [:]
    for pass in passes { counts[pass.origin, default: 0] += 1 }
    let most = counts.values.max()
    if let index = passes.firstIndex(where: { counts[$0.origin] == most }) { passes.remove(at: index) }
  }

  /// Uses the pass of a hello up, if it has one, and returns it. Who comes back to a seat gets another one, too.
  @discardableResult
  public mutating func usePass(_ hello: RoomMessage.Hello) -> Used? {
    hello.shown.flatMap(pass).map { Used(pass: passes.remove(at: $0)) }
  }

  /// Whose pass a hello has; nil for none.
  public func owner(of hello: RoomMessage.Hello) -> Owner? { hello.shown.flatMap(pass).map { passes[$0].owner } }

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
