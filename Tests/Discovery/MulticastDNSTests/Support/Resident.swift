import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// A host of a ``Simulation``, what it publishes, and what it asks for.
final class Resident {
  let host: VirtualHost
  private let network: VirtualNetwork
  private(set) var services: [ResidentService] = []
  /// The names that services wanted which it has ended.
  private var ended: Set<String> = []
  /// The host's name; nil while it has none.
  private(set) var hostName: DNSName?
  private(set) var wantedHostName: DNSName?
  private var hostNames: Set<DNSName> = []
  /// Its questions.
  private(set) var asked: [Hearing.Subject: MulticastEngine.QueryID] = [:]
  /// What it has heard of what it asks for, on each link; nil if nobody follows that.
  private var hearing: [MulticastLink: Hearing]?
  /// How often its links were begun again, or its addresses changed.
  private(set) var changes = 0

  /// - Parameter isWatched: Whether ``discrepancies()`` is to find any.
  init(_ host: VirtualHost, on network: VirtualNetwork, isWatched: Bool) {
    self.host = host
    self.network = network
    host.keepsEffects = false
    host.react = { [unowned self] in take($0) }
    guard isWatched else { return }
    hearing = [:]
    listenAnew()
    host.overhear = { [unowned self] in hearing![$1]?.hear($0, at: self.network.now) }
  }

  func claim(_ name: DNSName) {
    wantedHostName = name
    hostNames.insert(name)
    host.do(.setHostName(name))
  }

  @discardableResult
  func publish(_ name: String) -> ResidentService {
    let service = ResidentService(name, on: host, of: network)
    services.append(service)
    service.start()
    return service
  }

  /// Ends a service with a goodbye.
  func withdraw(_ service: ResidentService) {
    service.stop()
    ended.formUnion(service.claimed)
    services.removeAll { $0 === service }
  }

  func ask(_ subject: Hearing.Subject) {
    guard asked[subject] == nil else { return }
    for link in host.links.keys { hearing?[link]?.follow(subject) }
    asked[subject] = host.ask(subject.name.description, subject.type)
  }

  func change(_ interface: UInt32, _ body: (inout VirtualInterface) -> Void) {
    changes += 1
    host.change(interface, body)
    listenAnew()
  }

  func wakeUp() {
    changes += 1
    if host.noticesSleep, hearing != nil { hearing = [:] }
    // Links that begin anew have heard nothing, even of what comes as soon as they do.
    listenAnew(to: host.interfaces.flatMap(\.links))
    host.wakeUp()
    listenAnew()
  }

  /// Forgets what was heard on links that have ended, and listens on new ones.
  private func listenAnew(to links: [MulticastLink]? = nil) {
    guard let hearing else { return }
    let links = links ?? Array(host.links.keys)
    self.hearing = hearing.filter { links.contains($0.key) }
    for link in links where hearing[link] == nil {
      var new = Hearing()
      for subject in asked.keys { new.follow(subject) }
      self.hearing![link] = new
    }
  }

  /// What is told of its services to all.
  var names: [String] { services.compactMap(\.established) }

  func service(_ name: String) -> ResidentService? { services.first { $0.established == name } }

  /// What keeps it from having announced all that it publishes.
  var unsettled: [String] {
    services.filter { $0.established == nil }.map { "\"\($0.name)\"\($0.failure.map { ": \($0)" } ?? "")" }
      + (hostName == nil ? ["a name for the host"] : [])
  }

  func known(_ subject: Hearing.Subject, on link: MulticastLink) -> Set<RecordIdentity> {
    asked[subject].map { host.answers($0, on: link) } ?? []
  }

  /// What is wrong with what it knows, given what it heard: records that have expired, and records that have not and are gone.
  func discrepancies() -> [String] {
    guard let hearing, host.backlog == nil else { return [] }
    var faults: [String] = []
    for (link, heard) in hearing {
      for subject in asked.keys {
        let (known, due) = (known(subject, on: link), heard.known(subject, at: network.now))
        guard known != due else { continue }
        let kept = known.subtracting(due).filter { !isOwn($0) }
        let lost = due.subtracting(known).subtracting(heard.doubtful(subject, at: network.now)).filter { !isOwn($0) }
        if !kept.isEmpty { faults.append("host \(host.index) keeps \(kept.map(\.summary).sorted()) beyond its time") }
        if !lost.isEmpty {
          faults.append("host \(host.index) has heard of \(lost.map(\.summary).sorted()), and does not know it")
        }
      }
    }
    return faults.sorted()
  }

  /// Whether it says so itself, or did once: what others say of it does not count then.
  private func isOwn(_ record: RecordIdentity) -> Bool {
    if hostNames.contains(record.name) { return true }
    guard let instance = record.instance ?? record.name.firstLabel else { return false }
    return services.contains { $0.claimed.contains(instance) } || ended.contains(instance)
  }

  private func take(_ effect: MulticastEngine.Effect) {
    switch effect {
    case .registration(let id, let change):
      for service in services { service.changed(id, change) }
    case .hostName(.established(let name)):
      hostName = name
    case .hostName(.renamed(_, let name)):
      hostName = nil
      hostNames.insert(name)
    case .send, .answer, .cacheExhausted, .settled:
      break
    }
  }
}

extension DNSName {
  var firstLabel: String? { labels.first.flatMap { String(validating: $0, as: UTF8.self) } }
}

extension RecordIdentity {
  /// The instance that a pointer leads to.
  var instance: String? { if case .ptr(let name) = data { name.firstLabel } else { nil } }

  var summary: String { instance ?? "\(name) \(data.type.rawValue)" }
}
