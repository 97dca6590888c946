import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Resolvers: what they ask, and what they tell.
extension DaemonMachine {
  /// After this time without a result a resolver has failed. It may find something later.
  static let timeout: Duration = .seconds(5)

  func makeResolver(
    _ kind: String, _ link: ClientLink, _ arguments: inout Arguments, for owner: Resolver.Owner
  ) throws(CallFailure) -> Resolver {
    switch kind {
    case "ServiceResolver":
      let (name, type) = (try arguments.text(), try arguments.text())
      let (domain, family) = (try domain(try arguments.text()), try arguments.family())
      let flags = try LookupFlags(checking: try arguments.uint32(), allowing: [.noText, .noAddress])
      guard let labels = DNSName.typeLabels(type) else { throw .avahi(.invalidServiceType) }
      // Without a name, the type itself is looked up.
      guard name.isEmpty || Self.isLabel(name) else { throw .avahi(.invalidServiceName) }
      guard let instance = DNSName((name.isEmpty ? [] : [Array(name.utf8)]) + labels, in: domain) else {
        throw .avahi(.invalidDomainName)
      }
      let goal = Resolver.ServiceGoal(
        name: name, type: DNSName.avahiText(labels), domain: domain.avahiText, instance: instance, flags: flags)
      return Resolver(goal: .service(goal), owner: owner, link: link, family: family)
    case "HostNameResolver":
      let (name, family) = (try arguments.text(), try arguments.family())
      _ = try LookupFlags(checking: try arguments.uint32())
      guard let host = DNSName(client: name) else { throw .avahi(.invalidHostName) }
      return Resolver(goal: .host(host), owner: owner, link: link, family: family)
    default:
      let text = try arguments.text()
      _ = try LookupFlags(checking: try arguments.uint32())
      guard let address = IPAddress(text), address.zone == nil else { throw .avahi(.invalidAddress) }
      return Resolver(goal: .address(address), owner: owner, link: link, family: nil)
    }
  }

  /// Begins a call that is answered when its result is there.
  mutating func resolve(
    _ member: String, _ arguments: inout Arguments, for call: BusCall, at now: Duration
  ) throws(CallFailure) {
    try admit(call.sender)
    guard clients[call.sender]!.calls < settings.limits.callsPerClient else { throw .avahi(.tooManyObjects) }
    let link = try arguments.link()
    let kind = ["ResolveHostName": "HostNameResolver", "ResolveService": "ServiceResolver"][member] ?? "AddressResolver"
    let resolver = try makeResolver(kind, link, &arguments, for: .call(call))
    let id = nextNumber()
    resolvers[id] = resolver
    clients[call.sender]!.calls += 1
    own(id, by: call.sender)
    startResolver(id, at: now)
  }

  /// Begins a lookup of the simple socket.
  mutating func resolve(_ query: SocketQuery, for token: UInt64, at now: Duration) {
    let id = nextNumber()
    let link = ClientLink(interface: 0, family: nil)
    switch query {
    case .address(let name, let family):
      guard let host = DNSName(client: name) else { return effects.append(.foundAddress(token, nil)) }
      resolvers[id] = Resolver(goal: .host(host), owner: .socket(token), link: link, family: family)
    case .name(let address):
      resolvers[id] = Resolver(goal: .address(address), owner: .socket(token), link: link, family: nil)
    }
    socketLookups[token] = id
    startResolver(id, at: now)
  }

  mutating func startResolver(_ id: ObjectID, at now: Duration) {
    guard let resolver = resolvers[id], resolver.lookups.isEmpty else { return }
    setDeadline(of: id, at: now)
    let questions: [(DNSName, DNSType)] =
      switch resolver.goal {
      case .service(let goal): [(goal.instance, .srv)] + (goal.flags.contains(.noText) ? [] : [(goal.instance, .txt)])
      case .host(let name): resolver.addressTypes.map { (name, $0) }
      case .address(let address): [(DNSName(reverseOf: address), .ptr)]
      }
    for (name, type) in questions { resolvers[id]!.lookups[ask(name, type, on: resolver.link, for: id)] = true }
  }

  private mutating func setDeadline(of id: ObjectID, at now: Duration) {
    resolvers[id]!.deadline = now + Self.timeout
    deadlines.append(id, at: now + Self.timeout)
  }

  /// Tells that a resolver has found nothing in time.
  mutating func expire(_ id: ObjectID, at now: Duration) {
    guard let resolver = resolvers[id], let deadline = resolver.deadline, deadline <= now else { return }
    resolvers[id]!.deadline = nil
    switch resolver.owner {
    case .object(let client, let path):
      signal("Failure", of: resolver.interface, at: path, to: client, [.text(AvahiError.timeout.name)])
    case .call(let call):
      send(.error(AvahiError.timeout.name, AvahiError.timeout.text, to: call))
      end(id)
    case .socket(let token):
      end(id)
      if case .host = resolver.goal {
        effects.append(.foundAddress(token, nil))
      } else {
        effects.append(.foundName(token, nil))
      }
    }
  }

  mutating func tellResolver(_ id: ObjectID, _ answer: Answer, of lookup: LookupID, at now: Duration) {
    guard let isFromCache = resolvers[id]?.lookups[lookup] else { return }
    switch answer {
    case .added(let record, let link, let isOwn):
      guard !resolvers[id]!.known.contains(where: { $0.isSame(record, link) }) else { return }
      resolvers[id]!.makeRoom()
      var flags: ResultFlags = isFromCache ? [.multicast, .cached] : .multicast
      if isOwn { flags.insert(.local) }
      resolvers[id]!.known.append(Resolver.Known(record: record, link: link, flags: flags))
    case .removed(let record, let link):
      resolvers[id]!.known.removeAll { $0.isSame(record, link) }
    case .cacheExhausted:
      resolvers[id]!.lookups[lookup] = false
    case .settled:
      guard resolvers[id]!.unsettled.remove(lookup) != nil else { return }
    }
    followTarget(of: id)
    tellFound(id, at: now)
  }

  /// Asks for the addresses of the host that a service is on.
  private mutating func followTarget(of id: ObjectID) {
    guard let resolver = resolvers[id], case .service(let goal) = resolver.goal, !goal.flags.contains(.noAddress) else {
      return
    }
    var target: (name: DNSName, interface: UInt32)?
    if let service = resolver.service, case .srv(let data) = service.record.data {
      target = (data.target, service.link.interface)
    }
    guard target?.name != resolver.target?.name || target?.interface != resolver.target?.interface else { return }
    for lookup in resolver.targetLookups {
      resolvers[id]!.lookups[lookup] = nil
      endLookup(lookup)
    }
    resolvers[id]!.known.removeAll { $0.record.data.family != nil }
    resolvers[id]!.targetLookups = []
    resolvers[id]!.unsettled = []
    resolvers[id]!.target = target
    guard let target, target.name != .root else { return }
    let link = ClientLink(interface: Int32(truncatingIfNeeded: target.interface), family: nil)
    for type in resolver.addressTypes {
      let lookup = ask(target.name, type, on: link, for: id)
      resolvers[id]!.lookups[lookup] = true
      resolvers[id]!.targetLookups.append(lookup)
      if resolver.family == nil { resolvers[id]!.unsettled.insert(lookup) }
    }
  }

  private mutating func tellFound(_ id: ObjectID, at now: Duration) {
    guard let resolver = resolvers[id] else { return }
    guard let found = resolver.found else {
      if resolver.reported != nil {
        resolvers[id]!.reported = nil
        setDeadline(of: id, at: now)
      }
      return
    }
    guard found != resolver.reported else { return }
    resolvers[id]!.reported = found
    resolvers[id]!.deadline = nil
    let values = values(of: found, for: resolver)
    switch resolver.owner {
    case .object(let client, let path):
      signal("Found", of: resolver.interface, at: path, to: client, values)
    case .call(let call):
      send(.answer(to: call, values))
      end(id)
    case .socket(let token):
      end(id)
      effects.append(result(found, for: resolver, token))
    }
  }

  private func values(of found: Resolver.Found, for resolver: Resolver) -> [BusValue] {
    let link = found.main.link
    let place: [BusValue] = [.int32(Int32(truncatingIfNeeded: link.interface)), .int32(link.family.number)]
    var flags = found.main.flags.union(found.text?.flags ?? []).union(found.address?.flags ?? [])
    switch (resolver.goal, found.main.record.data) {
    case (.service(let goal), .srv(let service)):
      if isService(goal.instance, of: resolver.client) { flags.insert(.ourOwn) }
      let strings = found.text.map { $0.record.data.strings } ?? []
      return place + [
        .text(goal.name), .text(goal.type), .text(goal.domain), .text(service.target.avahiText),
        .int32((found.address?.record.data.family).number), .text(found.address?.record.data.addressText ?? ""),
        .uint16(service.port), .array(of: "ay", strings.map { .bytes($0) }), .uint32(flags.rawValue),
      ]
    case (.host, .address(let address)):
      // Of an alias, clients are told the name that it stands for.
      return place + [
        .text(found.main.record.name.avahiText), .int32(address.family.number), .text(found.main.record.data.addressText ?? ""),
        .uint32(flags.rawValue),
      ]
    case (.address(let address), .ptr(let name)):
      return place + [
        .int32(address.family.number), .text(DNSData.address(address).addressText ?? ""), .text(name.avahiText),
        .uint32(flags.rawValue),
      ]
    default:
      return []
    }
  }

  private func result(_ found: Resolver.Found, for resolver: Resolver, _ token: UInt64) -> Effect {
    let (link, data) = (found.main.link, found.main.record.data)
    let interface = Int32(truncatingIfNeeded: link.interface)
    switch (resolver.goal, data) {
    case (.host, .address(let address)):
      return .foundAddress(
        token,
        ResolvedAddress(
          interface: interface, family: link.family, name: found.main.record.name.avahiText, address: address))
    case (_, .ptr(let name)):
      return .foundName(token, ResolvedName(interface: interface, family: link.family, name: name.avahiText))
    default:
      return .foundName(token, nil)
    }
  }
}

extension Resolver {
  /// The types of the records with the wanted addresses.
  var addressTypes: [DNSType] {
    switch family {
    case .ipv4: [.a]
    case .ipv6: [.aaaa]
    case nil: [.a, .aaaa]
    }
  }
}

extension DNSData {
  var addressText: String? { if case .address(let address) = self { address.description } else { nil } }

  /// The strings of a TXT record, the last first: clients of Avahi turn the list around.
  var strings: [[UInt8]] {
    guard case .txt(let bytes) = self else { return [] }
    var rest = bytes[...]
    var strings: [[UInt8]] = []
    while let length = rest.popFirst(), rest.count >= Int(length) {
      if length > 0 { strings.append(Array(rest.prefix(Int(length)))) }
      rest = rest.dropFirst(Int(length))
    }
    return strings.reversed()
  }
}
