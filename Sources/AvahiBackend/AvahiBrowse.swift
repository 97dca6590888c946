import CAvahi.Client
import Discovery

/// One browse: owns a service browser while there is a server. Used on the loop only.
final class AvahiBrowse: AvahiOperation {
  private let query: BrowseQuery
  private let links: LinkTable
  private let handler: (BrowseEvent) -> Void
  private var browser: OpaquePointer?
  private var isInterrupted = false

  init(_ query: BrowseQuery, links: LinkTable, _ handler: @escaping (BrowseEvent) -> Void) {
    self.query = query
    self.links = links
    self.handler = handler
  }

  deinit {
    assert(browser == nil, "an Avahi service browser was not freed")
  }

  private var action: String { "browsing \(query.typeName)" }

  func start(on connection: AvahiConnection) {
    if isInterrupted {
      isInterrupted = false
      handler(.restored)
    }
    let callback: AvahiServiceBrowserCallback = { _, interface, family, event, name, _, domain, _, userdata in
      // The browser is freed, by `stop` or with its client, before this object goes.
      Unmanaged<AvahiBrowse>.fromOpaque(userdata!).takeUnretainedValue().browsed(
        event, interface, family, name: name, domain: domain)
    }
    browser = avahi_service_browser_new(
      connection.client, query.interface.avahiIndex, AvahiProtocol(AVAHI_PROTO_UNSPEC), query.typeName,
      query.domain.text, AvahiLookupFlags(0), callback, Unmanaged.passUnretained(self).toOpaque())
    guard browser == nil else { return }
    let error = connection.error
    if !error.isDisconnection { handler(.failed(error.during(action))) }
  }

  func stop() {
    if let browser { avahi_service_browser_free(browser) }
    browser = nil
  }

  func interrupt(_ error: AvahiError) {
    browser = nil
    guard !isInterrupted else { return }
    isInterrupted = true
    handler(.interrupted(error.during(action)))
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
      // What the cache held has been told, which is nothing to those who browse; or the browser has failed, which it does
      // with its connection only, and that reports itself.
      return
    }
  }
}
