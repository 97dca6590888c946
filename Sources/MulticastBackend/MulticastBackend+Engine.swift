import Discovery
import EventLoop
import MulticastDNS

/// Lets the engine know what happens, and does what it says.
extension MulticastBackend {
  private var now: Duration { origin.duration(to: .now) }

  func handle(_ event: MulticastEngine.Event) {
    for effect in engine.handle(event, at: now) { perform(effect) }
    setTimer()
  }

  private func setTimer() {
    timer?.cancel()
    timer = engine.nextDeadline.map { deadline in
      loop.schedule(at: origin + deadline) { [weak self] in self?.assumeIsolated { $0.handle(.timePassed) } }
    }
  }

  private func perform(_ effect: MulticastEngine.Effect) {
    switch effect {
    case .send(let bytes, let link, let destination):
      send(bytes, on: link, to: destination)
    case .answer(let number, let change):
      guard let id = queries[number] else { return }
      tell(id, change)
    case .cacheExhausted(let number):
      guard let id = queries[number], case .lookUp(_, _, let handler)? = operations[id] else { return }
      handler(.cacheExhausted)
    case .settled(let number):
      guard let id = queries[number] else { return }
      switch operations[id] {
      case .browse(_, _, let handler): handler(.settled)
      case .lookUp(_, _, let handler): handler(.settled)
      case .publish, nil: return
      }
    case .registration(let number, let change):
      guard let id = registrations[number], case .publish(let publication)? = operations[id] else { return }
      publication.changed(number, change)
    case .hostName(.established(let name)):
      log(LogMessage(.info, "this host goes by \(name)"))
    case .hostName(.renamed(let former, let new)):
      log(LogMessage(.warning, "another host goes by \(former); this one tries \(new)"))
    }
  }

  /// Sends a datagram; of failures one after the other on the same link only the first is told.
  private func send(_ bytes: [UInt8], on link: MulticastLink, to destination: MulticastEngine.Destination) {
    do throws(SystemError) {
      try sockets[link.family]?.send(bytes, on: link.interface, to: destination)
      muteLinks.remove(link)
    } catch {
      guard muteLinks.insert(link).inserted else { return }
      log(LogMessage(.debug, "cannot be heard on \(name(of: link.interface)) over \(link.family): \(error)"))
    }
  }

  private func tell(_ id: OperationID, _ change: MulticastEngine.AnswerChange) {
    guard let interface = interfaces[change.link.interface] else { return }
    let link = Link(interface, change.link.family == .ipv4 ? .ipv4 : .ipv6)
    switch operations[id] {
    case .browse(_, let query, let handler):
      guard case .ptr(let target) = change.record.data, let instance = ServiceInstance(target, of: query) else { return }
      handler(change.browseEvent(instance, on: link))
    case .lookUp(_, _, let handler):
      guard let data = RecordData(change.record.data, seenOn: interface),
        let event = change.lookupEvent(ResourceRecord(data, on: link))
      else { return }
      handler(event)
    case .publish, nil:
      return
    }
  }
}
