#if Daemon
import _BonjourishDaemon
import _BonjourishDaemonConfiguration
import _BonjourishDaemonMachine
import _BonjourishDaemonService
import _BonjourishDiscovery
import _BonjourishSimpleProtocol
import _BonjourishSimpleSocket

extension DaemonSettings {
  /// What the configuration file says.
  init(_ file: AvahiSettings) {
    self.init()
    switch file.hostName {
    case .ofMachine: break
    case .named(let name): hostName = name
    case .ofMachineID: hostName = ServiceProcess.machineID
    }
    interfaces.included = file.interfaces.included
    interfaces.excluded = file.interfaces.excluded
    interfaces.families = file.interfaces.families
    browseDomains = file.browseDomains.map(\.text)
    disallowsUserPublishing = file.disablesUserPublishing
    disallowsPublishing = file.disablesPublishing
    publishesAddresses = file.publishesAddresses
    publishesDomain = file.publishesDomain
    addsServiceCookie = file.addsServiceCookie
    usesBus = file.bus != .unused
    needsBus = file.bus == .required
    hasNameService = ServiceProcess.hasNameService
    if let maximum = file.maximumClients { limits.clients = maximum }
    if let maximum = file.maximumObjectsPerClient { limits.objectsPerClient = maximum }
    if let maximum = file.maximumEntriesPerGroup { limits.entriesPerGroup = maximum }
  }
}

extension ServiceFile {
  /// The services as the daemon publishes them.
  var staticServices: [StaticService] {
    services.map { service in
      var published = StaticService(name: name, type: service.type, port: service.port)
      published.replacesWildcards = replacesWildcards
      published.subtypes = service.subtypes
      published.domain = service.domain
      published.host = service.host
      published.txt = service.txt
      published.families = service.families
      return published
    }
  }
}

extension Daemon {
  /// Looks something up for a client of the simple socket.
  nonisolated func lookUp(_ request: SimpleRequest, _ handler: @escaping @Sendable (SimpleAnswer) -> Void) -> () -> Void {
    switch request {
    case .address(let host, let family):
      guard (try? DomainName(host)) != nil else {
        handler(.invalidHostName)
        return {}
      }
      let id = resolve(hostName: host, family) { found in
        handler(
          found.map { .address($0.address, ofHost: $0.name, .init(interface: $0.interface, family: $0.family)) } ?? .timeout)
      }
      return { self.cancel(id) }
    case .name(let address):
      let id = resolve(address) { found in
        handler(found.map { .name($0.name, .init(interface: $0.interface, family: $0.family)) } ?? .timeout)
      }
      return { self.cancel(id) }
    case .nameServers:
      handler(.notSupported)
      return {}
    }
  }
}
#endif
