/// Our own records that are published on one link, by name.
///
/// A unique name also has a denial: an NSEC record that denies all other types and is kept up to date.
struct Zone {
  struct Name {
    /// All records except the denial.
    var slots: [Int] = []
    /// The claims that have the name; nil for a shared name.
    var claims: ClaimSet?
    /// The denial; nil for a shared name, for ``Zone/undenied``, and when a type is above 255.
    var denial: Int?
  }

  private(set) var records = SlotMap<OwnRecord>()
  private(set) var names: [DNSName: Name] = [:]
  private var places: [RecordKey: Int] = [:]
  /// The host's name while its addresses are not published here: another process may have them.
  private var undenied: DNSName?

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
  /// - Parameter claim: A claim that has the name; nil for a shared record.
  /// - Returns: The record's slot, and the slot that is now empty because the name has lost its denial.
  mutating func add(_ name: DNSName, _ data: DNSData, claim: Int?) -> (slot: Int, emptied: Int?) {
    let key = RecordKey(name: name, data: data)
    let slot: Int
    if let known = places[key] {
      slot = known
      records[slot].holders += 1
      guard let claim, names[name]!.claims?.contains(claim) != true else { return (slot, nil) }
    } else {
      let place = names[name]?.slots.count ?? 0
      slot = records.insert(OwnRecord(name: name, data: data, isUnique: claim != nil, place: place))
      places[key] = slot
      names[name, default: Name()].slots.append(slot)
    }
    if let claim, names[name]!.claims?.insert(claim) == nil { names[name]!.claims = ClaimSet(claim) }
    return (slot, names[name]!.claims == nil ? nil : renewDenial(of: name))
  }

  /// Notes that a claim has no unique records of a name any more.
  ///
  /// - Returns: The slot that is now empty because the name has lost its denial.
  mutating func leave(_ name: DNSName, claim: Int) -> Int? {
    guard let claims = names[name]?.claims, claims.contains(claim) else { return nil }
    names[name]!.claims = claims.without(claim)
    return names[name]!.claims == nil ? dropDenial(of: name) : nil
  }

  /// Replaces the name that is not denied anything.
  ///
  /// - Returns: The slot that is now empty because the name has lost its denial.
  mutating func setUndenied(_ name: DNSName?) -> Int? {
    guard name != undenied else { return nil }
    let former = undenied
    undenied = name
    if let former, names[former]?.claims != nil { _ = renewDenial(of: former) }
    return name.flatMap { names[$0]?.claims == nil ? nil : renewDenial(of: $0) }
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
      let emptied = name.claims == nil ? nil : renewDenial(of: record.name)
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
    guard name != undenied, let types = DNSTypeSet(names[name]!.slots.map { records[$0].type }) else {
      return dropDenial(of: name)
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
  private mutating func dropDenial(of name: DNSName) -> Int? {
    guard let denial = names[name]!.denial else { return nil }
    records.remove(denial)
    names[name]!.denial = nil
    return denial
  }
}
