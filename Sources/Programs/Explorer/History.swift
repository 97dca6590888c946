import _BonjourishDiscovery

/// What has happened to one service.
struct History: Sendable {
  /// Something that has happened.
  enum Event: Hashable, Sendable {
    case came, went
    /// It came back; the name of its host, if another one offers it now.
    case returned(host: String?)
    /// Another host offers it.
    case moved(host: String)
    /// Something else has changed.
    case changed(String)

    /// In words, escaped for display.
    var words: String {
      switch self {
      case .came: "came"
      case .went: "went"
      case .returned(nil): "came back"
      case .returned(let host?): "came back from another host, \(host)"
      case .moved(let host): "now of another host, \(host)"
      case .changed(let what): "\(what) changed"
      }
    }
  }

  /// The latest events, the oldest first.
  private(set) var events: [(time: Duration, event: Event)] = []
  /// The number of older events that are no longer kept.
  private(set) var droppedCount = 0
  /// The host that offered it last, escaped for display.
  private var host: String?

  /// The most events that are kept of one service.
  static let mostEvents = 24
  /// A service that went this often in ``flappingTime`` comes and goes again and again.
  static let flappingCount = 3
  static let flappingTime: Duration = .seconds(300)

  /// The time until which the service counts as one that comes and goes; zero if it does not.
  var flapsUntil: Duration {
    let goings = events.filter { $0.event == .went }.suffix(Self.flappingCount)
    guard goings.count == Self.flappingCount, let first = goings.first, let last = goings.last,
      last.time - first.time <= Self.flappingTime
    else { return .zero }
    return last.time + Self.flappingTime
  }

  mutating func came(_ service: DiscoveredService, at now: Duration) {
    add(events.isEmpty ? .came : .returned(host: nil), at: now)
    note(service.endpoint, at: now)
  }

  mutating func went(at now: Duration) { add(.went, at: now) }

  /// Notes what differs from the former state.
  mutating func changed(from former: DiscoveredService, to service: DiscoveredService, at now: Duration) {
    let differences = service.differences(from: former)
    if differences.contains(.links), former.sources != service.sources { add(.changed("interfaces"), at: now) }
    if let old = former.endpoint, let new = service.endpoint {
      if old.port != new.port { add(.changed("port"), at: now) }
      if old.host == new.host, old.addresses != new.addresses { add(.changed("addresses"), at: now) }
      if old.txt != new.txt { add(.changed("TXT record"), at: now) }
    }
    note(service.endpoint, at: now)
  }

  /// Notes which host offers it.
  mutating func note(_ endpoint: Endpoint?, at now: Duration) {
    guard let name = endpoint?.host.description else { return }
    defer { host = name }
    guard let host, host != name else { return }
    if let last = events.last, last.event == .returned(host: nil) {
      events[events.count - 1].event = .returned(host: name)
    } else {
      add(.moved(host: name), at: now)
    }
  }

  private mutating func add(_ event: Event, at now: Duration) {
    events.append((now, event))
    guard events.count > Self.mostEvents else { return }
    events.removeFirst()
    droppedCount += 1
  }
}

/// The histories of services, also of those that are gone.
struct HistoryBook: Sendable {
  private var histories: [ServiceInstance: History] = [:]
  /// Services that went, in the order in which they did; some have come back since.
  private var gone: [ServiceInstance] = []
  private var present: Set<ServiceInstance> = []

  /// The most services that are gone and not forgotten.
  static let mostGone = 1_000

  subscript(instance: ServiceInstance) -> History { histories[instance] ?? History() }

  /// The number of services with a history.
  var count: Int { histories.count }

  mutating func came(_ service: DiscoveredService, at now: Duration) {
    present.insert(service.instance)
    histories[service.instance, default: History()].came(service, at: now)
  }

  mutating func changed(from former: DiscoveredService, to service: DiscoveredService, at now: Duration) {
    histories[service.instance, default: History()].changed(from: former, to: service, at: now)
  }

  mutating func note(_ endpoint: Endpoint, of instance: ServiceInstance, at now: Duration) {
    histories[instance]?.note(endpoint, at: now)
  }

  mutating func went(_ instance: ServiceInstance, at now: Duration) {
    histories[instance, default: History()].went(at: now)
    present.remove(instance)
    gone.append(instance)
    guard gone.count > 2 * Self.mostGone else { return }
    let forgotten = gone.prefix(gone.count - Self.mostGone)
    gone.removeFirst(forgotten.count)
    let kept = Set(gone)
    for instance in forgotten where !present.contains(instance) && !kept.contains(instance) { histories[instance] = nil }
  }
}
