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
    publishesOtherDomains = !file.enablesWideArea
    publishesDomain = file.publishesDomain
    publishesWorkstation = file.publishesWorkstation
    if file.publishesHostInformation { hostInformation = .ofMachine }
    addsServiceCookie = file.addsServiceCookie
    usesBus = file.bus != .unused
    needsBus = file.bus == .required
    hasNameService = ServiceProcess.hasNameService
    if let maximum = file.maximumClients { limits.clients = maximum }
    if let maximum = file.maximumObjectsPerClient { limits.objectsPerClient = maximum }
    if let maximum = file.maximumEntriesPerGroup { limits.entriesPerGroup = maximum }
  }
}

extension HostInformation {
  /// In the words of uname(2) in capitals, as RFC 1010 has them.
  fileprivate static var ofMachine: HostInformation {
    #if arch(x86_64)
    let processor = "X86_64"
    #elseif arch(arm64)
    let processor = "AARCH64"
    #elseif arch(arm)
    let processor = "ARM"
    #elseif arch(riscv64)
    let processor = "RISCV64"
    #else
    let processor = "UNKNOWN"
    #endif
    return HostInformation(processor: processor, system: "LINUX")
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
    }
  }
}
#endif
