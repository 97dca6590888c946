/// What a link is known to hold: records by name and type, when each is due, and whom to let go of when there are too many.
///
/// Bounded by ``maximumRecords`` and ``maximumBytes``; our own records, which the network cannot add to, do not count. Every
/// step takes a time that does not depend on how much is in it, but for the heap of deadlines, which takes its logarithm.
struct RecordCache {
  /// How many records of others a link holds.
  static let maximumRecords = 16_384
  /// How many bytes these may take, roughly counted.
  static let maximumBytes = 8 << 20

  /// The records of one name and type, by standing; within one standing the longest unheard of first.
  private struct RecordSet {
    let key: SetKey
    var own = Chain()
    var live = Chain()
    var leaving = Chain()

    subscript(standing: CachedRecord.Standing) -> Chain {
      get {
        switch standing {
        case .own: own
        case .live: live
        case .leaving: leaving
        }
      }
      set {
        switch standing {
        case .own: own = newValue
        case .live: live = newValue
        case .leaving: leaving = newValue
        }
      }
    }

    var isEmpty: Bool { own.isEmpty && live.isEmpty && leaving.isEmpty }
  }

  private(set) var records = Slots<CachedRecord>()
  /// When each record is to be asked for again, or is gone.
  var deadlines = DeadlineQueue()
  private var places: [RecordKey: Int32] = [:]
  private var setPlaces: [SetKey: Int32] = [:]
  private var sets = Slots<RecordSet>()
  private var setChains = Chains()
  private var sources = SourceTable()
  private var bytes = 0

  /// The bytes that the records of others take, roughly counted.
  var foreignBytes: Int { bytes }

  /// How many records of others there are.
  var foreignCount: Int { sources.count }

  subscript(slot: Int) -> CachedRecord {
    get { records[slot] }
    _modify { yield &records[slot] }
  }

  var slotsInUse: [Int] { records.indices }

  func find(_ name: DNSName, _ data: DNSData) -> Int? {
    places[RecordKey(name: name, data: data)].map(Int.init)
  }

  /// The records of a name and type, our own first; every type that is known here when `type` is any.
  func slots(of key: SetKey) -> [Int] {
    guard key.type == .any else {
      guard let place = setPlaces[key] else { return [] }
      let set = sets[Int(place)]
      return setChains.slots(of: set.own) + setChains.slots(of: set.live) + setChains.slots(of: set.leaving)
    }
    return Self.knownTypes.flatMap { slots(of: SetKey(name: key.name, type: $0)) }
  }

  private static let knownTypes: [DNSType] = [.a, .cname, .ptr, .hinfo, .txt, .aaaa, .srv, .nsec]

  /// The live record that was not heard of for the longest time, of the set that a record is in.
  func longestUnheard(inSetOf slot: Int) -> Int? {
    let first = sets[Int(records[slot].set)].live.first
    return first >= 0 ? Int(first) : nil
  }

  /// The record of a set that was heard of last, our own before others'; leaving ones do not count.
  func latest(of key: SetKey) -> Int? {
    guard let place = setPlaces[key] else { return nil }
    let set = sets[Int(place)]
    let slot = set.own.isEmpty ? set.live.last : set.own.last
    return slot >= 0 ? Int(slot) : nil
  }

  /// Takes in a record that is not there yet.
  ///
  /// - Parameter source: Who sent it; nil for our own.
  mutating func insert(_ record: CachedRecord, from source: DNSAddress?) -> Int {
    var record = record
    let key = SetKey(name: record.name, type: record.data.type)
    let setPlace: Int
    if let known = setPlaces[key] {
      setPlace = Int(known)
    } else {
      setPlace = sets.insert(RecordSet(key: key))
      setPlaces[key] = Int32(setPlace)
    }
    record.set = Int32(setPlace)
    let slot = records.insert(record)
    setChains.append(slot, to: &sets[setPlace][record.standing])
    places[RecordKey(name: record.name, data: record.data)] = Int32(slot)
    if let source {
      bytes += record.cost
      records[slot].source = sources.append(slot, from: source, isWanted: record.isWanted)
    }
    return slot
  }

  @discardableResult
  mutating func remove(_ slot: Int) -> CachedRecord {
    let record = records.remove(slot)
    deadlines.remove(slot)
    places[RecordKey(name: record.name, data: record.data)] = nil
    let setPlace = Int(record.set)
    setChains.remove(slot, from: &sets[setPlace][record.standing])
    if sets[setPlace].isEmpty { setPlaces[sets.remove(setPlace).key] = nil }
    if record.source >= 0 {
      bytes -= record.cost
      sources.remove(slot, from: record.source, isWanted: record.isWanted)
    }
    return record
  }

  /// Puts a record last in its set and among what its source sent, as the one just heard of.
  mutating func renew(_ slot: Int, as standing: CachedRecord.Standing, from source: DNSAddress?) {
    move(slot, to: standing)
    let (former, isWanted) = (records[slot].source, records[slot].isWanted)
    if let source, former >= 0, sources.isFrom(source, former) {
      sources.renew(slot, of: former, isWanted: isWanted)
      return
    }
    let cost = records[slot].cost
    if former >= 0 {
      sources.remove(slot, from: former, isWanted: isWanted)
      bytes -= cost
      records[slot].source = -1
    }
    if let source {
      bytes += cost
      records[slot].source = sources.append(slot, from: source, isWanted: isWanted)
    }
  }

  /// Gives a record the last second of its life without its having been heard of.
  mutating func setLeaving(_ slot: Int) {
    move(slot, to: .leaving)
  }

  /// Puts a record last among those of a standing in its set.
  private mutating func move(_ slot: Int, to standing: CachedRecord.Standing) {
    let set = Int(records[slot].set)
    setChains.remove(slot, from: &sets[set][records[slot].standing])
    setChains.append(slot, to: &sets[set][standing])
    records[slot].standing = standing
  }

  mutating func setWanted(_ slot: Int, _ isWanted: Bool) {
    guard records[slot].isWanted != isWanted else { return }
    records[slot].isWanted = isWanted
    guard case let source = records[slot].source, source >= 0 else { return }
    sources.move(slot, of: source, toWanted: isWanted)
  }

  /// The record to let go of when there is too much; nil when there is room.
  var surplus: Int? {
    sources.count > Self.maximumRecords || bytes > Self.maximumBytes ? sources.victim : nil
  }
}
