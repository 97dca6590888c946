#if Avahi
import CAvahi.Client
import Discovery

/// One lookup. Owns an Avahi record browser while the daemon runs. Confined to the loop.
final class AvahiLookup: AvahiOperation {
  private let question: RecordQuestion
  private let links: LinkTable
  private let handler: (LookupEvent) -> Void
  private var connection: AvahiConnection?
  private var browser: OpaquePointer?
  private(set) var restriction: Restriction
  private var wasInterrupted = false

  init(_ question: RecordQuestion, links: LinkTable, _ handler: @escaping (LookupEvent) -> Void) {
    self.question = question
    self.links = links
    restriction = Restriction(to: question.interface)
    self.handler = handler
  }

  deinit {
    assert(browser == nil, "an Avahi record browser was not freed")
  }

  func start(on connection: AvahiConnection) {
    self.connection = connection
    guard let interface = restriction.index else {
      return tellInterruption(restriction.interruption(of: "looking up \(question.name)"))
    }
    if wasInterrupted {
      wasInterrupted = false
      handler(.restarted)
    }
    let name: String? =
      switch question.name {
      case .instance(let instance): instance.avahiName
      case .host(let host): host.text
      }
    guard let name else {
      return handler(
        .failed(DiscoveryError(.refused, "looking up \(question.name): avahi-daemon refuses this name or service type")))
    }
    let callback: AvahiRecordBrowserCallback = { _, interface, family, event, _, _, _, data, size, _, userdata in
      // `stop`, or freeing the client, frees the browser before this object.
      Unmanaged<AvahiLookup>.fromOpaque(userdata!).takeUnretainedValue().found(
        event, interface, family, UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size))
    }
    browser = avahi_record_browser_new(
      connection.client, interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), name,
      UInt16(AVAHI_DNS_CLASS_IN), question.kind.rawValue, AvahiLookupFlags(0), callback,
      Unmanaged.passUnretained(self).toOpaque())
    guard browser == nil else { return }
    let error = connection.error
    connection.callFailed(error) { [weak self] in
      guard let self, self.connection === connection else { return }
      handler(.failed(error.during("looking up \(name)")))
    }
  }

  func stop() {
    connection = nil
    if let browser { avahi_record_browser_free(browser) }
    browser = nil
  }

  func interrupt(_ error: AvahiError) {
    connection = nil
    browser = nil
    tellInterruption(error.during("looking up \(question.name)"))
  }

  func interfacesChanged() {
    guard restriction.refresh(), let connection else { return }
    // What was found on the former interface is gone with it.
    stop()
    tellInterruption(restriction.interruption(of: "looking up \(question.name)"))
    start(on: connection)
  }

  private func tellInterruption(_ error: DiscoveryError) {
    guard !wasInterrupted else { return }
    wasInterrupted = true
    handler(.interrupted(error))
  }

  private func found(
    _ event: AvahiBrowserEvent, _ interface: AvahiIfIndex, _ family: AvahiProtocol, _ data: UnsafeRawBufferPointer
  ) {
    switch event {
    case AVAHI_BROWSER_NEW, AVAHI_BROWSER_REMOVE:
      let isAppearing = event == AVAHI_BROWSER_NEW
      guard let link = links.link(interface, family, isAppearing: isAppearing),
        let data = RecordData(question.kind, bytes: Array(data), seenOn: link.interface)
      else { return }
      let record = ResourceRecord(data, on: link)
      handler(isAppearing ? .added(record) : .removed(record))
    case AVAHI_BROWSER_CACHE_EXHAUSTED:
      handler(.cacheExhausted)
    case AVAHI_BROWSER_ALL_FOR_NOW:
      handler(.settled)
    default:
      handler(.failed(DiscoveryError(.refused, "looking up a record: avahi-daemon ended the lookup")))
    }
  }
}
#endif
