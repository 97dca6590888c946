#if Avahi
import CAvahi.Client
import Discovery
import EventLoop

/// One published service. Carries out the effects of ``Publication`` with Avahi's entry groups. Confined to the loop.
final class AvahiPublication: AvahiOperation {
  private let loop: EventLoop
  private let handler: (RegistrationEvent) -> Void
  private let action: String
  private var machine: Publication
  private var connection: AvahiConnection?
  private var group: EntryGroup?
  private var timer: LoopTimer?
  private var registered: Registration?
  private(set) var restriction: Restriction
  /// Whether the daemon can register services.
  private var isServerRunning = false

  init(_ registration: Registration, on loop: EventLoop, _ handler: @escaping (RegistrationEvent) -> Void) {
    self.loop = loop
    self.handler = handler
    machine = Publication(registration, engine: .daemon, seed: .random(in: 0...UInt64.max))
    restriction = Restriction(to: registration.interface)
    action = "publishing \"\(registration.name)\" as \(registration.type)"
  }

  func start(on connection: AvahiConnection) {
    self.connection = connection
  }

  func stop() {
    connection = nil
    timer?.cancel()
    group?.free()
    group = nil
  }

  func interrupt(_ error: AvahiError) {
    connection = nil
    group?.forget()
    group = nil
    isServerRunning = false
    handle(.serverLost(error.during(action)))
  }

  /// Reports that the host has its name, so services can be registered.
  func serverIsRunning() {
    isServerRunning = true
    if restriction.index == nil {
      handle(.serverReset(restriction.interruption(of: action)))
    } else {
      handle(.serverRunning)
    }
  }

  /// Reports that the host is getting another name, so services cannot be registered until it has one.
  func serverIsNamingHost() {
    isServerRunning = false
    handle(.serverReset(DiscoveryError(.unavailable, "\(action): avahi-daemon is choosing a name for this host; wait")))
  }

  func interfacesChanged() {
    guard restriction.refresh(), isServerRunning else { return }
    handle(.serverReset(restriction.interruption(of: action)))
    if restriction.index != nil { handle(.serverRunning) }
  }

  func update(_ txt: TXTRecord) {
    handle(.updated(txt))
  }

  private func handle(_ event: Publication.Event) {
    for effect in machine.handle(event) {
      switch effect {
      case .register(let registration): register(registration)
      case .updateText(let txt): update(registered, to: txt)
      case .withdraw:
        group?.free()
        group = nil
      case .startTimer(let time):
        timer?.cancel()
        timer = loop.schedule(after: time) { [self] in handle(.timerFired) }
      case .stopTimer: timer?.cancel()
      case .report(let event): handler(event)
      }
    }
  }

  /// Registers with a new group, so that late events of the former group are ignored.
  private func register(_ registration: Registration) {
    group?.free()
    group = nil
    guard let connection, let interface = restriction.index else { return }
    registered = registration
    do throws(AvahiError) {
      let group = try EntryGroup(on: connection) { [weak self] group, state in self?.changed(group, state) }
      self.group = group
      try group.add(registration, on: interface)
    } catch {
      registrationFailed(error)
    }
  }

  private func update(_ registration: Registration?, to txt: TXTRecord) {
    guard let registration, let group, let interface = restriction.index else { return }
    do throws(AvahiError) {
      try group.update(registration, on: interface, to: txt)
    } catch {
      registrationFailed(error)
    }
  }

  /// Handles a failure later, because the effects of the last event are still being carried out.
  private func registrationFailed(_ error: AvahiError) {
    let event: Publication.Event = error.isCollision ? .collision : .refused(error.during(action))
    let (failed, connection) = (group, connection)
    connection?.callFailed(error) { [weak self] in
      guard let self, self.connection === connection, group === failed else { return }
      handle(event)
    }
  }

  private func changed(_ changed: EntryGroup, _ state: EntryGroup.State) {
    // Avahi may call this while a group is being made or committed, so handle it at the end of the tick, if the group is still
    // in use.
    loop.atEndOfTick { [weak self] in
      guard let self, group === changed else { return }
      switch state {
      case .established: handle(.established)
      case .collision: handle(.collision)
      case .failed(let error): registrationFailed(error)
      }
    }
  }
}
#endif
