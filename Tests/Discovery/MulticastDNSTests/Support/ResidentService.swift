import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// A service of a ``Resident``. Carries out the effects of ``Publication`` with registrations of the engine, as the backend does.
final class ResidentService {
  private unowned let host: VirtualHost
  private unowned let network: VirtualNetwork
  private var machine: Publication
  private(set) var registration: Registration
  private var number: MulticastEngine.RegistrationID?
  /// Counts the timers, so that only the last fires.
  private var timers = 0
  /// All names that it ever wanted.
  private(set) var claimed: Set<String>
  /// The name that others are told; nil while there is none.
  private(set) var established: String?
  /// Why it ended, if it did not want to.
  private(set) var failure: DiscoveryError?

  init(_ name: String, on host: VirtualHost, of network: VirtualNetwork) {
    self.host = host
    self.network = network
    registration = Registration(
      try! InstanceName(name), type: "_x._tcp", domain: .local, port: 1, txt: ["v": "0"])
    machine = Publication(registration, engine: .builtIn, seed: UInt64(host.index))
    claimed = [name]
  }

  var name: String { registration.name.text }
  /// The TXT record's data.
  var text: [UInt8] { registration.service!.txt.data }

  func start() { handle(.serverRunning) }

  func update(_ value: Int) { handle(.updated(["v": .init("\(value)")])) }

  /// Ends the service for good, with a goodbye.
  func stop() {
    timers += 1
    withdraw()
    established = nil
  }

  /// Takes in a change of a registration, which may be another's.
  func changed(_ number: MulticastEngine.RegistrationID, _ change: MulticastEngine.RegistrationChange) {
    guard number == self.number else { return }
    switch change {
    case .established: handle(.established)
    case .conflict:
      self.number = nil
      handle(.collision)
    }
  }

  private func handle(_ event: Publication.Event) {
    for effect in machine.handle(event) {
      switch effect {
      case .register(let registration): register(registration)
      case .updateText(let text):
        registration = registration.replacing(txt: text)
        if let number { host.do(.update(number, records)) }
      case .withdraw: withdraw()
      case .startTimer(let time): startTimer(time)
      case .stopTimer: timers += 1
      case .report(.established(let name)): established = name.text
      case .report(.renamed), .report(.interrupted): established = nil
      case .report(.failed(let error)):
        failure = error
        established = nil
      }
    }
  }

  private func startTimer(_ time: Duration) {
    timers += 1
    let timer = timers
    network.schedule(host.index, after: time) { [weak self] in
      if let self, timers == timer { handle(.timerFired) }
    }
  }

  private func register(_ registration: Registration) {
    withdraw()
    self.registration = registration
    claimed.insert(name)
    let number = host.newRegistration()
    self.number = number
    // The engine may answer at once, while the state machine still handles an event.
    network.schedule(host.index, after: .zero) { [weak self] in
      if let self, self.number == number { host.do(.publish(number, records)) }
    }
  }

  private var records: [PublishedRecord] { VirtualHost.service(name, port: registration.service!.port, txt: text) }

  private func withdraw() {
    if let number { host.do(.withdraw(number)) }
    number = nil
  }
}
