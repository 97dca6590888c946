/// Our own records that are published on one link, by name.
///
/// A unique name also has a denial: an NSEC record that denies all other types and is kept up to date.
struct Zone {
  struct Name {
    /// All records except the denial.
    var slots: [Int] = []
    /// The claim that probed for the name; nil for a shared name.
    var claim: Int?
    /// The denial; nil for a shared name, and when a type is above 255.
    var denial: Int?
  }

  private(set) var records = SlotMap<OwnRecord>()
  private(set) var names: [DNSName: Name] = [:]
  private var places: [RecordKey: Int] = [:]

  subscript(slot: Int) -> OwnRecord {
    get { records[slot] }
    _modify { yield &records[slot] }
  }

  func has(_ name: DNSName) -> Bool { names.index(forKey: name) != nil }

  func find(_ name: DNSName, _ data: DNSData) -> Int? { places[RecordKey(name: name, data: data)] }

  /// The records of a name and type. The type `any` stands for all types.
  func slots(of name: DNSName, _ type: DNSType) -> [Int] {
    guard let entry = names[name] else { return [] }
    return type == .any ? entry.slots : entry.slots.filter { records[$0].type == type }
  }

  /// Adds a record, or adds a holder to an existing record.
  ///
  /// - Parameter claim: The claim that owns the name; nil for a shared record.
  mutating func add(_ name: DNSName, _ data: DNSData, claim: Int?) -> Int {
    let key = RecordKey(name: name, data: data)
    if let slot = places[key] {
      records[slot].holders += 1
      return slot
    }
    let place = names[name]?.slots.count ?? 0
    let slot = records.insert(OwnRecord(name: name, data: data, isUnique: claim != nil, place: place))
    places[key] = slot
    names[name, default: Name()].slots.append(slot)
    if let claim {
      names[name]!.claim = claim
      renewDenial(of: name)
    }
    return slot
  }

  /// Removes a holder from a record. Returns the slots that are now empty: none while other claims hold the record.
  mutating func remove(_ slot: Int) -> [Int] {
    records[slot].holders -= 1
    guard records[slot].holders == 0 else { return [] }
    let record = records.remove(slot)
    places[RecordKey(name: record.name, data: record.data)] = nil
    let last = names[record.name]!.slots.removeLast()
    if last != slot {
      names[record.name]!.slots[record.place] = last
      records[last].place = record.place
    }
    let isLast = names[record.name]!.slots.isEmpty
    let denial = names[record.name]!.denial
    if isLast { names[record.name] = nil }
    guard let denial else { return [slot] }
    if isLast {
      records.remove(denial)
      return [slot, denial]
    }
    renewDenial(of: record.name)
    return [slot]
  }

  /// Updates the NSEC record of a unique name to its types (RFC 6762 §6.1). Does nothing when a type is above 255.
  private mutating func renewDenial(of name: DNSName) {
    guard let types = DNSTypeSet(names[name]!.slots.map { records[$0].type }) else { return }
    let data = DNSData.nsec(next: name, types: types)
    if let denial = names[name]!.denial {
      guard records[denial].data != data else { return }
      var record = OwnRecord(name: name, data: data, isUnique: true, place: 0)
      record.lastSent = records[denial].lastSent
      records[denial] = record
    } else {
      names[name]!.denial = records.insert(OwnRecord(name: name, data: data, isUnique: true, place: 0))
    }
  }
}
