import _BonjourishDiscovery

extension ServiceTree {
  /// The services that have something in common.
  struct Group: Sendable {
    let key: String
    /// Its name, escaped for display.
    let title: String
    /// The places of its services in ``ServiceTree/slots``, in the order of the list.
    var members: [Int]
    /// The number of them that are there; others are still listed for a moment.
    var presentCount = 0
  }

  /// A row by what it is about: it stays the same while rows come and go around it.
  struct Anchor: Hashable, Sendable {
    let group: String
    /// The service; nil for the group.
    let instance: ServiceInstance?
  }

  /// A row of the list.
  enum Row: Hashable, Sendable {
    /// A group, by its place.
    case group(Int)
    /// A service: the place of its group, and its slot.
    case service(Int, slot: Int)
  }

  // MARK: - Rows

  /// The number of rows.
  var rowCount: Int {
    groups.reduce(0) { $0 + height(of: $1) }
  }

  /// Some of the rows, from top to bottom.
  func rows(from start: Int, count: Int) -> [Row] {
    var rows: [Row] = []
    var skipped = max(0, start)
    for (place, group) in groups.enumerated() {
      let height = height(of: group)
      if skipped >= height {
        skipped -= height
        continue
      }
      for row in skipped..<height {
        if rows.count >= count { return rows }
        rows.append(self.row(row, in: place))
      }
      skipped = 0
    }
    return rows
  }

  /// What a row is about.
  func anchor(of row: Row) -> Anchor {
    switch row {
    case .group(let place): Anchor(group: groups[place].key, instance: nil)
    case .service(let place, let slot): Anchor(group: groups[place].key, instance: self[slot].service.instance)
    }
  }

  func height(of group: Group) -> Int {
    grouping == .flat ? group.members.count : folded.contains(group.key) ? 1 : group.members.count + 1
  }

  private func row(_ row: Int, in place: Int) -> Row {
    let member = grouping == .flat ? row : row - 1
    return member < 0 ? .group(place) : .service(place, slot: groups[place].members[member])
  }
}
