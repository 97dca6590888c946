import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// A name and a type.
struct RecordSetName: Hashable {
  let name: DNSName
  let type: DNSType

  init(_ name: DNSName, _ type: DNSType) { (self.name, self.type) = (name, type) }

  init(_ record: PublishedRecord) {
    name = record.name
    type =
      switch record.content {
      case .data(let data): data.type
      case .serviceOfThisHost: .srv
      }
  }
}

/// The records of a name and a type that groups have.
///
/// Avahi's rules of conflicts: records that others may have too are in nobody's way. A unique record excludes all others on the same
/// links, but for those that say the same, and but for unique ones if both allow that (`AVAHI_PUBLISH_ALLOW_MULTIPLE`). What differs: a
/// shared and a unique record are in conflict also when they say the same, because others would be told both (RFC 6762 §10.2).
struct RecordSet: Sendable {
  struct Unique: Sendable {
    let group: DaemonMachine.ObjectID
    let link: ClientLink
    let content: PublishedRecord.Content
    /// Whether there may be others that allow it.
    let allowsOthers: Bool
    var count = 1
  }

  /// The number of shared records, by their links.
  private(set) var shared: [ClientLink: Int] = [:]
  private(set) var unique: [Unique] = []

  var isEmpty: Bool { shared.isEmpty && unique.isEmpty }

  /// Whether a record cannot be added on a link.
  func excludes(_ record: PublishedRecord, on link: ClientLink, allowingOthers: Bool) -> Bool {
    switch record.ownership {
    case .shared:
      unique.contains { $0.link.overlaps(link) }
    case .unique:
      shared.keys.contains { $0.overlaps(link) }
        || unique.contains {
          $0.link.overlaps(link) && $0.content != record.content && !($0.allowsOthers && allowingOthers)
        }
    }
  }

  mutating func add(_ record: PublishedRecord, on link: ClientLink, of group: DaemonMachine.ObjectID, allowingOthers: Bool) {
    guard record.ownership == .unique else { return shared[link, default: 0] += 1 }
    if let place = place(of: record, on: link, group, allowingOthers) {
      unique[place].count += 1
    } else {
      unique.append(Unique(group: group, link: link, content: record.content, allowsOthers: allowingOthers))
    }
  }

  mutating func remove(_ record: PublishedRecord, on link: ClientLink, of group: DaemonMachine.ObjectID, allowingOthers: Bool) {
    guard record.ownership == .unique else {
      shared[link]? -= 1
      if shared[link] == 0 { shared[link] = nil }
      return
    }
    guard let place = place(of: record, on: link, group, allowingOthers) else { return }
    unique[place].count -= 1
    if unique[place].count == 0 { unique.remove(at: place) }
  }

  private func place(
    of record: PublishedRecord, on link: ClientLink, _ group: DaemonMachine.ObjectID, _ allowsOthers: Bool
  ) -> Int? {
    unique.firstIndex {
      $0.group == group && $0.link == link && $0.allowsOthers == allowsOthers && $0.content == record.content
    }
  }
}

extension ClientLink {
  /// Whether there may be links that both stand for.
  func overlaps(_ other: ClientLink) -> Bool {
    (interface == 0 || other.interface == 0 || interface == other.interface)
      && (family == nil || other.family == nil || family == other.family)
  }
}
