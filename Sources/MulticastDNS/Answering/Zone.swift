/// The records of our own that are told on one link, by name.
///
/// What a unique name has besides its records is the denial of all others: an NSEC record that follows what there is.
struct Zone {
  struct Name {
    /// All records but the denial.
    var slots: [Int] = []
    /// The claim that the name was probed for under; nil for a shared name.
    var claim: Int?
    /// The denial, for a unique name.
    var denial: Int?
  }

  private(set) var records = Slots<OwnRecord>()
  private(set) var names: [DNSName: Name] = [:]
  private var places: [RecordKey: Int] = [:]

  subscript(slot: Int) -> OwnRecord {
    get { records[slot] }
    _modify { yield &records[slot] }
  }

  func has(_ name: DNSName) -> Bool { names.index(forKey: name) != nil }

  func find(_ name: DNSName, _ data: DNSData) -> Int? { places[RecordKey(name: name, data: data)] }

  /// The records of a name and type; of all types when it is any.
  func slots(of name: DNSName, _ type: DNSType) -> [Int] {
    guard let entry = names[name] else { return [] }
    return type == .any ? entry.slots : entry.slots.filter { records[$0].type == type }
  }

  /// Adds a record, or another holder to it.
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

  /// Takes a holder from a record; returns those slots that are empty now: none while others hold it.
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

  /// Makes the NSEC record of a unique name tell the types that there are (RFC 6762 §6.1); none when one of them is beyond 255.
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
