extension MulticastEngine {
  mutating func publish(_ id: RegistrationID, _ registration: Registration, _ step: inout Step) {
    precondition(registrations[id] == nil, "id must not be in use by another registration")
    if let name = conflict(of: registration, with: id) {
      step.effects.append(.registration(id, .conflict(name)))
      return
    }
    registrations[id] = registration
    note(id)
    for index in links.indices where contains(links[index].link, in: registration.scope) { claim(id, on: index, &step) }
    tellIfEstablished(id, &step)
  }

  mutating func update(_ id: RegistrationID, _ records: [PublishedRecord], _ step: inout Step) {
    guard var registration = registrations[id] else { return }
    forget(id)
    let formerNames = registration.uniqueNames
    registration.records = records
    if let name = conflict(of: registration, with: id) {
      note(id)
      end(id, goodbye: true, &step)
      step.effects.append(.registration(id, .conflict(name)))
      return
    }
    if !registration.uniqueNames.isSubset(of: formerNames) { registration.unestablished = [] }
    registrations[id] = registration
    note(id)
    for index in links.indices where contains(links[index].link, in: registration.scope) {
      let isBegun = links[index].update(
        claimed(records), for: .registration(id), needsHost: registration.needsHost, &step)
      if isBegun { registrations[id]!.unestablished?.insert(links[index].link) }
    }
    tellIfEstablished(id, &step)
  }

  mutating func end(_ id: RegistrationID, goodbye: Bool, _ step: inout Step) {
    guard registrations[id] != nil else { return }
    forget(id)
    registrations[id] = nil
    for index in links.indices { links[index].release(.registration(id), goodbye: goodbye, &step) }
  }

  /// Starts to probe for and announce a registration on a link.
  mutating func claim(_ id: RegistrationID, on index: Int, _ step: inout Step) {
    let registration = registrations[id]!
    registrations[id]!.unestablished?.insert(links[index].link)
    links[index].claim(
      claimed(registration.records), for: .registration(id), needsHost: registration.needsHost, &step)
  }

  mutating func tellIfEstablished(_ id: RegistrationID, _ step: inout Step) {
    guard registrations[id]?.unestablished?.isEmpty == true else { return }
    registrations[id]!.unestablished = nil
    step.effects.append(.registration(id, .established))
  }

  /// The records with the current name of the host, each once. Services of a host without a name wait for one.
  ///
  /// A record that is given both as a shared and as a unique one is unique.
  func claimed(_ records: [PublishedRecord]) -> [ClaimedRecord] {
    var places: [RecordKey: Int] = [:]
    var claimed: [ClaimedRecord] = []
    for record in records {
      let data: DNSData =
        switch record.content {
        case .data(let data): data
        case .serviceOfThisHost(let port): .srv(DNSService(target: hostName?.current ?? .root, port: port))
        }
      let one = ClaimedRecord(
        name: record.name, data: data, isUnique: record.ownership == .unique, timeToLive: record.timeToLive,
        isProbed: record.isProbed, isAnnounced: record.isAnnounced)
      if let place = places[one.key] {
        if one.isUnique { claimed[place] = one }
      } else {
        places[one.key] = claimed.count
        claimed.append(one)
      }
    }
    return claimed
  }

  /// The first unique name that another registration or the host has on the same interfaces, and does not share.
  func conflict(of registration: Registration, with id: RegistrationID) -> DNSName? {
    registration.records.filter { $0.ownership == .unique }.map(\.name).first { name in
      if name == hostName?.current { return !registration.sharesNames }
      return publishers[name, default: []].contains { other in
        guard other != id, let rival = registrations[other] else { return false }
        return overlap(registration, rival)
      }
    }
  }

  private mutating func note(_ id: RegistrationID) {
    for name in registrations[id]!.uniqueNames { publishers[name, default: []].append(id) }
  }

  private mutating func forget(_ id: RegistrationID) {
    for name in registrations[id]!.uniqueNames {
      publishers[name]?.removeAll { $0 == id }
      if publishers[name]?.isEmpty == true { publishers[name] = nil }
    }
  }
}

extension MulticastEngine.Registration {
  var uniqueNames: Set<DNSName> { Set(records.filter { $0.ownership == .unique }.map(\.name)) }

  var needsHost: Bool {
    records.contains { record in
      switch record.content {
      case .serviceOfThisHost: true
      case .data: false
      }
    }
  }
}
