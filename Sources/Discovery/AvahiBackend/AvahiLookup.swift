#if Avahi
import CBonjourishAvahi.Client
import _BonjourishDiscovery
import _BonjourishEventLoop

/// One lookup. Owns an Avahi record browser while the daemon runs. Confined to the loop.
final class AvahiLookup: AvahiOperation {
  private let question: RecordQuestion
  private var action: String { question.action }
  private let loop: EventLoop
  private let links: LinkTable
  private let line: BusLine
  private let handler: (LookupEvent) -> Void
  private var connection: AvahiConnection?
  private var browser: OpaquePointer?
  private var restriction: Restriction
  private var sightings = SightingFilter<ResourceRecord>()
  private var wasInterrupted = false
  private let origin = LoopTime.now
  private var settling = Settling(at: .zero)
  private var settlingTimer: LoopTimer?
  /// The number of records found, on all links.
  private var answers = 0 { didSet { line.carry(answers: answers - oldValue) } }

  /// - Parameters:
  ///   - question: The question.
  ///   - loop: The loop of the calls.
  ///   - links: The known interfaces.
  ///   - line: Is told how many answers there are.
  ///   - interfaces: The interfaces of this machine.
  ///   - handler: The handler of the events.
  init(
    _ question: RecordQuestion, on loop: EventLoop, links: LinkTable, line: BusLine, among interfaces: [InterfaceState],
    _ handler: @escaping (LookupEvent) -> Void
  ) {
    self.question = question
    self.loop = loop
    self.links = links
    self.line = line
    restriction = Restriction(to: question.interfaces, among: interfaces)
    self.handler = handler
  }

  deinit {
    assert(browser == nil, "an Avahi record browser was not freed")
  }

  func start(on connection: AvahiConnection) {
    self.connection = connection
    guard let interface = restriction.index else {
      return tellInterruption(restriction.interruption(of: action))
    }
    if wasInterrupted {
      wasInterrupted = false
      handler(.restarted)
    }
    if let reason = question.type.reasonToRefuse {
      return handler(.failed(DiscoveryError(.refused, "\(action): \(reason)")))
    }
    let callback: AvahiRecordBrowserCallback = { _, interface, family, event, name, _, type, data, size, _, userdata in
      // `stop`, or freeing the client, frees the browser before this object.
      Unmanaged<AvahiLookup>.fromOpaque(userdata!).takeUnretainedValue().found(
        event, interface, family, name, type, UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : size))
    }
    settling = Settling(at: .now - origin)
    browser = avahi_record_browser_new(
      connection.client, interface, restriction.family, question.name.dnsText,
      UInt16(AVAHI_DNS_CLASS_IN), question.type.rawValue, question.name.avahiFlags, callback,
      Unmanaged.passUnretained(self).toOpaque())
    guard browser == nil else { return }
    let error = connection.error
    connection.callFailed(error) { [weak self] in
      guard let self, self.connection === connection else { return }
      handler(.failed(error.during(action)))
    }
  }

  func stop() {
    connection = nil
    if let browser { avahi_record_browser_free(browser) }
    browser = nil
    forget()
  }

  private func forget() {
    sightings.clear()
    answers = 0
    settlingTimer?.cancel()
    settlingTimer = nil
  }

  func interrupt(_ error: AvahiError) {
    connection = nil
    browser = nil
    forget()
    tellInterruption(error.during(action))
  }

  func interfacesChanged(_ interfaces: [InterfaceState]) {
    let isRemade = restriction.refresh(interfaces)
    guard let connection else { return }
    guard isRemade else {
      let changes = sightings.refresh(restriction.contains)
      for (record, _) in changes.appeared { handler(.added(record)) }
      for (record, _) in changes.vanished { handler(.removed(record)) }
      return
    }
    // What was found on the former interface is gone with it.
    stop()
    tellInterruption(restriction.interruption(of: action))
    start(on: connection)
  }

  private func tellInterruption(_ error: DiscoveryError) {
    guard !wasInterrupted else { return }
    wasInterrupted = true
    handler(.interrupted(error))
  }

  private func awaitAnswers() {
    settlingTimer = settling.nextDeadline.map { deadline in
      loop.schedule(at: origin + deadline) { [weak self] in
        guard let self else { return }
        if settling.advance(to: .now - origin) { handler(.settled) } else { awaitAnswers() }
      }
    }
  }

  private func found(
    _ event: AvahiBrowserEvent, _ interface: AvahiIfIndex, _ family: AvahiProtocol, _ name: UnsafePointer<CChar>?,
    _ type: UInt16, _ data: UnsafeRawBufferPointer
  ) {
    switch event {
    case AVAHI_BROWSER_NEW, AVAHI_BROWSER_REMOVE:
      let isAppearing = event == AVAHI_BROWSER_NEW
      answers += isAppearing ? 1 : -1
      guard let link = links.link(interface, family, isAppearing: isAppearing), let name,
        let record = ResourceRecord(
          name: String(cString: name), type: RecordType(rawValue: type), bytes: Array(data), on: link)
      else { return }
      if isAppearing {
        settling.heardNews(at: .now - origin)
        if sightings.appeared(record, on: link, counts: restriction.contains(link)) { handler(.added(record)) }
      } else if sightings.vanished(record, from: link) {
        handler(.removed(record))
      }
    case AVAHI_BROWSER_CACHE_EXHAUSTED:
      handler(.cacheExhausted)
    case AVAHI_BROWSER_ALL_FOR_NOW:
      // Only services have many owners, of which some may be missing.
      if question.browse == nil || settling.saidAll(at: .now - origin) { handler(.settled) } else { awaitAnswers() }
    default:
      // Names outside `local` are looked up by unicast DNS, which can fail.
      guard let connection else { return }
      handler(.failed(connection.error.during(action)))
    }
  }
}
#endif
