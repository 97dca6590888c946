#if Avahi
import CBonjourishAvahi.Client
import _BonjourishDiscovery
import _BonjourishEventLoop

/// One publication. Carries out the effects of ``Publication`` with Avahi's entry groups. Several act as one: for each interface, if it
/// is not published on all of them, and if it has more entries than fit into a group. Confined to the loop.
final class AvahiPublication: AvahiOperation, PublicationShell {
  private let loop: EventLoop
  private let gate: RegistrationGate
  private let handler: (RegistrationEvent) -> Void
  private let action: String
  var machine: Publication
  private var connection: AvahiConnection?
  private var groups: [Restriction.Place: [EntryGroup]] = [:]
  /// The number of groups that the registration needs at each place.
  private var neededGroups = 0
  /// The number of the registration, so that late failures of a former one are ignored.
  private var attempt = 0
  private lazy var timer = LoopDeadline(on: loop) { [weak self] in self?.handle(.timerFired) }
  private var registered: Registration?
  private var restriction: Restriction
  /// Whether the daemon can register services.
  private var isServerRunning = false

  init(
    _ registration: Registration, on loop: EventLoop, through gate: RegistrationGate, among interfaces: [InterfaceState],
    _ handler: @escaping (RegistrationEvent) -> Void
  ) {
    self.loop = loop
    self.gate = gate
    self.handler = handler
    machine = Publication(registration, engine: .daemon, seed: .random(in: 0...UInt64.max))
    restriction = Restriction(to: registration.interfaces, among: interfaces)
    action = registration.action
  }

  func start(on connection: AvahiConnection) {
    self.connection = connection
  }

  func stop() {
    connection = nil
    timer.cancel()
    withdraw()
    gate.leave(self)
  }

  func interrupt(_ error: AvahiError) {
    connection = nil
    for group in groups.values.joined() { group.forget() }
    groups = [:]
    isServerRunning = false
    gate.leave(self)
    handle(.serverLost(error.during(action)))
  }

  /// Reports that the host has its name, so services can be registered.
  func serverIsRunning() {
    isServerRunning = true
    if restriction.places.isEmpty {
      handle(.serverReset(restriction.interruption(of: action)))
    } else {
      begin()
    }
  }

  /// Reports that the host is getting another name, so services cannot be registered until it has one.
  func serverIsNamingHost() {
    isServerRunning = false
    gate.leave(self)
    handle(.serverReset(DiscoveryError(.unavailable, "\(action): avahi-daemon is choosing a name for this host; wait")))
  }

  func interfacesChanged(_ interfaces: [InterfaceState]) {
    let former = restriction.places
    restriction.refresh(interfaces)
    let places = restriction.places
    guard places != former, isServerRunning else { return }
    guard !restriction.mustStartAgain(after: former) else {
      handle(.serverReset(restriction.interruption(of: action)))
      gate.leave(self)
      if !places.isEmpty { begin() }
      return
    }
    // One that is not registered at present will be so at the new places.
    guard !groups.isEmpty else { return }
    for place in former.subtracting(places) { groups.removeValue(forKey: place)?.forEach { $0.free() } }
    add(at: places.subtracting(former))
    tellIfEstablished()
  }

  private var isEstablished: Bool {
    groups.values.allSatisfy { $0.count == neededGroups && $0.allSatisfy(\.isEstablished) }
  }

  private func tellIfEstablished() {
    if !groups.isEmpty, isEstablished { handle(.established) }
  }

  /// Registers as soon as few others do.
  private func begin() {
    gate.enter(self) { [weak self] in
      guard let self else { return }
      handle(.serverRunning)
      // It may have been registered already.
      if isEstablished { gate.leave(self) }
    }
  }

  func update(_ txt: TXTRecord) {
    handle(.updated(txt))
  }

  func setTimer(_ time: Duration?) { timer.set(time.map { ContinuousClock.now + $0 }) }

  func report(_ event: RegistrationEvent) {
    switch event {
    case .established, .failed: gate.leave(self)
    case .renamed, .interrupted: break
    }
    handler(event)
  }

  func withdraw() {
    for group in groups.values.joined() { group.free() }
    groups = [:]
    attempt += 1
  }

  /// Registers with new groups, so that late events of the former groups are ignored.
  func register(_ registration: Registration) {
    withdraw()
    registered = registration
    add(at: restriction.places)
  }

  private func add(at places: Set<Restriction.Place>) {
    guard let connection, let registered else { return }
    let portions = registered.entryGroups
    neededGroups = portions.count
    do throws(AvahiError) {
      for place in places {
        let connection = try connection.withRoom(for: portions.count)
        for portion in portions {
          let group = try EntryGroup(on: connection) { [weak self] group, state in self?.changed(group, state) }
          groups[place, default: []].append(group)
          try group.add(portion, at: place)
        }
      }
    } catch {
      registrationFailed(error)
    }
  }

  func updateText(_ txt: TXTRecord) {
    guard let registration = registered else { return }
    registered = registration.replacing(txt: txt)
    do throws(AvahiError) {
      for (place, groups) in groups {
        // The service is the first entry of the first group.
        try groups.first?.update(registration, at: place, to: txt)
      }
    } catch {
      registrationFailed(error)
    }
  }

  /// Handles a failure later, because the effects of the last event are still being carried out.
  private func registrationFailed(_ error: AvahiError) {
    let event: Publication.Event = error.isCollision ? .collision : .refused(error.during(action))
    let (failed, connection) = (attempt, connection)
    connection?.callFailed(error) { [weak self] in
      guard let self, self.connection === connection, attempt == failed else { return }
      handle(event)
    }
  }

  private func changed(_ changed: EntryGroup, _ state: EntryGroup.State) {
    // Avahi may call this while a group is being made or committed, so handle it at the end of the tick, if the group is still
    // in use.
    loop.atEndOfTick { [weak self] in
      guard let self, groups.values.joined().contains(where: { $0 === changed }) else { return }
      switch state {
      case .established:
        changed.isEstablished = true
        tellIfEstablished()
      case .collision: handle(.collision)
      case .failed(let error): registrationFailed(error)
      }
    }
  }
}
#endif
