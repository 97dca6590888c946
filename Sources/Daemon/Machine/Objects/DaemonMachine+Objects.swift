import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// The objects of clients: how they are made, started, called and freed.
extension DaemonMachine {
  /// Makes a browser or a resolver, which does nothing until it is started.
  mutating func makeObject(_ member: String, _ arguments: inout Arguments, for client: String) throws(CallFailure) -> String {
    try admit(client)
    let id = nextNumber()
    let kind = member.hasSuffix("New") ? member.dropLast(3) : member.dropLast(7)
    let link = try arguments.link()
    switch kind {
    case "DomainBrowser", "ServiceTypeBrowser", "ServiceBrowser", "RecordBrowser":
      let browser = try makeBrowser(String(kind), link, &arguments, for: client)
      browsers[id] = browser
    case "ServiceResolver", "HostNameResolver", "AddressResolver":
      let resolver = try makeResolver(String(kind), link, &arguments, for: .object(client: client, path: ""))
      resolvers[id] = resolver
    default:
      throw .unknownMethod
    }
    let path = makePath(String(kind), of: client, for: id)
    browsers[id]?.path = path
    resolvers[id]?.owner = .object(client: client, path: path)
    started = id
    return path
  }

  /// The time after which an object begins that a call has made, as in avahi-daemon.
  ///
  /// A client must know the object before it is told of it. And libavahi-client reads signals that come between the answers to its
  /// calls, but its loop may then sleep before it hands them on: CUPS looks for printers with six calls in a row, and was half a
  /// second late with each signal.
  static let startDelay: Duration = .milliseconds(10)

  /// The same for the resolver of a service, which avahi-daemon 0.8 begins at once: whoever was told of a service waits for its address.
  static let serviceStartDelay: Duration = .milliseconds(1)

  /// Lets the object that a call has made begin after a while; the calls of Server2 leave that to the client.
  mutating func start(_ member: String, _ interface: String?, at now: Duration) {
    guard let id = started.take(), member.hasSuffix("New") else { return }
    if case .service = resolvers[id]?.goal {
      serviceStarts.append(id, at: now + Self.serviceStartDelay)
    } else {
      starts.append(id, at: now + Self.startDelay)
    }
  }

  mutating func start(_ id: ObjectID, at now: Duration) {
    if browsers[id] != nil { startBrowser(id, at: now) }
    if resolvers[id] != nil { startResolver(id, at: now) }
  }

  /// - Returns: The results.
  mutating func callObject(
    _ id: ObjectID, _ member: String, _ arguments: inout Arguments, at now: Duration
  ) throws(CallFailure) -> [BusValue]? {
    switch member {
    case "Free": end(id)
    case "Start": start(id, at: now)
    default: return try callGroup(id, member, &arguments)
    }
    return []
  }

  /// Ends an object, and what it asks or publishes.
  mutating func end(_ id: ObjectID) {
    if let browser = browsers.removeValue(forKey: id) {
      forget(id, browser.path, of: browser.client)
      if let lookup = browser.lookup { endLookup(lookup) }
    } else if let resolver = resolvers.removeValue(forKey: id) {
      for lookup in resolver.lookups.keys.sorted(by: { $0.rawValue < $1.rawValue }) { endLookup(lookup) }
      switch resolver.owner {
      case .object(let client, let path): forget(id, path, of: client)
      case .call(let call):
        clients[call.sender]?.calls -= 1
        disown(id, by: call.sender)
      case .socket(let token): socketLookups[token] = nil
      }
    } else if let group = groups[id] {
      clear(id)
      groups[id] = nil
      forget(id, group.path, of: group.client)
    }
  }

  private mutating func forget(_ id: ObjectID, _ path: String, of client: String) {
    paths[path] = nil
    disown(id, by: client)
  }

  mutating func ask(_ name: DNSName, _ type: DNSType, on link: ClientLink, for id: ObjectID) -> LookupID {
    let lookup = LookupID(nextNumber())
    lookups[lookup] = id
    effects.append(.ask(lookup, name, type, on: selection(of: link)))
    return lookup
  }

  mutating func endLookup(_ lookup: LookupID) {
    lookups[lookup] = nil
    effects.append(.endAsking(lookup))
  }

  mutating func take(_ answer: Answer, of lookup: LookupID, at now: Duration) {
    guard let id = lookups[lookup] else { return }
    if browsers[id] != nil { tellBrowser(id, answer) } else { tellResolver(id, answer, of: lookup, at: now) }
  }

  /// The interfaces and families that a client's link stands for.
  func selection(of link: ClientLink) -> InterfaceSelection {
    var selection = settings.interfaces
    if let family = link.family {
      guard selection.families.isEmpty || selection.families.contains(family) else { return .directoryOnly }
      selection.families = [family]
    }
    if link.interface > 0 { selection.index = UInt32(link.interface) }
    return selection
  }

  /// The domain that a client names; the daemon's if it names none.
  func domain(_ text: String) throws(CallFailure) -> DNSName {
    if text.isEmpty { return domain }
    guard let name = DNSName(client: text) else { throw .avahi(.invalidDomainName) }
    return name
  }
}
