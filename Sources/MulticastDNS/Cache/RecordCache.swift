import Discovery
import Timing

/// The records known on a link, by name and type, with their deadlines and the order in which to evict them.
///
/// Bounded by ``maximumRecords`` and ``maximumBytes``, which hold for the caches of all links together too. Our own records do not count, because the network cannot add to them.
/// Every operation takes constant time, except for the heap of deadlines, which takes logarithmic time.
struct RecordCache {
  /// The maximum number of other hosts' records.
  static let maximumRecords = 16_384
  /// The maximum of their estimated memory in bytes.
  static let maximumBytes = 8 << 20

  /// The records of one name and type, by standing. Each list begins with the record that was confirmed the longest time ago.
  private struct RecordSet {
    let key: SetKey
    var own = LinkedList()
    var live = LinkedList()
    var leaving = LinkedList()

    subscript(standing: CachedRecord.Standing) -> LinkedList {
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

  private(set) var records = SlotMap<CachedRecord>()
  /// The times at which records are asked for again or removed.
  var deadlines = DeadlineQueue()
  private var places: [RecordKey: Int32] = [:]
  private var setPlaces: [SetKey: Int32] = [:]
  private var sets = SlotMap<RecordSet>()
  private var lists = LinkedLists()
  private var sources = SourceTable()
  private var bytes = 0

  /// The estimated memory of other hosts' records in bytes.
  var foreignBytes: Int { bytes }

  /// The number of other hosts' records.
  var foreignCount: Int { sources.count }

  subscript(slot: Int) -> CachedRecord {
    get { records[slot] }
    _modify { yield &records[slot] }
  }

  var slotsInUse: [Int] { records.indices }

  func find(_ name: DNSName, _ data: DNSData) -> Int? {
    places[RecordKey(name: name, data: data)].map(Int.init)
  }

  /// The records of a name and type, our own first. The type `any` stands for ``knownTypes``.
  func slots(of key: SetKey) -> [Int] {
    guard key.type == .any else {
      guard let place = setPlaces[key] else { return [] }
      let set = sets[Int(place)]
      return lists.slots(of: set.own) + lists.slots(of: set.live) + lists.slots(of: set.leaving)
    }
    return Self.knownTypes.flatMap { slots(of: SetKey(name: key.name, type: $0)) }
  }

  private static let knownTypes: [DNSType] = [.a, .cname, .ptr, .hinfo, .txt, .aaaa, .srv, .nsec]

  /// The live record in the set of `slot` that was confirmed the longest time ago.
  func longestUnconfirmed(inSetOf slot: Int) -> Int? {
    let first = sets[Int(records[slot].set)].live.first
    return first >= 0 ? Int(first) : nil
  }

  /// The live records of a set that were confirmed the longest time ago.
  func longestUnconfirmed(of key: SetKey, maximum: Int) -> [Int] {
    setPlaces[key].map { lists.slots(of: sets[Int($0)].live, maximum: maximum) } ?? []
  }

  /// Whether a host was the last to send a record. True for all hosts if it is not known who was.
  func mayBe(_ slot: Int, from address: IPAddress) -> Bool { sources.mayBe(records[slot].source, of: address) }

  /// The record of a set that was confirmed last, our own before others'. Leaving records are ignored.
  func latest(of key: SetKey) -> Int? {
    guard let place = setPlaces[key] else { return nil }
    let set = sets[Int(place)]
    let slot = set.own.isEmpty ? set.live.last : set.own.last
    return slot >= 0 ? Int(slot) : nil
  }

  /// Adds a record that is not in the cache.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - source: The sender; nil for our own record.
  /// - Returns: The record's slot.
  mutating func insert(_ record: CachedRecord, from source: IPAddress?) -> Int {
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
    lists.append(slot, to: &sets[setPlace][record.standing])
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
    lists.remove(slot, from: &sets[setPlace][record.standing])
    if sets[setPlace].isEmpty { setPlaces[sets.remove(setPlace).key] = nil }
    if record.source >= 0 {
      bytes -= record.cost
      sources.remove(slot, from: record.source, isWanted: record.isWanted)
    }
    return record
  }

  /// Moves a record that was just confirmed to the end of its set and of its sender's list.
  mutating func renew(_ slot: Int, as standing: CachedRecord.Standing, from source: IPAddress?) {
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

  /// Marks a record as leaving.
  mutating func setLeaving(_ slot: Int) {
    move(slot, to: .leaving)
  }

  /// Moves a record to the end of its set's list for a standing.
  private mutating func move(_ slot: Int, to standing: CachedRecord.Standing) {
    let set = Int(records[slot].set)
    lists.remove(slot, from: &sets[set][records[slot].standing])
    lists.append(slot, to: &sets[set][standing])
    records[slot].standing = standing
  }

  mutating func setWanted(_ slot: Int, _ isWanted: Bool) {
    guard records[slot].isWanted != isWanted else { return }
    records[slot].isWanted = isWanted
    guard case let source = records[slot].source, source >= 0 else { return }
    sources.move(slot, of: source, toWanted: isWanted)
  }

  /// Whether it exceeds the limits.
  var isOverfull: Bool { sources.count > Self.maximumRecords || bytes > Self.maximumBytes }

  /// The record to evict next; nil when there is none of another host.
  var victim: Int? { sources.victim }
}
