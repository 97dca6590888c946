import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

/// One publication. Carries out the effects of ``Publication`` with registrations of the engine. Confined to the loop.
final class MulticastPublication: PublicationShell {
  let interfaces: InterfaceSelection
  let needsThisHost: Bool
  private let id: OperationID
  private unowned let backend: MulticastBackend
  private let handler: (RegistrationEvent) -> Void
  var machine: Publication
  private var registration: Registration
  private var number: MulticastEngine.RegistrationID?
  private lazy var timer = LoopDeadline(on: backend.loop) { [weak self] in self?.handle(.timerFired) }

  init(
    _ registration: Registration, as id: OperationID, on backend: MulticastBackend,
    _ handler: @escaping (RegistrationEvent) -> Void
  ) {
    interfaces = registration.interfaces
    needsThisHost = registration.needsThisHost
    self.registration = registration
    self.id = id
    self.backend = backend
    self.handler = handler
    machine = Publication(registration, engine: .builtIn, seed: .random(in: 0...UInt64.max))
  }

  /// Starts to publish the service, for the first time or again.
  func networkFound() {
    handle(.serverRunning)
  }

  /// Reports that the service cannot be found. The engine goes on publishing it: nobody is to lose it because of a short outage.
  func networkLost(_ outage: NetworkOutage) {
    handle(.serverLost(outage.during(registration.action)))
  }

  func stop() {
    timer.cancel()
    withdraw()
  }

  /// Ends without withdrawing the service.
  func abandon() {
    timer.cancel()
    number = nil
  }

  func update(_ txt: TXTRecord) {
    handle(.updated(txt))
  }

  /// Handles a change of the current registration. Changes of former registrations are ignored.
  func changed(_ number: MulticastEngine.RegistrationID, _ change: MulticastEngine.RegistrationChange) {
    guard number == self.number else { return }
    switch change {
    case .established: handle(.established)
    case .conflict:
      self.number = nil
      handle(.collision)
    }
  }

  func setTimer(_ time: Duration?) { timer.set(time.map { ContinuousClock.now + $0 }) }

  func report(_ event: RegistrationEvent) { handler(event) }

  func register(_ registration: Registration) {
    withdraw()
    self.registration = registration
    let number = backend.newRegistration(for: id)
    self.number = number
    later { publication in
      guard publication.number == number else { return }
      do throws(DNSNameError) {
        publication.backend.register(try registration.records(), as: number, on: registration.interfaces)
      } catch {
        publication.refuse(error)
      }
    }
  }

  func updateText(_ txt: TXTRecord) {
    registration = registration.replacing(txt: txt)
    guard let number else { return }
    let registration = registration
    later { publication in
      guard publication.number == number else { return }
      do throws(DNSNameError) {
        publication.backend.update(number, to: try registration.records())
      } catch {
        publication.refuse(error)
      }
    }
  }

  func withdraw() {
    if let number { backend.withdraw(number) }
    number = nil
  }

  private func refuse(_ error: DNSNameError) {
    handle(.refused(DiscoveryError(.refused, "\(registration.action): \(error)", because: error)))
  }

  /// Runs a closure at the end of this tick: the engine may answer at once, while the state machine still handles an event.
  private func later(_ body: @escaping (MulticastPublication) -> Void) {
    backend.loop.atEndOfTick { [weak self] in
      if let self { body(self) }
    }
  }
}
