import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// A resolver of a client, of a call that waits for its result, or of the simple socket.
struct Resolver: Sendable {
  enum Goal {
    case service(ServiceGoal)
    case host(DNSName)
    case address(IPAddress)
  }

  struct ServiceGoal {
    let name: String
    let type: String
    let domain: String
    let instance: DNSName
    let flags: LookupFlags
  }

  enum Owner {
    case object(client: String, path: String)
    case call(BusCall)
    case socket(UInt64)
  }

  /// An answer of the engine.
  struct Known: Equatable {
    let record: DNSRecord
    let link: MulticastLink
    var flags: ResultFlags

    func isSame(_ other: DNSRecord, _ otherLink: MulticastLink) -> Bool {
      link == otherLink && record.data == other.data && record.name == other.name
    }
  }

  /// What is told.
  struct Found: Equatable {
    /// The SRV record, the address record of a host, or the PTR record of an address.
    var main: Known
    var text: Known?
    var address: Known?
  }

  let goal: Goal
  var owner: Owner
  let link: ClientLink
  /// The family of the wanted address.
  let family: IPAddress.Family?
  /// The questions, and whether all that one of them has told was known before.
  var lookups: [DaemonMachine.LookupID: Bool] = [:]
  /// The host whose addresses are asked for, with the interface.
  var target: (name: DNSName, interface: UInt32)?
  var targetLookups: [DaemonMachine.LookupID] = []
  /// The questions for addresses that may still be answered soon.
  var unsettled: Set<DaemonMachine.LookupID> = []
  /// In the order in which they came.
  var known: [Known] = []
  var reported: Found?
  var deadline: Duration?

  var client: String? {
    switch owner {
    case .object(let client, _): client
    case .call(let call): call.sender
    case .socket: nil
    }
  }

  var interface: BusInterface {
    switch goal {
    case .service: .serviceResolver
    case .host: .hostNameResolver
    case .address: .addressResolver
    }
  }

  /// How many records of other hosts are kept: more are of no use, and anybody could send them.
  private static let mostKnown = 256

  /// Makes room for one more record. The oldest that is not told goes: the true one may come after many that were made up.
  mutating func makeRoom() {
    guard known.count >= Self.mostKnown else { return }
    let kept = [reported?.main, reported?.text, reported?.address]
    if let place = known.firstIndex(where: { !kept.contains($0) }) { known.remove(at: place) }
  }

  /// What is found. What was told before and still holds stays.
  var found: Found? {
    switch goal {
    case .host:
      let addresses = known.filter { isAddress($0.record) }
      let last = addresses.first { $0.record == reported?.main.record && $0.link == reported?.main.link }
      // Of this host, others than programs on it want to know the address.
      let isFromCache = lookups.values.contains(true)
      return (last ?? addresses.first { !$0.record.data.isLoopback } ?? (isFromCache ? nil : addresses.first))
        .map { Found(main: $0) }
    case .address:
      let names = known.filter { $0.record.type == .ptr }
      return (names.first { $0 == reported?.main } ?? names.first).map { Found(main: $0) }
    case .service(let goal):
      return found(for: goal)
    }
  }

  private func found(for goal: ServiceGoal) -> Found? {
    guard let main = service else { return nil }
    var found = Found(main: main)
    if !goal.flags.contains(.noText) {
      let texts = known.filter { $0.record.type == .txt && $0.link.interface == main.link.interface }
      guard let text = texts.first(where: { $0.record == reported?.text?.record }) ?? texts.last else { return nil }
      found.text = text
    }
    if !goal.flags.contains(.noAddress) {
      let addresses = known.filter { isAddress($0.record) && $0.link.interface == main.link.interface }
      // Clients expect an address of the family that the service was found over. Another one is better than none.
      guard
        let address = addresses.first(where: { $0.record == reported?.address?.record })
          ?? addresses.first(where: { $0.record.data.family == main.link.family })
          ?? (unsettled.isEmpty ? addresses.first : nil)
      else { return nil }
      found.address = address
    }
    return found
  }

  /// The SRV record that is followed: the one that was told while it holds, otherwise the first.
  var service: Known? {
    let services = known.filter { $0.record.type == .srv }
    return services.first { $0.record == reported?.main.record && $0.link == reported?.main.link } ?? services.first
  }

  private func isAddress(_ record: DNSRecord) -> Bool {
    guard let family = record.data.family else { return false }
    return self.family.map { $0 == family } ?? true
  }
}

extension DNSData {
  /// Whether it is an address of the loopback interface.
  var isLoopback: Bool {
    if case .address(let address) = self { address.isLoopback } else { false }
  }

  /// The family of an address.
  var family: IPAddress.Family? { if case .address(let address) = self { address.family } else { nil } }
}
