#if Avahi
import CAvahi.Client
import Discovery

/// One browse. Owns an Avahi service browser while the daemon runs. Confined to the loop.
final class AvahiBrowse: AvahiOperation {
  private let query: BrowseQuery
  private let links: LinkTable
  private let handler: (BrowseEvent) -> Void
  private var connection: AvahiConnection?
  private var browser: OpaquePointer?
  private(set) var restriction: Restriction
  private var isInterrupted = false

  init(_ query: BrowseQuery, links: LinkTable, _ handler: @escaping (BrowseEvent) -> Void) {
    self.query = query
    self.links = links
    restriction = Restriction(to: query.interface)
    self.handler = handler
  }

  deinit {
    assert(browser == nil, "an Avahi service browser was not freed")
  }

  private var action: String { "browsing \(query.typeName)" }

  func start(on connection: AvahiConnection) {
    self.connection = connection
    guard let interface = restriction.index else { return tellInterruption(restriction.interruption(of: action)) }
    if isInterrupted {
      isInterrupted = false
      handler(.restored)
    }
    let callback: AvahiServiceBrowserCallback = { _, interface, family, event, name, _, domain, _, userdata in
      // `stop`, or freeing the client, frees the browser before this object.
      Unmanaged<AvahiBrowse>.fromOpaque(userdata!).takeUnretainedValue().browsed(
        event, interface, family, name: name, domain: domain)
    }
    browser = avahi_service_browser_new(
      connection.client, interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), query.typeName,
      query.domain.text, AvahiLookupFlags(0), callback, Unmanaged.passUnretained(self).toOpaque())
    guard browser == nil else { return }
    let error = connection.error
    connection.callFailed(error) { [weak self] in
      guard let self, self.connection === connection else { return }
      handler(.failed(error.during(action)))
    }
  }

  func stop() {
    connection = nil
    if let browser { avahi_service_browser_free(browser) }
    browser = nil
  }

  func interrupt(_ error: AvahiError) {
    connection = nil
    browser = nil
    tellInterruption(error.during(action))
  }

  func interfacesChanged() {
    guard restriction.refresh(), let connection else { return }
    // What was found on the former interface is gone with it.
    stop()
    tellInterruption(restriction.interruption(of: action))
    start(on: connection)
  }

  private func tellInterruption(_ error: DiscoveryError) {
    guard !isInterrupted else { return }
    isInterrupted = true
    handler(.interrupted(error))
  }

  private func browsed(
    _ event: AvahiBrowserEvent, _ interface: AvahiIfIndex, _ family: AvahiProtocol, name: UnsafePointer<CChar>?,
    domain: UnsafePointer<CChar>?
  ) {
    switch event {
    case AVAHI_BROWSER_NEW, AVAHI_BROWSER_REMOVE:
      let isAppearing = event == AVAHI_BROWSER_NEW
      guard let name = name.flatMap({ InstanceName(received: String(cString: $0)) }),
        let domain = domain.flatMap({ try? DomainName(String(cString: $0)) }),
        let link = links.link(interface, family, isAppearing: isAppearing)
      else { return }
      let instance = ServiceInstance(name, type: query.type, domain: domain)
      handler(isAppearing ? .appeared(instance, link) : .vanished(instance, link))
    case AVAHI_BROWSER_ALL_FOR_NOW:
      handler(.settled)
    default:
      // The end of the cache is not needed. A failure comes only with a failure of the connection, which reports it.
      return
    }
  }
}
#endif
