import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces
import _BonjourishMulticastDNS

/// Passes events to the engine, and carries out its effects.
extension MulticastBackend {
  var now: Duration { origin.duration(to: .now) }

  func handle(_ event: MulticastEngine.Event) {
    wakeIfSlept(delay: .zero)
    step(event)
  }

  /// Handles a received datagram, unless it is from before a sleep.
  func handle(_ event: MulticastEngine.Event, after delay: Duration) {
    guard !wakeIfSlept(delay: delay) else { return }
    step(event)
  }

  /// Starts all links again after a sleep: what was heard on them is forgotten, and all names are probed for again.
  @discardableResult
  private func wakeIfSlept(delay: Duration) -> Bool {
    // Ending the links hands events to the engine too.
    guard !isWaking else { return false }
    let overdue = engine.nextDeadline.map { now - $0 } ?? .zero
    guard sleep.hasSlept(at: .now, delay: max(delay, overdue)) else { return false }
    log(LogMessage(.info, "this machine or program has slept; its services are probed for again"))
    isWaking = true
    restart()
    isWaking = false
    return true
  }

  private func step(_ event: MulticastEngine.Event) {
    let began = now
    let effects = engine.handle(event, at: began)
    var sends = false
    for effect in effects {
      if case .send = effect { sends = true }
      perform(effect)
    }
    if sends { engine.noteSending(since: began, until: now) }
    deadline.set(engine.nextDeadline.map { origin + $0 })
  }

  func perform(_ effect: MulticastEngine.Effect) {
    switch effect {
    case .send(let bytes, let link, let destination):
      send(bytes, on: link, to: destination)
    case .answer(let number, let change):
      guard let id = queries[number] else { return }
      if case .ask(_, _, let handler)? = operations[id] { tell(id, change, handler) } else { tell(id, change) }
    case .cacheExhausted(let number):
      guard let id = queries[number] else { return }
      if case .lookUp(_, _, let handler)? = operations[id] { handler(.cacheExhausted) }
      if case .ask(_, _, let handler)? = operations[id] { handler(.cacheExhausted) }
    case .settled(let number):
      if let id = queries[number], case .ask(_, _, let handler)? = operations[id] { return handler(.settled) }
      guard let id = queries[number], isProven(id, effect), case .lookUp(_, _, let handler)? = operations[id] else { return }
      handler(.settled)
    case .registration(let number, let change):
      if let id = registrations[number], case .records(_, _, _, let handler)? = operations[id] { return handler(change) }
      guard let id = registrations[number], case .publish(let publication)? = operations[id],
        change != .established || isProven(id, effect)
      else { return }
      // The engine has ended it.
      if case .conflict = change { registrations[number] = nil }
      publication.changed(number, change)
    case .hostName(.established(let name)):
      tellHost(.established(name))
      log(LogMessage(.info, "the name of this host is \(name)", ["host": "\(name)"]))
    case .hostName(.renamed(let former, let new)):
      tellHost(.renamed(from: former, to: new))
      let metadata = ["host": "\(new)", "formerHost": "\(former)"]
      log(LogMessage(.warning, "another host has the name \(former); this host tries \(new)", metadata))
    }
  }

  private func send(_ bytes: [UInt8], on link: MulticastLink, to destination: MulticastEngine.Destination) {
    guard let interface = links[link], let socket = memberships[link] else { return }
    let failure: SystemError?
    do throws(SystemError) {
      try socket.send(bytes, on: interface.index, to: destination)
      failure = nil
    } catch {
      failure = error
    }
    switch destination {
    case .multicast: sent(on: link, failure)
    case .unicast: failure.map { logFailure(.debug, "cannot answer", interface.name, link.family, $0) }
    }
  }

  private func tell(_ id: OperationID, _ change: MulticastEngine.AnswerChange) {
    guard let local = links[change.link], case .lookUp(_, _, let handler)? = operations[id] else { return }
    let link = Link(NetworkInterface(index: local.index, name: local.name), change.link.family)
    let sender = engine.sender(of: change.record, on: change.link)
    guard let record = ResourceRecord(change.record, on: link, from: sender) else { return }
    handler(change.event(record))
  }
}
