import _BonjourishDiscovery

/// The services in groups, in their order. It is kept up to date with each change, so that drawing looks at the rows that are seen only.
struct ServiceTree: Sendable {
  private(set) var grouping: Grouping
  private(set) var order: ServiceOrder
  private(set) var filter: ListFilter?
  /// Whether only marked services are listed.
  private(set) var listsMarkedOnly = false
  /// The groups with listed services, by key.
  private(set) var groups: [Group] = []
  /// The keys of the groups whose services are not shown.
  private(set) var folded: Set<String> = []
  /// The number of services that are there, listed or not.
  private(set) var presentCount = 0
  /// The number of services that are there and listed.
  private(set) var listedCount = 0
  /// The greatest widths of ``Column/allCases`` among the services that were listed since the column was empty, which it is with 0.
  private(set) var widest = [Int](repeating: 0, count: Column.allCases.count)

  /// The number of listed services that have something in a column.
  private(set) var filledCounts = [Int](repeating: 0, count: Column.allCases.count)
  private var slots: [Entry?] = []
  /// What is compared in the order of the list, by slot.
  private var sortKeys: [String] = []
  /// The last part of it, which is the same in every order.
  private var nameKeys: [String] = []
  private var free: [Int] = []
  private var places: [ServiceInstance: Int] = [:]

  init(_ grouping: Grouping, _ order: ServiceOrder) {
    self.grouping = grouping
    self.order = order
  }

  /// The entry of a slot, which must be in use.
  subscript(slot: Int) -> Entry {
    guard let entry = slots[slot] else { preconditionFailure("slot must be in use") }
    return entry
  }

  func slot(of instance: ServiceInstance) -> Int? { places[instance] }

  func entry(of instance: ServiceInstance) -> Entry? { places[instance].map { self[$0] } }

  /// All services, listed or not, in no order.
  var entries: some Sequence<Entry> { places.values.lazy.map { self[$0] } }

  // MARK: - Changes

  /// Adds a service, or replaces what is known of it.
  mutating func put(_ new: Entry) {
    var entry = new
    let nameKey = (ServiceOrder.name(of: entry.service) + [entry.service.instance.domain.text]).joined(separator: "\0")
    let sortKey = key(of: entry.service, nameKey)
    entry.groups = grouping.keys(of: entry.service)
    let slot: Int
    if let known = places[entry.service.instance] {
      slot = known
      let former = self[slot]
      if former.mark != .lost { presentCount -= 1 }
      // In most cases it stays where it is.
      let isListed = lists(entry)
      if former.isListed, isListed, sortKeys[slot] == sortKey, former.groups == entry.groups {
        entry.isListed = true
        count(former, -1)
        count(entry, 1)
        if entry.mark != .lost { presentCount += 1 }
        slots[slot] = entry
        return
      }
      unlist(slot)
    } else {
      slot = free.popLast() ?? slots.count
      if slot == slots.count {
        slots.append(nil)
        sortKeys.append("")
        nameKeys.append("")
      }
      places[entry.service.instance] = slot
    }
    if entry.mark != .lost { presentCount += 1 }
    slots[slot] = entry
    (sortKeys[slot], nameKeys[slot]) = (sortKey, nameKey)
    if lists(entry) { list(slot) }
  }

  /// Changes what does not concern its place.
  mutating func remark(_ instance: ServiceInstance, _ change: (inout Entry) -> Void) {
    guard let slot = places[instance], var entry = slots[slot] else { return }
    if entry.mark != .lost { presentCount -= 1 }
    if entry.isListed { count(entry, -1) }
    change(&entry)
    if entry.mark != .lost { presentCount += 1 }
    if entry.isListed { count(entry, 1) }
    slots[slot] = entry
  }

  /// Removes a service.
  mutating func remove(_ instance: ServiceInstance) {
    guard let slot = places.removeValue(forKey: instance) else { return }
    if self[slot].mark != .lost { presentCount -= 1 }
    unlist(slot)
    slots[slot] = nil
    free.append(slot)
  }

  // MARK: - What is listed

  /// Groups by something else.
  mutating func group(by grouping: Grouping) {
    self.grouping = grouping
    folded = []
    for slot in slots.indices {
      guard let service = slots[slot]?.service else { continue }
      slots[slot]?.groups = grouping.keys(of: service)
    }
    rebuild()
  }

  mutating func sort(by order: ServiceOrder) {
    self.order = order
    for slot in slots.indices {
      guard let service = slots[slot]?.service else { continue }
      sortKeys[slot] = key(of: service, nameKeys[slot])
    }
    rebuild()
  }

  mutating func show(_ filter: ListFilter?, markedOnly: Bool) {
    (self.filter, listsMarkedOnly) = (filter, markedOnly)
    rebuild()
  }

  mutating func setFolded(_ isFolded: Bool, _ group: String) {
    if isFolded { folded.insert(group) } else { folded.remove(group) }
  }

  mutating func setAllFolded(_ isFolded: Bool) {
    folded = isFolded && grouping != .flat ? Set(groups.map(\.key)) : []
  }

  /// The entries that are listed, in the order of the list without its groups.
  var listed: [Entry] {
    let slots = Set(groups.flatMap(\.members))
    return slots.sorted { precedes($0, $1) }.map { self[$0] }
  }

  private func lists(_ entry: Entry) -> Bool {
    (!listsMarkedOnly || entry.remarks.isMarked) && filter?.matches(entry) ?? true
  }

  /// Two texts are compared as one, because no other character comes before the separator.
  private func key(of service: DiscoveredService, _ nameKey: String) -> String {
    order.leading(of: service).map { "\($0)\0\(nameKey)" } ?? nameKey
  }

  /// Counts an entry that is in its groups.
  private mutating func count(_ entry: Entry, _ change: Int) {
    for (place, width) in entry.widths.enumerated() where width > 0 {
      filledCounts[place] += change
      widest[place] = filledCounts[place] == 0 ? 0 : max(widest[place], width)
    }
    guard entry.mark != .lost else { return }
    listedCount += change
    for key in entry.groups { groups[place(ofGroup: key)].presentCount += change }
  }

  private mutating func list(_ slot: Int) {
    slots[slot]?.isListed = true
    let entry = self[slot]
    for key in entry.groups {
      let place = self.place(ofGroup: key)
      if place == groups.count || groups[place].key != key {
        groups.insert(Group(key: key, title: grouping.title(of: key, entry.service), members: []), at: place)
      }
      groups[place].members.insert(slot, at: position(of: slot, in: place))
    }
    count(entry, 1)
  }

  private mutating func unlist(_ slot: Int) {
    let entry = self[slot]
    guard entry.isListed else { return }
    count(entry, -1)
    for key in entry.groups {
      let place = self.place(ofGroup: key)
      groups[place].members.remove(at: position(of: slot, in: place))
      if groups[place].members.isEmpty { groups.remove(at: place) }
    }
    slots[slot]?.isListed = false
  }

  /// Makes the groups anew: only after a key was pressed.
  private mutating func rebuild() {
    (groups, listedCount) = ([], 0)
    for place in widest.indices { (widest[place], filledCounts[place]) = (0, 0) }
    var found: [String: Int] = [:]
    for slot in slots.indices {
      guard let entry = slots[slot] else { continue }
      let isListed = lists(entry)
      slots[slot]?.isListed = isListed
      guard isListed else { continue }
      for key in entry.groups {
        if let place = found[key] {
          groups[place].members.append(slot)
        } else {
          found[key] = groups.count
          groups.append(Group(key: key, title: grouping.title(of: key, entry.service), members: [slot]))
        }
      }
    }
    for place in groups.indices {
      // Taken out, so that the sorted array is not copied.
      var members: [Int] = []
      swap(&members, &groups[place].members)
      members.sort { precedes($0, $1) }
      groups[place].members = members
    }
    groups.sort { $0.key < $1.key }
    for entry in slots { if let entry, entry.isListed { count(entry, 1) } }
  }

  // MARK: - Places

  private func precedes(_ one: Int, _ other: Int) -> Bool {
    let (first, second) = (sortKeys[one], sortKeys[other])
    return first == second ? one < other : first < second
  }

  /// The place of a group, or where it would be.
  private func place(ofGroup key: String) -> Int { groups.firstPlace { $0.key < key } }

  /// The place of a slot among the members of a group, or where it would be.
  private func position(of slot: Int, in place: Int) -> Int { groups[place].members.firstPlace { precedes($0, slot) } }

  /// The number of the row, from 0; nil if it is not there, or its group is folded.
  func index(of anchor: Anchor) -> Int? {
    let place = self.place(ofGroup: anchor.group)
    guard place < groups.count, groups[place].key == anchor.group else { return nil }
    let start = groups[..<place].reduce(0) { $0 + height(of: $1) }
    guard let instance = anchor.instance else { return grouping == .flat ? nil : start }
    guard !folded.contains(anchor.group), let slot = places[instance] else { return nil }
    let position = position(of: slot, in: place)
    guard position < groups[place].members.count, groups[place].members[position] == slot else { return nil }
    return start + position + (grouping == .flat ? 0 : 1)
  }
}

extension Array {
  /// The first place whose element does not come before something; the elements that do are in front.
  fileprivate func firstPlace(_ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
