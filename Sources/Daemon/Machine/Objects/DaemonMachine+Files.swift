import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What of a file is published together: the services of a service file, or the addresses of a host.
struct StaticGroup<Part: Hashable & Sendable>: Sendable {
  /// As the file has it.
  let parts: [Part]
  /// With the names under which services are published.
  var published: [Part] = []
  /// Nil while it is not published, because its name is taken.
  var group: DaemonMachine.ObjectID?
}

/// What is published from files.
extension DaemonMachine {
  /// How many names are tried in a row.
  private static let attempts = 100

  /// Publishes the services of files. What is the same as before stays; what is changed is withdrawn and published anew; what could not
  /// be published is tried again.
  mutating func replaceFiles(_ new: [String: [StaticService]]) {
    for name in replace(\.files, with: new) { publishFile(name) }
  }

  /// Publishes the hosts of files in the same way. Several lines may give a host addresses.
  mutating func replaceHosts(_ new: [StaticHost]) {
    for name in replace(\.hosts, with: Dictionary(grouping: new, by: \.name)) { publishHost(name) }
  }

  /// Withdraws what is changed or no longer there.
  ///
  /// - Returns: The names of what is to be published.
  private mutating func replace<Part>(
    _ groups: WritableKeyPath<Self, [String: StaticGroup<Part>]>, with new: [String: [Part]]
  ) -> [String] {
    for (name, former) in self[keyPath: groups].sorted(by: { $0.key < $1.key }) where new[name] != former.parts {
      if let id = former.group { endFileGroup(id) }
      self[keyPath: groups][name] = nil
    }
    for (name, parts) in new where self[keyPath: groups][name] == nil {
      self[keyPath: groups][name] = StaticGroup(parts: parts)
    }
    guard !settings.disallowsPublishing else { return [] }
    return new.keys.filter { self[keyPath: groups][$0]?.group == nil }.sorted()
  }

  /// Publishes the services whose names have the host's name anew, because it has changed.
  mutating func renameFiles() {
    guard !settings.disallowsPublishing else { return }
    for (name, file) in files.sorted(by: { $0.key < $1.key }) where file.parts.contains(where: \.replacesWildcards) {
      if let id = file.group { endFileGroup(id) }
      publishFile(name)
    }
  }

  mutating func endFileGroup(_ id: ObjectID) {
    guard groups[id] != nil else { return }
    clear(id)
    groups[id] = nil
  }

  /// Publishes the services of a file under its names, or the next ones that are free.
  private mutating func publishFile(_ name: String) {
    let host = hostName.labels.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    files[name]!.group = nil
    files[name]!.published = files[name]!.parts.map { service in
      guard service.replacesWildcards else { return service }
      var service = service
      service.name = service.name.split(separator: "%h", omittingEmptySubsequences: false).joined(separator: host)
      return service
    }
    publishFile(name, attempts: Self.attempts)
  }

  private mutating func publishFile(_ name: String, attempts: Int) {
    for attempt in 0..<attempts {
      if attempt > 0 { takeNextNames(name) }
      do throws(CallFailure) {
        return files[name]!.group = try publish(files[name]!.published, of: name)
      } catch .avahi(.collision) {
        continue
      } catch {
        // Each service that is not valid has been told.
        return
      }
    }
    effects.append(
      .log(LogMessage(.warning, "\(name) is not published until the files are loaded again: all names are taken")))
  }

  /// All services of a file get the next name together, as in avahi-daemon: they belong to one thing.
  private mutating func takeNextNames(_ file: String) {
    for place in files[file]!.published.indices {
      files[file]!.published[place].name = AlternativeName.service(after: files[file]!.published[place].name)
    }
    let name = files[file]!.published.first?.name ?? ""
    effects.append(.log(LogMessage(.info, "the name of a service of \(file) is taken; trying \(name)")))
  }

  /// Publishes services together. One that is not valid is left out, and so is one that is in the way of another of the file: no other
  /// name would help.
  private mutating func publish(_ services: [StaticService], of file: String) throws(CallFailure) -> ObjectID {
    try makeFileGroup { machine, id throws(CallFailure) in
      /// The entries of services by their records.
      var added: [DNSName: [EntryGroup.Entry]] = [:]
      for service in services {
        let reason: String
        do throws(CallFailure) {
          let entries = try machine.entries(of: service)
          let name = entries[0].records[1].name
          if added[name, default: []].allSatisfy({ !$0.link.overlaps(entries[0].link) || $0.content == entries[0].content }) {
            for entry in entries { try machine.add(entry, to: id) }
            added[name, default: []].append(entries[0])
            continue
          }
          reason = "another one of the file has its name and type"
        } catch .avahi(.collision) {
          throw .avahi(.collision)
        } catch {
          reason = if case .avahi(let error) = error { error.text } else { "" }
        }
        let text = "the service \(service.name) (\(service.type)) of \(file) is not published: \(reason)"
        machine.effects.append(.log(LogMessage(.warning, text)))
      }
    }
  }

  /// A service, and its subtypes.
  private func entries(of service: StaticService) throws(CallFailure) -> [EntryGroup.Entry] {
    let link = ClientLink(interface: 0, family: service.families.count == 1 ? service.families.first : nil)
    let domain = try domain(service.domain ?? "")
    var entries = [
      try self.service(
        service.name, service.type, in: domain, host: service.host ?? "", port: service.port, service.txt, on: link,
        hasCookie: true)
    ]
    for subtype in service.subtypes {
      entries.append(try self.subtype(subtype, of: service.name, service.type, in: domain, on: link))
    }
    return entries
  }

  private mutating func publishHost(_ name: String) {
    do throws(CallFailure) {
      guard let host = DNSName(client: name) else { throw .avahi(.invalidHostName) }
      let addresses = hosts[name]!.parts.map(\.address)
      hosts[name]!.group = try makeFileGroup { machine, id throws(CallFailure) in
        for address in addresses {
          let link = ClientLink(interface: 0, family: nil)
          try machine.add(EntryGroup.Entry(link: link, content: .address(host, address, hasReverse: true)), to: id)
        }
      }
    } catch {
      effects.append(.log(LogMessage(.warning, "the host \(name) of the file of hosts is not published")))
    }
  }

  /// Makes a group that is published; leaves nothing if that fails.
  private mutating func makeFileGroup(
    _ fill: (inout DaemonMachine, ObjectID) throws(CallFailure) -> Void
  ) throws(CallFailure) -> ObjectID {
    let id = nextNumber()
    groups[id] = EntryGroup(client: "")
    do throws(CallFailure) {
      try fill(&self, id)
      try commit(id)
      return id
    } catch {
      endFileGroup(id)
      throw error
    }
  }

  /// Publishes a file whose name another host has under the next name. A host has no other name: it is tried again when the files are
  /// loaded again.
  mutating func loseFile(_ id: ObjectID, _ name: DNSName) {
    endFileGroup(id)
    if let file = files.first(where: { $0.value.group == id })?.key {
      files[file]!.group = nil
      takeNextNames(file)
      publishFile(file, attempts: Self.attempts)
    } else if let host = hosts.first(where: { $0.value.group == id })?.key {
      hosts[host]!.group = nil
      let text = "another host has the name \(name.avahiText); \(host) of the file of hosts is not published"
      effects.append(.log(LogMessage(.warning, text)))
    }
  }
}
