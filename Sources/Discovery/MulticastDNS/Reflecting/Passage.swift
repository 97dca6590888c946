import _BonjourishDiscovery

/// One direction: the rules, and what they have to know of what was heard.
struct Passage {
  let filter: ReflectionFilter
  private let keepsLinkLocal: Bool
  var counters = ReflectionCounters.Passage()
  /// The instances to which a pointer of an allowed subtype has led, and the hosts to which a service has, until when.
  private var instances = Generations<Int, Instant>(limit: 8_192)
  private var hosts = Generations<Int, Instant>(limit: 8_192)
  /// The instances on hosts that do not cross.
  private var barred = Generations<Int, Instant>(limit: 8_192)

  init(_ filter: ReflectionFilter, keepsLinkLocal: Bool) {
    self.filter = filter
    self.keepsLinkLocal = keepsLinkLocal
  }

  // MARK: - Learning

  /// Notes to what the records of a message lead, in the order in which that matters: pointers first, then locations.
  mutating func learn(_ records: [DNSRecord], at now: Instant) {
    for record in records where record.timeToLive > 0 {
      guard case .ptr(let target) = record.data, case .subtype = ReflectedName(record.name), rule(for: record, at: now) == nil
      else { continue }
      instances[target.digest] = record.end(after: now)
    }
    for record in records where record.timeToLive > 0 {
      guard case .srv(let service) = record.data else { continue }
      let isBarred = rule(ofHost: service.target, isLedTo: true, at: now) != nil
      barred[record.name.digest] = isBarred ? record.end(after: now) : nil
      if !isBarred, rule(for: record, at: now) == nil { hosts[service.target.digest] = record.end(after: now) }
    }
    for record in records where record.timeToLive > 0 {
      guard case .cname(let target) = record.data, rule(for: record, at: now) == nil else { continue }
      hosts[target.digest] = record.end(after: now)
    }
  }

  // MARK: - Deciding

  /// The rule that keeps a question back; nil if it crosses.
  func rule(asking question: DNSQuestion, at now: Instant) -> ReflectionRule? {
    switch ReflectedName(question.name) {
    case .types: filter.types?.isEmpty == true ? .type : nil
    case .type(let type): rule(ofType: type, nil)
    case .subtype(let subtype, let type): rule(ofType: type, subtype)
    case .instance(let label, let type): rule(ofInstance: question.name, label, type, at: now)
    case .host: rule(ofHost: question.name, isLedTo: false, at: now)
    case .other: .form
    }
  }

  /// The rule that keeps a record back; nil if it crosses.
  func rule(for record: DNSRecord, at now: Instant) -> ReflectionRule? {
    if case .nsec(let next, _) = record.data, next != record.name { return .form }
    switch (ReflectedName(record.name), record.data) {
    case (.types, .ptr(let target)):
      guard case .type(let type) = ReflectedName(target) else { return .form }
      return rule(ofListed: type)
    case (.type(let type), .ptr(let target)):
      return rule(ofType: type, nil) ?? rule(ofPointer: target, type, at: now)
    case (.subtype(let subtype, let type), .ptr(let target)):
      return rule(ofType: type, subtype) ?? rule(ofPointer: target, type, at: now)
    case (.instance(let label, let type), .srv(let service)):
      return rule(ofInstance: record.name, label, type, at: now) ?? rule(ofHost: service.target, isLedTo: true, at: now)
    case (.instance(let label, let type), .txt), (.instance(let label, let type), .nsec),
      (.instance(let label, let type), .other):
      return rule(ofInstance: record.name, label, type, at: now)
    case (.host, .address(let address)):
      if address.isLinkLocal, !keepsLinkLocal { return .linkLocal }
      return rule(ofHost: record.name, isLedTo: false, at: now)
    case (.host, .cname(let target)):
      guard case .host = ReflectedName(target) else { return .form }
      return rule(ofHost: record.name, isLedTo: false, at: now) ?? rule(ofHost: target, isLedTo: true, at: now)
    case (.host, .hinfo), (.host, .nsec), (.host, .txt), (.host, .other):
      return rule(ofHost: record.name, isLedTo: false, at: now)
    case (.types, _), (.type, _), (.subtype, _), (.instance, _), (.host, _), (.other, _):
      return .form
    }
  }

  private func rule(ofPointer target: DNSName, _ type: DNSName, at now: Instant) -> ReflectionRule? {
    guard case .instance(let label, type) = ReflectedName(target) else { return .form }
    return rule(ofInstance: target, label, type, isShown: true, at: now)
  }

  /// A type in the list of types: it is there too if only a subtype of it crosses.
  private func rule(ofListed type: DNSName) -> ReflectionRule? {
    if let denial = denial(ofType: type, nil) { return .denied(denial) }
    return filter.types.map { $0.contains { $0.type == type } } ?? true ? nil : .type
  }

  private func rule(ofType type: DNSName, _ subtype: DNSName?) -> ReflectionRule? {
    if let denial = denial(ofType: type, subtype) { return .denied(denial) }
    return allows(type) || subtype.map { name in filter.types?.contains { $0.subtype == name } ?? true } == true ? nil : .type
  }

  private func denial(ofType type: DNSName, _ subtype: DNSName?) -> Int? {
    filter.denials.firstIndex {
      guard case .type(let pattern) = $0 else { return false }
      return pattern.type == type && (pattern.subtype == nil || pattern.subtype == subtype)
    }
  }

  /// Whether all services of a type cross.
  private func allows(_ type: DNSName) -> Bool {
    filter.types.map { $0.contains { $0.type == type && $0.subtype == nil } } ?? true
  }

  /// - Parameter isShown: Whether a pointer that crosses leads to it, so that its type is allowed.
  private func rule(
    ofInstance name: DNSName, _ label: [UInt8], _ type: DNSName, isShown: Bool = false, at now: Instant
  ) -> ReflectionRule? {
    for (index, denial) in filter.denials.enumerated() {
      switch denial {
      case .type(let pattern) where pattern.subtype == nil && pattern.type == type: return .denied(index)
      case .name(let glob) where glob.matches(label): return .denied(index)
      case .type, .name, .host: break
      }
    }
    guard isShown || allows(type) || instances[name.digest].map({ $0 > now }) == true else { return .type }
    guard filter.names.isEmpty || filter.names.contains(where: { $0.matches(label) }) else { return .name }
    return barred[name.digest].map { $0 > now } == true ? .host : nil
  }

  /// - Parameter isLedTo: Whether the record that is decided on leads to it.
  private func rule(ofHost name: DNSName, isLedTo: Bool, at now: Instant) -> ReflectionRule? {
    guard case .host(let text) = ReflectedName(name) else { return .form }
    for (index, denial) in filter.denials.enumerated() {
      if case .host(let glob) = denial, glob.matches(host: text) { return .denied(index) }
    }
    guard filter.hosts.isEmpty else { return filter.hosts.contains { $0.matches(host: text) } ? nil : .host }
    return !filter.isSelective || isLedTo || hosts[name.digest].map { $0 > now } == true ? nil : .host
  }
}

extension DNSRecord {
  /// The longest time for which something is remembered because of a record, in seconds.
  private static let longest: UInt32 = 86_400

  fileprivate func end(after now: Instant) -> Instant { now + Int64(min(timeToLive, Self.longest)) * 1000 }
}
