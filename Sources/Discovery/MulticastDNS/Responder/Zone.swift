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

  /// The records that answer a question: those of its name and type, or else the alias of the name (RFC 6762 §6).
  func answers(to question: DNSQuestion) -> [Int] {
    let slots = slots(of: question.name, question.type)
    return slots.isEmpty ? self.slots(of: question.name, .cname) : slots
  }

  /// Adds a record, or adds a holder to an existing record.
  ///
  /// - Parameter claim: The claim that owns the name; nil for a shared record.
  /// - Returns: The record's slot, and the slot that is now empty because the name has lost its denial.
  mutating func add(_ name: DNSName, _ data: DNSData, claim: Int?) -> (slot: Int, emptied: Int?) {
    let key = RecordKey(name: name, data: data)
    if let slot = places[key] {
      records[slot].holders += 1
      return (slot, nil)
    }
    let place = names[name]?.slots.count ?? 0
    let slot = records.insert(OwnRecord(name: name, data: data, isUnique: claim != nil, place: place))
    places[key] = slot
    names[name, default: Name()].slots.append(slot)
    guard let claim else { return (slot, nil) }
    names[name]!.claim = claim
    return (slot, renewDenial(of: name))
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
    let name = names[record.name]!
    guard name.slots.isEmpty else {
      let emptied = name.claim == nil ? nil : renewDenial(of: record.name)
      return [slot, emptied].compactMap(\.self)
    }
    names[record.name] = nil
    guard let denial = name.denial else { return [slot] }
    records.remove(denial)
    return [slot, denial]
  }

  /// Notes that the records that were multicast within a time were multicast at its end.
  mutating func noteSending(_ time: ClosedRange<Instant>) {
    for slot in records.indices {
      if let sent = records[slot].lastSent, time.contains(sent) { records[slot].lastSent = time.upperBound }
    }
  }

  /// Updates the NSEC record of a unique name to its types. It has none while a type is above 255, which the restricted form
  /// cannot name, and so would deny (RFC 6762 §6.1).
  ///
  /// - Returns: The slot of the former denial, if there is none now.
  private mutating func renewDenial(of name: DNSName) -> Int? {
    let former = names[name]!.denial
    guard let types = DNSTypeSet(names[name]!.slots.map { records[$0].type }) else {
      if let former { records.remove(former) }
      names[name]!.denial = nil
      return former
    }
    var record = OwnRecord(name: name, data: .nsec(next: name, types: types), isUnique: true, place: 0)
    if let former {
      guard records[former].data != record.data else { return nil }
      record.lastSent = records[former].lastSent
      records[former] = record
    } else {
      names[name]!.denial = records.insert(record)
    }
    return nil
  }
}
