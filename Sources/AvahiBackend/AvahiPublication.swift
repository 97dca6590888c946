import CAvahi.Client
import Discovery
import EventLoop

/// One published service: carries out what ``Publication`` decides, with entry groups. Used on the loop only.
final class AvahiPublication: AvahiOperation {
  private let loop: EventLoop
  private let handler: (RegistrationEvent) -> Void
  private let action: String
  private var machine: Publication
  private var connection: AvahiConnection?
  private var group: EntryGroup?
  private var timer: LoopTimer?
  private var registered: Registration?

  init(_ registration: Registration, on loop: EventLoop, _ handler: @escaping (RegistrationEvent) -> Void) {
    self.loop = loop
    self.handler = handler
    machine = Publication(registration)
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
    handle(.serverLost(error.during(action)))
  }

  /// The host has its name, so services can be registered.
  func serverIsRunning() {
    handle(.serverRunning)
  }

  /// The host is getting another name; its services cannot stand meanwhile.
  func serverIsNamingHost() {
    handle(.serverReset(DiscoveryError(.unavailable, "\(action): avahi-daemon is finding a name for this host; wait")))
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

  /// Registers with a new group: what the daemon still has to say of the former one is not mistaken for news of this.
  private func register(_ registration: Registration) {
    group?.free()
    group = nil
    guard let connection else { return }
    registered = registration
    do throws(AvahiError) {
      let group = try EntryGroup(on: connection) { [weak self] group, state in self?.changed(group, state) }
      self.group = group
      try group.add(registration)
    } catch {
      registrationFailed(error)
    }
  }

  private func update(_ registration: Registration?, to txt: TXTRecord) {
    guard let registration, let group else { return }
    do throws(AvahiError) {
      try group.update(registration, to: txt)
    } catch {
      registrationFailed(error)
    }
  }

  /// Later, because the machine is in the midst of carrying out its last decision.
  private func registrationFailed(_ error: AvahiError) {
    guard !error.isDisconnection else { return }
    let event: Publication.Event = error.isCollision ? .collision : .refused(error.during(action))
    let failed = group
    loop.atEndOfTurn { [weak self] in
      guard let self, group === failed else { return }
      handle(event)
    }
  }

  private func changed(_ changed: EntryGroup, _ state: EntryGroup.State) {
    // Also from within the calls that make and commit a group, so later, and only for the group that stands then.
    loop.atEndOfTurn { [weak self] in
      guard let self, group === changed else { return }
      switch state {
      case .established: handle(.established)
      case .collision: handle(.collision)
      case .failed(let error): registrationFailed(error)
      }
    }
  }
}
