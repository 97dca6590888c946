import Bonjourish
import FramedSecurity
import FramedTransport
import Synchronization

/// The passcode and the key of an open host.
final class HostAdmission: Sendable {
  /// What a host keeps beside its key, so that the same people can come in after a restart.
  struct Kept: Codable, Sendable {
    /// The passcode that the host has made.
    let passcode: String?
    let invitation: Invitation?
  }

  /// How often a passcode that the host has made is exchanged before somebody has to reopen the room.
  static let mostExchanges = 3

  let protection: HostProtection
  /// Whoever proves it needs no passcode; nil if none is asked for.
  let invitation: Invitation?
  private let passcodes: PasscodeGuard?
  /// Whether the host has made the passcode.
  private let isAutomatic: Bool
  private let news: News

  /// Who is told, and how often the passcode was exchanged. A class, because the guard's closure needs it before there is an admission.
  private final class News: Sendable {
    struct State {
      weak var admission: HostAdmission?
      var handler: (@Sendable (RoomEvent) -> Void)?
      var exchanges = 0
      /// Whether nobody new comes in until the host is reopened.
      var isClosed = false
    }

    let state = Mutex(State())
  }

  init(_ protection: HostProtection, _ kept: Kept?) {
    self.protection = protection
    let news = News()
    self.news = news
    if case .passcode(let given, _) = protection {
      isAutomatic = given == nil
      invitation = kept?.invitation ?? .random()
      passcodes = PasscodeGuard(given ?? kept?.passcode.flatMap { Passcode(text: $0) } ?? .random()) { event in
        news.state.withLock(\.admission)?.handle(event)
      }
    } else {
      (isAutomatic, invitation, passcodes) = (false, nil, nil)
    }
    news.state.withLock { $0.admission = self }
  }

  /// The protection of the connections.
  var security: ListenerSecurity {
    switch protection {
    case .plaintext: .plaintext
    case .open(let identity): .encrypted(identity)
    case .passcode(_, let identity):
      // Those without a passcode are asked for a seat's secret, or an invitation.
      passcodes.map { .passcode($0, service: RoomHost.serviceType.description, admitsOthers: true, identity: identity) }
        ?? .encrypted(identity)
    }
  }

  /// Whether whoever comes in must prove something.
  var asksForPasscode: Bool { passcodes != nil }

  /// The present passcode; nil if none is asked for.
  var passcode: String? { passcodes?.passcode.text }

  /// What to keep for a restarted host. A given passcode is given again.
  var kept: Kept? {
    guard asksForPasscode else { return nil }
    return Kept(passcode: isAutomatic ? passcode : nil, invitation: invitation)
  }

  /// The pairs of a TXT record, with those about the protection.
  func over(_ pairs: [String: String]) -> [String: String] {
    var pairs = pairs
    pairs["lock"] = protection.lock.rawValue
    pairs["key"] = protection.identity?.fingerprint.short
    return pairs
  }

  /// Lets guesses be evaluated again. A passcode that the host has made is exchanged.
  ///
  /// - Returns: Whether a passcode is asked for.
  func reopen() -> Bool {
    guard let passcodes else { return false }
    news.state.withLock { ($0.exchanges, $0.isClosed) = (0, false) }
    passcodes.reopen(with: isAutomatic ? .random() : nil)
    tell(.passcode(passcodes.passcode.text))
    return true
  }

  /// Tells a closure of each wrong guess, and of each change of the passcode, from now on. It must not block.
  func setHandler(_ handler: @escaping @Sendable (RoomEvent) -> Void) {
    news.state.withLock { ($0.handler, $0.isClosed) = (handler, false) }
    // The guesses may have been used up before.
    if passcodes?.isPaused == true { close() }
  }

  /// Tells of a wrong guess, and acts when it was the last.
  func handle(_ event: PasscodeGuard.Event) {
    guard case .wrongGuess(let peer, let remaining) = event else { return }
    tell(.guess(from: peer.host, remaining: remaining))
    if remaining == 0 { close() }
  }

  /// Exchanges the passcode, or leaves the room closed.
  private func close() {
    let mayExchange: Bool? = news.state.withLock { state in
      // Those who were in before may still guess wrong.
      guard !state.isClosed else { return nil }
      // Told to nobody, a new passcode would be of no use.
      guard isAutomatic, state.handler != nil, state.exchanges < Self.mostExchanges else {
        state.isClosed = state.handler != nil
        return false
      }
      state.exchanges += 1
      return true
    }
    guard let mayExchange else { return }
    if mayExchange { passcodes?.reopen(with: .random()) }
    tell(.passcode(mayExchange ? passcode : nil))
  }

  private func tell(_ event: RoomEvent) {
    news.state.withLock(\.handler)?(event)
  }
}
