import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces
import _BonjourishMulticastDNS

/// Whether operations reach the network. They are told when they no longer do, and start again when they do.
extension MulticastBackend {
  // MARK: - Echoes

  /// Notes the result of sending to the group of a link. Consecutive failures on a link are logged once.
  func sent(on link: MulticastLink, _ failure: SystemError?) {
    guard let interface = links[link] else { return }
    if let failure, muteLinks.insert(link).inserted {
      logFailure(.debug, "cannot send", interface.name, link.family, failure)
    } else if failure == nil, !muteLinks.isEmpty {
      muteLinks.remove(link)
    }
    let former = echoes[link]?.nextDeadline
    echoes[link, default: EchoCheck()].sent(failure, at: now)
    if echoes[link]?.nextDeadline != former { setEchoDeadline() }
  }

  /// Notes that a datagram to the group of a link was received.
  func heard(on link: MulticastLink) {
    // Usually no echo is missing, for each comes at once.
    guard echoDeadline != nil, let check = echoes[link], check.nextDeadline != nil else { return }
    echoes[link]!.heard()
    setEchoDeadline()
    if !check.isProven {
      tellProvenSuccesses()
      reachMayHaveChanged()
    }
    guard check.fault != nil, echoes[link]!.fault == nil else { return }
    logLink(.info, "mDNS works again", links[link]?.name ?? "", link.family)
    // Browsers and lookups keep for a while what is lost after this.
    for operation in cutOff.compactMap({ operations[$0] }) where outage(on: operation.interfaces) == nil {
      if case .lookUp(_, _, let handler) = operation { handler(.restarted) }
    }
    // Others may have taken our names meanwhile, and what is known of them may be wrong.
    startAgain(links.filter { $0.key == link || echoes[$0.key]?.fault != nil })
  }

  /// Tests the links whose echo is missing.
  func testEchoes() {
    // The timer has fired, and must be set again even for the same time.
    echoDeadline = nil
    var isFaulty = false
    for link in echoes.keys {
      if echoes[link]!.advance(to: now) {
        test(link)
      } else if let fault = echoes[link]!.fault, !knownFaults.contains(link), let interface = links[link] {
        knownFaults.insert(link)
        isFaulty = true
        let metadata = ["interface": interface.name, "family": "\(link.family)"]
        log(LogMessage(.warning, "mDNS over \(link.family): \(fault.outage(of: interface.name).explanation)", metadata))
      }
    }
    setEchoDeadline()
    if isFaulty { tellReach() }
  }

  /// Tests links on which nothing is sent, from time to time: what only answers, such as a service, would not notice otherwise that
  /// nothing arrives any more.
  func testIdleLinks() {
    guard !links.isEmpty, idleTimer == nil else { return }
    idleTimer = loop.schedule(after: EchoCheck.idleInterval) { [weak self] in
      self?.assumeIsolated { backend in
        backend.idleTimer = nil
        for link in backend.links.keys where backend.echoes[link]?.nextDeadline == nil { backend.test(link) }
        backend.testIdleLinks()
      }
    }
  }

  private func test(_ link: MulticastLink) {
    guard let interface = links[link], let socket = memberships[link] else { return }
    do throws(SystemError) {
      try socket.test(on: interface.index, isLoopback: interface.isLoopback)
      sent(on: link, nil)
    } catch {
      sent(on: link, error)
    }
  }

  private func setEchoDeadline() {
    let deadline = echoes.values.compactMap(\.nextDeadline).min()
    guard deadline != echoDeadline else { return }
    echoDeadline = deadline
    echoTimer?.cancel()
    echoTimer = nil
    guard deadline != nil, !isSettingEchoTimer else { return }
    isSettingEchoTimer = true
    // Usually the echo comes with the next tick. Only then is a timer set: also one that is cancelled would wake the loop.
    loop.atEndOfTick { [weak self, loop] in
      loop.atEndOfTick { self?.assumeIsolated { $0.setEchoTimer() } }
    }
  }

  private func setEchoTimer() {
    isSettingEchoTimer = false
    echoTimer?.cancel()
    echoTimer = echoDeadline.map { deadline in
      loop.schedule(at: origin + deadline) { [weak self] in self?.assumeIsolated { $0.testEchoes() } }
    }
  }

  func forgetEchoes(of link: MulticastLink) {
    knownFaults.remove(link)
    guard echoes.removeValue(forKey: link)?.nextDeadline != nil else { return }
    setEchoDeadline()
  }

  // MARK: - Operations

  /// The reason why an operation with these interfaces reaches nobody; nil if it reaches others on at least one link.
  func outage(on interfaces: InterfaceSelection) -> NetworkOutage? {
    let own = links(of: interfaces)
    guard let first = own.keys.min(by: { ($0.interface, $0.family.rawValue) < ($1.interface, $1.family.rawValue) }) else {
      if let (link, reason) = refusals.first(where: { scopes[interfaces]?.links.contains($0.key) == true }) {
        let name = numbersByName.first { $0.value == link.interface }?.key
        return .refused(interface: name ?? "", reason: "\(reason)")
      }
      return .nothingUsable(of: interfaces)
    }
    guard own.keys.allSatisfy({ echoes[$0]?.fault != nil }) else { return nil }
    return echoes[first]?.fault?.outage(of: own[first]!.name)
  }

  /// Whether an operation's success may be reported. It is not while nothing has come back yet on any of its links: then it is
  /// reported when something does.
  func isProven(_ id: OperationID, _ success: MulticastEngine.Effect) -> Bool {
    let own = operations[id].map { links(of: $0.interfaces) } ?? [:]
    if own.isEmpty || own.keys.contains(where: { echoes[$0]?.isProven == true }) { return true }
    // Operations may begin and end for as long as the network cannot be reached.
    if unprovenSuccesses.count > 2 * operations.count { unprovenSuccesses.removeAll { !isCurrent($0) } }
    unprovenSuccesses.append(success)
    return false
  }

  /// Whether an effect is about an operation that has not ended.
  private func isCurrent(_ effect: MulticastEngine.Effect) -> Bool {
    switch effect {
    case .settled(let number): queries[number] != nil
    case .registration(let number, _): registrations[number] != nil
    case .send, .answer, .cacheExhausted, .hostName: false
    }
  }

  private func tellProvenSuccesses() {
    let successes = unprovenSuccesses
    unprovenSuccesses = []
    for success in successes { perform(success) }
  }

  /// Tells all operations whether they reach the network, if that has changed.
  func tellReach() {
    for id in Array(operations.keys) { tellReach(to: id) }
    reachMayHaveChanged()
  }

  func tellReach(to id: OperationID) {
    guard let operation = operations[id] else { return }
    if let outage = outage(on: operation.interfaces) {
      if cutOff.insert(id).inserted { operation.interrupt(outage) }
    } else if cutOff.remove(id) != nil {
      resume(id)
    }
  }

  /// Starts an operation again. Browsers and lookups are told what is known, and settle once more.
  private func resume(_ id: OperationID) {
    switch operations[id] {
    case .lookUp(let former, let question, let handler):
      queries[former] = nil
      handle(.endAsking(former))
      let number = MulticastEngine.QueryID(nextNumber())
      queries[number] = id
      operations[id] = .lookUp(number, question, handler)
      handler(.restarted)
      ask(number, question, handler)
    case .publish(let publication):
      publication.networkFound()
    case .ask, .records, .host, nil:
      return
    }
  }
}

extension MulticastBackend.Operation {
  fileprivate func interrupt(_ outage: NetworkOutage) {
    switch self {
    case .lookUp(_, let question, let handler): handler(.interrupted(outage.during(question.action)))
    case .publish(let publication): publication.networkLost(outage)
    case .ask, .records, .host: break
    }
  }
}

extension EchoCheck.Fault {
  func outage(of interface: String) -> NetworkOutage {
    switch self {
    case .cannotSend(let error): .cannotSend(interface: interface, reason: "\(error)")
    case .notHeard: .notHeard(interface: interface)
    }
  }
}
