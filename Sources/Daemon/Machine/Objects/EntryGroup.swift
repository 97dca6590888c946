import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What a client, or a file, publishes together.
struct EntryGroup: Sendable {
  /// The state, as clients are told.
  enum State: Int32 {
    case uncommitted
    case registering, established, collision
  }

  struct Entry: Hashable, Sendable {
    enum Content: Hashable, Sendable {
      case service(instance: DNSName, type: DNSName, enumeration: DNSName, host: DNSName?, port: UInt16, txt: [UInt8])
      case subtype(name: DNSName, instance: DNSName)
      case address(DNSName, IPAddress, hasReverse: Bool)
      case record(PublishedRecord)
    }

    let link: ClientLink
    var content: Content
    /// How a client wants it to be published.
    var flags: PublishFlags = []

    /// Whether its unique records allow others of their names and types. Addresses always do.
    var allowsOthers: Bool {
      if case .address = content { true } else { flags.contains(.allowMultiple) }
    }

    /// About the memory that it takes.
    var bytes: Int {
      switch content {
      case .service(_, _, _, _, _, let txt): 512 + txt.count
      case .subtype, .address: 384
      case .record(let record): if case .data(let data) = record.content { 384 + data.uncompressed.count } else { 512 }
      }
    }

    /// The records to publish.
    var records: [PublishedRecord] {
      guard !flags.isDisjoint(with: [.noProbe, .noAnnounce]) else { return plainRecords }
      return plainRecords.map { record in
        var record = record
        record.isProbed = !flags.contains(.noProbe)
        // As Avahi 0.8 does it: what is probed for is announced in any case.
        record.isAnnounced = !flags.contains(.noAnnounce) || (record.ownership == .unique && record.isProbed)
        return record
      }
    }

    /// As they are if the client wants nothing else (RFC 6763 §4.1, §6, §7.1, §9).
    private var plainRecords: [PublishedRecord] {
      switch content {
      case .service(let instance, let type, let enumeration, let host, let port, let txt):
        let location: PublishedRecord.Content =
          host.map { .data(.srv(DNSService(target: $0, port: port))) } ?? .serviceOfThisHost(port: port)
        return [
          PublishedRecord(type, .data(.ptr(instance)), .shared), PublishedRecord(instance, location, .unique),
          PublishedRecord(instance, .data(.txt(txt)), .unique), PublishedRecord(enumeration, .data(.ptr(type)), .shared),
        ]
      case .subtype(let name, let instance):
        return [PublishedRecord(name, .data(.ptr(instance)), .shared)]
      case .address(let name, let address, let hasReverse):
        let record = PublishedRecord(name, .data(.address(address)), .unique)
        return [record]
          + (hasReverse ? [PublishedRecord(DNSName(reverseOf: address), .data(.ptr(name)), .unique)] : [])
      case .record(let record):
        return [record]
      }
    }
  }

  /// The program that owns it; empty for a file, and for what the daemon publishes of itself.
  let client: String
  var path = ""
  var state = State.uncommitted
  var entries: [Entry] = []
  var bytes = 0
  /// The links of the entries.
  var links: Set<ClientLink> = []
  /// The published records by their links; whether they are established.
  var publications: [ClientLink: (id: DaemonMachine.PublicationID, isEstablished: Bool)] = [:]

  /// The records of links, in the order of the entries.
  func records(on links: Set<ClientLink>) -> [(ClientLink, [PublishedRecord])] {
    var places: [ClientLink: Int] = [:]
    var found: [(link: ClientLink, records: [PublishedRecord])] = []
    for entry in entries where links.contains(entry.link) {
      if let place = places[entry.link] {
        found[place].records += entry.records
      } else {
        places[entry.link] = found.count
        found.append((entry.link, entry.records))
      }
    }
    return found
  }
}

extension DaemonMachine {
  mutating func makeGroup(for client: String) throws(CallFailure) -> String {
    guard !settings.disallowsUserPublishing, !settings.disallowsPublishing else { throw .avahi(.notPermitted) }
    try admit(client)
    let id = nextNumber()
    groups[id] = EntryGroup(client: client)
    groups[id]!.path = makePath("EntryGroup", of: client, for: id)
    return groups[id]!.path
  }

  mutating func callGroup(
    _ id: ObjectID, _ member: String, _ arguments: inout Arguments
  ) throws(CallFailure) -> [BusValue] {
    switch member {
    case "GetState": return [.int32(groups[id]!.state.rawValue)]
    case "IsEmpty": return [.truth(groups[id]!.entries.isEmpty)]
    case "Commit": try commit(id)
    case "Reset":
      clear(id)
      setState(of: id, .uncommitted)
    case "AddService": try addService(to: id, &arguments)
    case "AddServiceSubtype": try addSubtype(to: id, &arguments)
    case "UpdateServiceTxt": try updateText(of: id, &arguments)
    case "AddAddress": try addAddress(to: id, &arguments)
    case "AddRecord": try addRecord(to: id, &arguments)
    default: throw .unknownMethod
    }
    return []
  }

  mutating func setState(of id: ObjectID, _ state: EntryGroup.State) {
    guard let group = groups[id], group.state != state else { return }
    groups[id]!.state = state
    let error: AvahiError = state == .collision ? .collision : .success
    signal(
      "StateChanged", of: .entryGroup, at: group.path, to: group.client, [.int32(state.rawValue), .text(error.name)])
  }

  // MARK: - Publishing

  mutating func commit(_ id: ObjectID) throws(CallFailure) {
    let group = groups[id]!
    guard group.state == .uncommitted || group.state == .collision else { throw .avahi(.badState) }
    guard !group.entries.isEmpty else { throw .avahi(.isEmpty) }
    setState(of: id, .registering)
    for (link, records) in group.records(on: group.links) {
      let publication = PublicationID(nextNumber())
      groups[id]!.publications[link] = (publication, false)
      publications[publication] = (id, link)
      effects.append(.publish(publication, records, on: selection(of: link)))
    }
  }

  /// Announces what has changed on a link, at the end of the tick.
  mutating func republish(_ id: ObjectID, on link: ClientLink) {
    guard groups[id]?.publications[link] != nil else { return }
    changedLinks[id, default: []].insert(link)
  }

  mutating func announceChanges() {
    let changed = changedLinks
    changedLinks = [:]
    for id in changed.keys.sorted() {
      guard let group = groups[id] else { continue }
      for (link, records) in group.records(on: changed[id]!) {
        guard let publication = group.publications[link] else { continue }
        effects.append(.update(publication.id, records))
      }
    }
  }

  mutating func take(_ change: MulticastEngine.RegistrationChange, of publication: PublicationID) {
    guard let (id, link) = publications[publication] else { return }
    switch change {
    case .established:
      groups[id]!.publications[link]!.isEstablished = true
      if groups[id]!.publications.values.allSatisfy(\.isEstablished) { setState(of: id, .established) }
    case .conflict(let name):
      if groups[id]!.path.isEmpty { return loseOwn(id) ? () : loseFile(id, name) }
      // Clients fill the group anew without a reset.
      clear(id)
      setState(of: id, .collision)
    }
  }

  /// Withdraws what is published, and keeps the entries.
  mutating func withdraw(_ id: ObjectID) {
    let all = groups[id]!.publications.values.map(\.id).sorted { $0.rawValue < $1.rawValue }
    groups[id]!.publications = [:]
    for publication in all {
      publications[publication] = nil
      effects.append(.withdraw(publication))
    }
  }
}
