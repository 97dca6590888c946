import MulticastDNS

/// A host of a ``Simulation``, what it publishes, and what it asks for.
final class Resident {
  let host: VirtualHost
  private let network: VirtualNetwork
  /// What each registration wants to be called, and how often it gave way.
  private var services: [MulticastEngine.RegistrationID: (wanted: String, number: Int)] = [:]
  private var established: Set<MulticastEngine.RegistrationID> = []
  /// All that it ever wanted to publish.
  private var claimed: Set<String> = []
  /// The host's name; nil while it has none.
  private(set) var hostName: DNSName?
  /// Its questions.
  private(set) var asked: [Hearing.Subject: MulticastEngine.QueryID] = [:]
  /// What it has heard of what it asks for; nil if nobody follows that.
  private var hearing: Hearing?

  /// - Parameter isWatched: Whether ``discrepancies()`` is to find any.
  init(_ host: VirtualHost, on network: VirtualNetwork, isWatched: Bool) {
    self.host = host
    self.network = network
    host.keepsEffects = false
    host.react = { [unowned self] in take($0) }
    guard isWatched else { return }
    hearing = Hearing()
    host.overhear = { [unowned self] in hearing!.hear($0, at: self.network.now) }
  }

  func publish(_ wanted: String, number: Int = 1) {
    // Noted before the engine can say that the name is taken.
    services[host.nextRegistration] = (wanted, number)
    claimed.insert(Self.name(wanted, number))
    _ = host.publish(Self.name(wanted, number))
  }

  func ask(_ subject: Hearing.Subject) {
    hearing?.follow(subject)
    asked[subject] = host.ask(subject.name.description, subject.type)
  }

  /// What is told of its services to all.
  var names: [String] { services.filter { established.contains($0.key) }.map { Self.name($0.value.wanted, $0.value.number) } }

  /// Whether all that it publishes has been announced.
  var isSettled: Bool { established.count == services.count && hostName != nil }

  func known(_ subject: Hearing.Subject) -> Set<RecordIdentity> { asked[subject].flatMap { host.answers[$0] } ?? [] }

  /// What is wrong with what it knows, given what it heard: records that have expired, and records that have not and are gone.
  func discrepancies() -> [String] {
    guard let hearing else { return [] }
    var faults: [String] = []
    for subject in asked.keys {
      let (known, due) = (known(subject), hearing.known(subject, at: network.now))
      guard known != due else { continue }
      let kept = known.subtracting(due).filter { !isOwn($0) }
      let lost = due.subtracting(known).subtracting(hearing.doubtful(subject, at: network.now)).filter { !isOwn($0) }
      if !kept.isEmpty { faults.append("host \(host.index) keeps \(kept.map(\.summary).sorted()) beyond its time") }
      if !lost.isEmpty {
        faults.append("host \(host.index) has heard of \(lost.map(\.summary).sorted()), and does not know it")
      }
    }
    return faults
  }

  /// Whether it says so itself, or did once: what others say of it does not count then.
  private func isOwn(_ record: RecordIdentity) -> Bool { record.instance.map(claimed.contains) ?? false }

  private func take(_ effect: MulticastEngine.Effect) {
    switch effect {
    case .registration(let id, .established):
      established.insert(id)
    case .registration(let id, .conflict):
      guard let (wanted, number) = services.removeValue(forKey: id) else { return }
      established.remove(id)
      publish(wanted, number: number + 1)
    case .hostName(.established(let name)):
      hostName = name
    case .hostName(.renamed):
      hostName = nil
    case .send, .answer, .cacheExhausted, .settled:
      break
    }
  }

  private static func name(_ wanted: String, _ number: Int) -> String { number == 1 ? wanted : "\(wanted) (\(number))" }
}

extension RecordIdentity {
  /// The instance that a pointer leads to.
  var instance: String? { if case .ptr(let name) = data { name.firstLabel } else { nil } }

  var summary: String { instance ?? "\(name) \(data.type.rawValue)" }
}
