import _BonjourishDiscovery

/// The records of each sender, so that a sender of too many records loses its own and not those of others.
///
/// Up to ``maximumSources`` senders have their own entry; further ones share entries. An attacker that forges that many
/// addresses can still displace other senders' records; those that are asked for come back with the next question.
struct SourceTable {
  static let maximumSources = 256

  private struct Source {
    var address: IPAddress?
    /// Whether records of other senders are here too.
    var isShared = false
    /// The record that was confirmed the longest time ago comes first.
    var wanted = LinkedList()
    var unwanted = LinkedList()

    subscript(isWanted: Bool) -> LinkedList {
      get { isWanted ? wanted : unwanted }
      set { if isWanted { wanted = newValue } else { unwanted = newValue } }
    }
  }

  private var lists = LinkedLists()
  private var sources: [Source] = []
  private var places: [IPAddress: Int32] = [:]
  private var free: [Int32] = []
  /// The place that was found last: the records of a datagram have one sender.
  private var latest: Int32 = 0
  /// The number of records of each sender.
  private var counts: [Int32] = []

  /// The number of records of all senders.
  private(set) var count = 0

  /// Adds a record to its sender's list, and returns the sender's place.
  mutating func append(_ slot: Int, from address: IPAddress, isWanted: Bool) -> Int32 {
    let place = !sources.isEmpty && isFrom(address, latest) ? latest : self.place(of: address)
    latest = place
    lists.append(slot, to: &sources[Int(place)][isWanted])
    count += 1
    counts[Int(place)] += 1
    return place
  }

  mutating func remove(_ slot: Int, from place: Int32, isWanted: Bool) {
    let index = Int(place)
    lists.remove(slot, from: &sources[index][isWanted])
    count -= 1
    counts[index] -= 1
    guard counts[index] == 0, let address = sources[index].address else { return }
    places[address] = nil
    sources[index].address = nil
    sources[index].isShared = false
    free.append(place)
  }

  /// Whether a place was made for this sender.
  func isFrom(_ address: IPAddress, _ place: Int32) -> Bool { sources[Int(place)].address == address }

  /// Whether a place belongs to this sender, or to several.
  func mayBe(_ place: Int32, of address: IPAddress) -> Bool {
    place < 0 || sources[Int(place)].isShared || sources[Int(place)].address == address
  }

  /// The sender of a place; nil when the place belongs to several, or to none.
  func address(of place: Int32) -> IPAddress? {
    place < 0 || sources[Int(place)].isShared ? nil : sources[Int(place)].address
  }

  /// Moves a record that was just confirmed to the end of its sender's list.
  mutating func renew(_ slot: Int, of place: Int32, isWanted: Bool) {
    lists.remove(slot, from: &sources[Int(place)][isWanted])
    lists.append(slot, to: &sources[Int(place)][isWanted])
  }

  mutating func move(_ slot: Int, of place: Int32, toWanted isWanted: Bool) {
    lists.remove(slot, from: &sources[Int(place)][!isWanted])
    lists.append(slot, to: &sources[Int(place)][isWanted])
  }

  /// The place of the most records; nil if there are none.
  private var largest: Int? {
    // Without closures and indices: this runs for each record of a flood.
    var most: Int32 = 1
    for count in counts { most = max(most, count) }
    return counts.firstIndex(of: most)
  }

  /// Whether a sender has more records than any other, and shares its place with nobody.
  func isLargest(_ address: IPAddress) -> Bool {
    largest.map { sources[$0].address == address && !sources[$0].isShared } ?? false
  }

  /// The record to evict: of the sender with the most records, the one that was confirmed the longest time ago. Records that no
  /// question asks for are evicted first, but for an eighth of the sender's: what comes with a new service is not asked for yet.
  var victim: Int? {
    guard let largest, case let most = counts[largest] else { return nil }
    let (wanted, unwanted) = (sources[largest].wanted, sources[largest].unwanted)
    return Int(wanted.isEmpty || unwanted.count > most / 8 ? unwanted.first : wanted.first)
  }

  private mutating func place(of address: IPAddress) -> Int32 {
    if let place = places[address] { return place }
    let place: Int32
    if let freed = free.popLast() {
      place = freed
    } else if sources.count < Self.maximumSources {
      place = Int32(sources.count)
      sources.append(Source())
      counts.append(0)
    } else {
      let shared = address.bytes.reduce(0) { ($0 &* 31 &+ Int($1)) % Self.maximumSources }
      sources[shared].isShared = true
      return Int32(shared)
    }
    sources[Int(place)].address = address
    places[address] = place
    return place
  }
}
