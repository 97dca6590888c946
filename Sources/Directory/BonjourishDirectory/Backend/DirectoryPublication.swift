import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

/// One published service: claims its name in the directory, and renames it after a conflict. Confined to the module's loop.
final class DirectoryPublication: PublicationShell, DirectoryLineUser {
  let registration: Registration
  private let settings: DirectorySettings
  private let loop: EventLoop
  private let succession: Succession
  private let handler: (RegistrationEvent) -> Void
  private let addresses: (Registration) -> [IPAddress]
  private let relay: (Registration) -> RelayNumber?
  private let missing: () -> Void
  /// Called when the directory does not permit it; nil if that ends it.
  private let denied: ((DiscoveryError) -> Void)?
  private var wasDenied = false
  private var wasHeld = false
  var machine: Publication
  /// What is claimed now.
  private var registered: Registration?
  private var claim: DirectoryClaim?
  /// The claims that are given up, until an answer tells what is to be removed.
  private var leaving: [ObjectIdentifier: DirectoryClaim] = [:]
  private weak var line: DirectoryLine?
  private lazy var timer = LoopDeadline(on: loop) { [weak self] in
    guard let self else { return }
    handle(.timerFired)
    // One that was not permitted is tried again.
    if line != nil { handle(.serverRunning) }
  }

  /// - Parameters:
  ///   - addresses: Where a service can be reached, by what is to be published.
  ///   - relay: Where relayed connections to it are accepted; nil for nowhere.
  ///   - missing: Called when nobody answers for the bucket.
  ///   - denied: Called the first time that the directory does not permit it, which is then tried again; nil if that ends it.
  init(
    _ registration: Registration, _ settings: DirectorySettings, on loop: EventLoop,
    addresses: @escaping (Registration) -> [IPAddress], relay: @escaping (Registration) -> RelayNumber?,
    missing: @escaping () -> Void, denied: ((DiscoveryError) -> Void)?,
    _ handler: @escaping (RegistrationEvent) -> Void
  ) {
    self.registration = registration
    succession = registration.succession ?? Succession(publisher: .random(in: .min ... .max))
    self.settings = settings
    self.loop = loop
    self.addresses = addresses
    self.relay = relay
    self.missing = missing
    self.denied = denied
    self.handler = handler
    machine = Publication(registration, engine: .builtIn, seed: .random(in: .min ... .max))
  }

  /// The time until it is tried again to write what was not permitted.
  private static let permissionRetry: Duration = .seconds(30)

  var owner: DirectoryRecord.Owner { succession.publisher }

  /// The revision of the record, which grows with each write; nil while the name is not held.
  var revision: UInt64? { claim?.machine.revision }

  func connect(_ line: DirectoryLine) {
    self.line = line
    handle(.serverRunning)
  }

  func disconnect(_ error: DiscoveryError) {
    line = nil
    claim?.cancel()
    claim = nil
    leaving = [:]
    handle(.serverLost(error))
  }

  /// Tries again at once: the bucket is there for which nobody answered.
  func bucketReturned() { claim?.bucketReturned() }

  func update(_ txt: TXTRecord) { handle(.updated(txt)) }

  /// Writes the record again if this machine's addresses have changed.
  func refresh() {
    guard let registered, let claim else { return }
    claim.update(record(registered).bytes)
  }

  /// Gives the name up.
  func stop() {
    timer.cancel()
    withdraw()
  }

  func updateText(_ txt: TXTRecord) {
    registered = registered?.replacing(txt: txt)
    refresh()
  }

  func setTimer(_ time: Duration?) { timer.set(time.map { ContinuousClock.now + $0 }) }

  func report(_ event: RegistrationEvent) { handler(event) }

  func withdraw() {
    guard let former = claim else { return }
    claim = nil
    leaving[ObjectIdentifier(former)] = former
    former.leave()
  }

  func register(_ registration: Registration) {
    withdraw()
    guard let line else { return }
    registered = registration
    let record = record(registration)
    if let error = record.refusal(during: registration.action) {
      return loop.atEndOfTick { [weak self] in self?.handle(.refused(error)) }
    }
    let claim = DirectoryClaim(record.key(in: settings.region), record.bytes, succession, settings, line, on: loop) {
      [weak self] claim, event in self?.claimed(claim, event)
    }
    self.claim = claim
    claim.start()
  }

  private func record(_ registration: Registration) -> DirectoryRecord {
    let service = registration.service
    return DirectoryRecord(
      name: registration.name, type: service?.type ?? "_none._tcp", subtypes: service?.subtypes ?? [], port: service?.port ?? 0,
      host: service?.host?.firstLabelAndRest?.label ?? "host",
      addresses: Array(addresses(registration).prefix(DirectoryRecord.maximumAddressCount)), txt: service?.txt ?? TXTRecord(),
      owner: owner, relay: relay(registration))
  }

  private func claimed(_ sender: DirectoryClaim, _ event: DirectoryClaim.Event) {
    guard sender === claim else {
      if case .ended = event { leaving[ObjectIdentifier(sender)] = nil }
      return
    }
    switch event {
    case .held:
      wasHeld = true
      handle(.established)
    case .taken:
      claim = nil
      handle(.collision)
    case .interrupted(let failure):
      handle(.serverLost(failure.during(registration.action)))
      if failure.isMissing { missing() }
    case .reachable:
      // The next claim finds the record of this one, if it has been written.
      claim = nil
      handle(.serverRunning)
    case .failed(let failure) where failure.isNotPermitted && (wasHeld || denied != nil):
      claim = nil
      forbidden(failure.during(registration.action))
    case .failed(let failure):
      claim = nil
      handle(.refused(failure.during(registration.action)))
    case .ended: break
    }
  }

  /// Waits for the permission: one that was there may come back, and the local network goes on without it.
  private func forbidden(_ error: DiscoveryError) {
    if !wasDenied, !wasHeld { denied?(error) }
    wasDenied = true
    handle(.serverLost(error))
    setTimer(Self.permissionRetry)
  }
}
