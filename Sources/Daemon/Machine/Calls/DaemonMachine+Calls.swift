import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// The calls of clients.
extension DaemonMachine {
  /// Answers a call, or lets it wait.
  mutating func answer(_ message: BusMessage, at now: Duration) {
    guard let sender = message.sender, let path = message.path, let member = message.member else { return }
    let call = BusCall(sender: sender, serial: message.serial)
    do throws(CallFailure) {
      let (interfaces, id) = try interfaces(of: path)
      if member == "Introspect", message.interface == nil || message.interface == BusInterface.introspection.name {
        return reply(to: message, [.text(BusInterface.description(of: interfaces))])
      }
      if member == "Ping", message.interface == BusInterface.peer.name { return reply(to: message) }
      // A call without an interface is none: a bus compares its rules of interfaces with what is there.
      guard let interface = interfaces.first(where: { $0.name == message.interface }),
        let method = interface.methods.first(where: { $0.name == member })
      else { throw .unknownMethod }
      // The object is nobody else's business, whatever the arguments are.
      if let id, owner(of: id) != sender { throw .avahi(.accessDenied) }
      // A message is too long to be read when a record of it is.
      guard let body = message.body else { throw method.signature.contains("ay") ? .avahi(.invalidRecord) : .unknownMethod }
      guard body.map(\.type).joined() == method.signature else { throw .unknownMethod }
      // The result is all that such a call is for.
      if message.wantsNoAnswer, ["ResolveHostName", "ResolveAddress", "ResolveService"].contains(member) { return }
      var arguments = Arguments(body)
      if let id {
        if let values = try callObject(id, member, &arguments, at: now) { reply(to: message, values) }
      } else if let values = try callServer(member, &arguments, call, at: now) {
        reply(to: message, values)
      }
      start(member, message.interface, at: now)
    } catch {
      refuse(message, call, error)
    }
  }

  private func interfaces(of path: String) throws(CallFailure) -> ([BusInterface], ObjectID?) {
    if path == "/" { return ([.server, .server2], nil) }
    guard let id = paths[path] else { throw .unknownMethod }
    if let browser = browsers[id] { return ([browser.interface], id) }
    if let resolver = resolvers[id] { return ([resolver.interface], id) }
    return ([.entryGroup], id)
  }

  private func owner(of id: ObjectID) -> String? {
    browsers[id]?.client ?? resolvers[id]?.client ?? groups[id]?.client
  }

  mutating func reply(to message: BusMessage, _ values: [BusValue] = []) {
    guard !message.wantsNoAnswer, let sender = message.sender else { return }
    send(.answer(to: BusCall(sender: sender, serial: message.serial), values))
  }

  mutating func refuse(_ message: BusMessage, _ call: BusCall, _ failure: CallFailure) {
    guard !message.wantsNoAnswer else { return }
    switch failure {
    case .avahi(let error):
      send(.error(error.name, error.text, to: call))
    case .unknownMethod:
      let what = "\(message.interface ?? "").\(message.member ?? "") at \(message.path ?? "")"
      send(.error("org.freedesktop.DBus.Error.UnknownMethod", "There is no \(what) with these arguments", to: call))
    }
  }

  /// - Returns: The results; nil if the call is answered later.
  private mutating func callServer(
    _ member: String, _ arguments: inout Arguments, _ call: BusCall, at now: Duration
  ) throws(CallFailure) -> [BusValue]? {
    switch member {
    case "GetVersionString": return [.text(version)]
    // That of Avahi 0.8.
    case "GetAPIVersion": return [.uint32(0x0204)]
    case "GetHostName": return [.text(DNSName.avahiText(hostName.labels.prefix(1)))]
    case "SetHostName": return try setHostName(try arguments.text())
    case "GetHostNameFqdn": return [.text(hostName.avahiText)]
    case "GetDomainName": return [.text(domain.avahiText)]
    case "IsNSSSupportAvailable": return [.truth(settings.hasNameService)]
    case "GetState": return [.int32(state.rawValue)]
    case "GetLocalServiceCookie": return [.uint32(cookie)]
    case "GetAlternativeHostName":
      let name = try arguments.text()
      guard Self.isLabel(name), DNSName(client: name)?.labels.count == 1 else { throw .avahi(.notFound) }
      return [.text(AlternativeName.host(after: name))]
    case "GetAlternativeServiceName":
      let name = try arguments.text()
      guard Self.isLabel(name) else { throw .avahi(.notFound) }
      return [.text(AlternativeName.service(after: name))]
    case "GetNetworkInterfaceNameByIndex":
      let index = try arguments.int32()
      guard let interface = interfaces.first(where: { Int32(truncatingIfNeeded: $0.index) == index }) else {
        throw .avahi(.system)
      }
      return [.text(interface.name)]
    case "GetNetworkInterfaceIndexByName":
      let name = try arguments.text()
      guard let interface = interfaces.first(where: { $0.name == name }) else { throw .avahi(.system) }
      return [.int32(Int32(truncatingIfNeeded: interface.index))]
    case "EntryGroupNew": return [.path(try makeGroup(for: call.sender))]
    case "ResolveHostName", "ResolveAddress", "ResolveService":
      try resolve(member, &arguments, for: call, at: now)
      return nil
    default:
      return [.path(try makeObject(member, &arguments, for: call.sender))]
    }
  }

  /// Whether a text can be one label.
  static func isLabel(_ text: String) -> Bool { (1...DNSName.maximumLabelBytes).contains(text.utf8.count) }

  private mutating func setHostName(_ text: String) throws(CallFailure) -> [BusValue] {
    guard Self.isLabel(text), let label = DNSName(client: text)?.labels, label.count == 1,
      let name = DNSName(label, in: domain)
    else { throw .avahi(.invalidHostName) }
    guard name != hostName else { throw .avahi(.noChange) }
    hostName = name
    setState(.registering)
    effects.append(.setHostName(name))
    renameFiles()
    publishOwn()
    return []
  }

  // MARK: - Clients

  /// Checks that a client may have one more object.
  mutating func admit(_ name: String) throws(CallFailure) {
    let limits = settings.limits
    // It was noted when its call came.
    guard clients[name] != nil else { throw .avahi(.accessDenied) }
    guard clients[name]!.objects.count < limits.objectsPerClient,
      usersShare(of: name).objects < limits.objects - objectCount
    else { throw .avahi(.tooManyObjects) }
  }

  /// Notes that a client has an object.
  mutating func own(_ id: ObjectID, by client: String) {
    guard clients[client]?.objects.insert(id).inserted == true else { return }
    charge(client, Share(objects: 1))
  }

  /// Notes that a client no longer has an object.
  mutating func disown(_ id: ObjectID, by client: String) {
    guard clients[client]?.objects.remove(id) != nil else { return }
    charge(client, Share(objects: -1))
  }

  /// Gives an object a path.
  mutating func makePath(_ kind: String, of client: String, for id: ObjectID) -> String {
    clients[client]!.lastObject &+= 1
    own(id, by: client)
    let path = "/Client\(clients[client]!.number)/\(kind)\(clients[client]!.lastObject)"
    paths[path] = id
    return path
  }
}
