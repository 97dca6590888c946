import _BonjourishBase
import _BonjourishDiscovery

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
    let key: HashedKey
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
  private var recordIndex = SlotIndex()
  private var sets = SlotMap<RecordSet>()
  private var setIndex = SlotIndex()
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

  /// When a record may next be asked for again.
  var nextRenewal: Instant { slotsInUse.reduce(.never) { min($0, records[$1].renewalMark) } }

  /// The name and type of a record.
  func key(of slot: Int) -> HashedKey { sets[Int(records[slot].set)].key }

  func find(_ name: DNSName, _ data: DNSData) -> Int? {
    recordIndex.first(hash: RecordKey.digest(name, data)) {
      records[$0].name == name && records[$0].data == data
    }
  }

  private func findSet(_ key: HashedKey) -> Int? {
    setIndex.first(hash: key.digest) { sets[$0].key == key }
  }

  /// The records of a name and type, our own first. The type `any` stands for ``knownTypes``.
  func slots(of key: HashedKey) -> [Int] {
    guard key.type == .any else {
      guard let set = findSet(key).map({ sets[$0] }) else { return [] }
      return lists.slots(of: set.own) + lists.slots(of: set.live) + lists.slots(of: set.leaving)
    }
    return Self.knownTypes.flatMap { slots(of: HashedKey(name: key.name, type: $0)) }
  }

  private static let knownTypes: [DNSType] = [.a, .cname, .ptr, .hinfo, .txt, .aaaa, .srv, .nsec]

  /// The live record in the set of `slot` that was confirmed the longest time ago.
  func longestUnconfirmed(inSetOf slot: Int) -> Int? {
    let first = sets[Int(records[slot].set)].live.first
    return first >= 0 ? Int(first) : nil
  }

  /// The live records of a set that were confirmed the longest time ago.
  func longestUnconfirmed(of key: HashedKey, maximum: Int) -> [Int] {
    findSet(key).map { lists.slots(of: sets[$0].live, maximum: maximum) } ?? []
  }

  /// Whether a host was the last to send a record. True for all hosts if it is not known who was.
  func mayBe(_ slot: Int, from address: IPAddress) -> Bool { sources.mayBe(records[slot].source, of: address) }

  /// The last sender of a record; nil for our own records, and when it is not known.
  func source(of slot: Int) -> IPAddress? { sources.address(of: records[slot].source) }

  /// The record of a set that was confirmed last, our own before others'. Leaving records are ignored.
  func latest(of key: HashedKey) -> Int? {
    guard let set = findSet(key).map({ sets[$0] }) else { return nil }
    let slot = set.own.isEmpty ? set.live.last : set.own.last
    return slot >= 0 ? Int(slot) : nil
  }

  /// Adds a record that is not in the cache.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - key: Its name and type.
  ///   - source: The sender; nil for our own record.
  /// - Returns: The record's slot.
  mutating func insert(_ record: consuming CachedRecord, as key: HashedKey, from source: IPAddress?) -> Int {
    let set = findSet(key) ?? insertSet(key)
    record.set = Int32(set)
    let hash = RecordKey.digest(record.name, record.data)
    let slot = records.insert(record)
    recordIndex.insert(slot, hash: hash)
    lists.append(slot, to: &sets[set][records[slot].standing])
    if let source {
      bytes += records[slot].cost
      records[slot].source = sources.append(slot, from: source, isWanted: records[slot].isWanted)
    }
    return slot
  }

  private mutating func insertSet(_ key: HashedKey) -> Int {
    let set = sets.insert(RecordSet(key: key))
    setIndex.insert(set, hash: key.digest)
    return set
  }

  @discardableResult
  mutating func remove(_ slot: Int) -> CachedRecord {
    let record = records.remove(slot)
    deadlines.remove(slot)
    recordIndex.remove(slot)
    let set = Int(record.set)
    lists.remove(slot, from: &sets[set][record.standing])
    if sets[set].isEmpty {
      sets.remove(set)
      setIndex.remove(set)
    }
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

  /// Whether a sender has more records than any other.
  func isLargest(_ address: IPAddress) -> Bool { sources.isLargest(address) }

  /// The record to evict next; nil when there is none of another host.
  var victim: Int? { sources.victim }
}
