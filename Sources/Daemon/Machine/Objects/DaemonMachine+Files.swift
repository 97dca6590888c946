import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What is published from files.
extension DaemonMachine {
  /// Publishes the services of files. What is the same as before stays; what is changed is withdrawn and published anew.
  mutating func replaceFiles(_ files: [String: [StaticService]]) {
    let former = self.files
    self.files = files
    for name in former.keys.sorted() where files[name] != former[name] { withdrawFile(name) }
    for name in files.keys.sorted() where files[name] != former[name] { publishFile(name) }
  }

  /// Publishes the services whose names have the host's name anew, because it has changed.
  mutating func renameFiles() {
    for name in files.keys.sorted() where files[name]!.contains(where: \.replacesWildcards) {
      withdrawFile(name)
      publishFile(name)
    }
  }

  private mutating func withdrawFile(_ name: String) {
    for id in fileGroups.removeValue(forKey: name) ?? [] { endFileGroup(id) }
  }

  mutating func endFileGroup(_ id: ObjectID) {
    guard groups[id] != nil else { return }
    clear(id)
    groups[id] = nil
  }

  private mutating func publishFile(_ file: String) {
    guard !settings.disallowsPublishing else { return }
    for service in files[file] ?? [] {
      var service = service
      if service.replacesWildcards {
        let host = hostName.labels.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        service.name = service.name.split(separator: "%h", omittingEmptySubsequences: false).joined(separator: host)
      }
      publish(service, of: file)
    }
  }

  /// - Parameter attempts: How many names may still be tried.
  private mutating func publish(_ service: StaticService, of file: String, attempts: Int = 100) {
    let id = nextNumber()
    groups[id] = EntryGroup(client: "")
    let family = service.families.count == 1 ? service.families.first : nil
    let link = ClientLink(interface: 0, family: family)
    do throws(CallFailure) {
      let domain = try domain(service.domain ?? "")
      let entry = try self.service(
        service.name, service.type, in: domain, host: service.host ?? "", port: service.port, service.txt, on: link,
        hasCookie: true)
      try add(entry, to: id)
      for subtype in service.subtypes {
        try add(try self.subtype(subtype, of: service.name, service.type, in: domain, on: link), to: id)
      }
      try commit(id)
      fileGroups[file, default: []].append(id)
    } catch .avahi(.collision) {
      endFileGroup(id)
      retry(service, of: file, attempts: attempts - 1)
    } catch {
      endFileGroup(id)
      let reason = if case .avahi(let error) = error { error.text } else { "" }
      effects.append(.log(LogMessage(.warning, "the service \(service.name) of \(file) is not published: \(reason)")))
    }
  }

  /// Publishes a service under the next name.
  private mutating func retry(_ service: StaticService, of file: String, attempts: Int) {
    guard attempts > 0 else {
      return effects.append(.log(LogMessage(.warning, "\(service.name) of \(file) is not published: all names are taken")))
    }
    var service = service
    service.name = AlternativeName.service(after: service.name)
    effects.append(.log(LogMessage(.info, "the name of a service of \(file) is taken; trying \(service.name)")))
    publish(service, of: file, attempts: attempts)
  }

  /// Publishes the service of a file whose name another host has under the next name.
  mutating func renameFile(of id: ObjectID, _ name: DNSName) {
    guard let file = fileGroups.first(where: { $0.value.contains(id) })?.key else {
      return effects.append(.log(LogMessage(.warning, "another host has the name \(name.avahiText) of a file")))
    }
    let group = groups[id]!
    fileGroups[file]!.removeAll { $0 == id }
    endFileGroup(id)
    guard let former = name.instance?.name,
      var service = files[file]?.first(where: { isPublished($0, by: group) })
    else { return }
    service.name = former
    retry(service, of: file, attempts: 100)
  }

  /// Whether a group is of a service of a file. Its name may be another by now.
  private func isPublished(_ service: StaticService, by group: EntryGroup) -> Bool {
    group.entries.contains { entry in
      guard case .service(_, let type, _, _, let port, _) = entry.content else { return false }
      return port == service.port && type.serviceType?.type == service.type
    }
  }

  /// Publishes the hosts of files.
  mutating func replaceHosts(_ hosts: [StaticHost]) {
    guard hosts != self.hosts else { return }
    self.hosts = hosts
    for id in hostGroups { endFileGroup(id) }
    hostGroups = []
    guard !settings.disallowsPublishing else { return }
    // One group for each name: several lines may give it addresses.
    for (name, hosts) in Dictionary(grouping: hosts, by: \.name).sorted(by: { $0.key < $1.key }) {
      let id = nextNumber()
      groups[id] = EntryGroup(client: "")
      do throws(CallFailure) {
        guard let host = DNSName(client: name) else { throw .avahi(.invalidHostName) }
        for one in hosts {
          let link = ClientLink(interface: 0, family: nil)
          try add(EntryGroup.Entry(link: link, content: .address(host, one.address, hasReverse: true)), to: id)
        }
        try commit(id)
        hostGroups.append(id)
      } catch {
        endFileGroup(id)
        effects.append(.log(LogMessage(.warning, "the host \(name) of the file of hosts is not published")))
      }
    }
  }
}
