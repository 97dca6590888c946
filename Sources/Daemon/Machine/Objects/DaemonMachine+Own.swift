import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What the daemon publishes of itself, if it is configured: the domain, the machine's processor and system, and its interfaces as
/// workstations. All of it has the host's name, or its services, so that it begins when the host has one.
extension DaemonMachine {
  /// Publishes what is wanted now and was not before, and withdraws what is not wanted any more.
  mutating func publishOwn() {
    let wanted = wantedOwn()
    for (entry, id) in ownGroups.sorted(by: { $0.value < $1.value }) where !wanted.contains(entry) {
      ownGroups[entry] = nil
      endFileGroup(id)
    }
    for entry in wanted where ownGroups[entry] == nil {
      let id = nextNumber()
      groups[id] = EntryGroup(client: "")
      do throws(CallFailure) {
        try add(entry, to: id)
        try commit(id)
        ownGroups[entry] = id
      } catch {
        // A program has the name already. It is tried again with the host's next change.
        endFileGroup(id)
        let name = entry.records.first { $0.ownership == .unique }?.name.avahiText ?? ""
        effects.append(.log(LogMessage(.warning, "\(name) is not published: a program of this machine has the name")))
      }
    }
  }

  /// Notes that another host has the name of something; false if it is nothing of this.
  mutating func loseOwn(_ id: ObjectID) -> Bool {
    guard let entry = ownGroups.first(where: { $0.value == id })?.key else { return false }
    ownGroups[entry] = nil
    endFileGroup(id)
    return true
  }

  private func wantedOwn() -> [EntryGroup.Entry] {
    guard state == .running, !settings.disallowsPublishing else { return [] }
    let everywhere = ClientLink(interface: 0, family: nil)
    var wanted: [EntryGroup.Entry] = []
    // Everybody browses `local` without being told.
    if settings.publishesDomain, domain != Self.local,
      let list = DNSName(["b", "_dns-sd", "_udp"].map { Array($0.utf8) }, in: Self.local)
    {
      wanted.append(EntryGroup.Entry(link: everywhere, content: .record(PublishedRecord(list, .data(.ptr(domain)), .shared))))
    }
    if let hardware = settings.hostInformation {
      let data = DNSData.hinfo(cpu: Array(hardware.processor.utf8), system: Array(hardware.system.utf8))
      wanted.append(
        EntryGroup.Entry(link: everywhere, content: .record(PublishedRecord(hostName, .data(data), .unique))))
    }
    guard settings.publishesWorkstation, let label = hostName.labels.first else { return wanted }
    for (index, address) in hardwareAddresses.sorted(by: { $0.key < $1.key }) {
      let text = address.map(\.hexadecimal).joined(separator: ":")
      // The end of the address is cut off if the host's name is long.
      let name = (label + Array(" [\(text)]".utf8)).prefix(DNSName.maximumLabelBytes)
      let link = ClientLink(interface: Int32(truncatingIfNeeded: index), family: nil)
      let entry = try? service(
        String(decoding: name, as: UTF8.self), "_workstation._tcp", in: domain, host: "", port: 9, [], on: link,
        hasCookie: true)
      if let entry { wanted.append(entry) }
    }
    return wanted
  }
}
