/// Who sent which records, so that one who sends too many loses his own and not those of others.
///
/// Up to ``maximumSources`` senders are told apart; beyond, several share a place. (Whoever forges that many addresses can
/// still crowd others out; what is asked for then comes back with the next question.)
struct SourceTable {
  static let maximumSources = 256

  private struct Source {
    var address: DNSAddress?
    /// The longest unheard of first.
    var wanted = Chain()
    var unwanted = Chain()

    subscript(isWanted: Bool) -> Chain {
      get { isWanted ? wanted : unwanted }
      set { if isWanted { wanted = newValue } else { unwanted = newValue } }
    }
  }

  private var chains = Chains()
  private var sources: [Source] = []
  private var places: [DNSAddress: Int32] = [:]
  private var free: [Int32] = []
  private var unwantedCount = 0

  /// How many records there are of all senders.
  private(set) var count = 0

  /// Notes that a record came from a sender, and returns the sender's place.
  mutating func append(_ slot: Int, from address: DNSAddress, isWanted: Bool) -> Int32 {
    let place = self.place(of: address)
    chains.append(slot, to: &sources[Int(place)][isWanted])
    count += 1
    if !isWanted { unwantedCount += 1 }
    return place
  }

  mutating func remove(_ slot: Int, from place: Int32, isWanted: Bool) {
    let index = Int(place)
    chains.remove(slot, from: &sources[index][isWanted])
    count -= 1
    if !isWanted { unwantedCount -= 1 }
    guard sources[index].wanted.isEmpty, sources[index].unwanted.isEmpty, let address = sources[index].address else { return }
    places[address] = nil
    sources[index].address = nil
    free.append(place)
  }

  mutating func move(_ slot: Int, of place: Int32, toWanted isWanted: Bool) {
    chains.remove(slot, from: &sources[Int(place)][!isWanted])
    chains.append(slot, to: &sources[Int(place)][isWanted])
    unwantedCount += isWanted ? -1 : 1
  }

  /// Of the sender with the most records that nobody asks for, or with the most at all when all are asked for, the one
  /// that was not heard of for the longest time.
  var victim: Int? {
    let isWanted = unwantedCount == 0
    guard let source = sources.max(by: { $0[isWanted].count < $1[isWanted].count }), !source[isWanted].isEmpty else {
      return nil
    }
    return Int(source[isWanted].first)
  }

  private mutating func place(of address: DNSAddress) -> Int32 {
    if let place = places[address] { return place }
    let place: Int32
    if let freed = free.popLast() {
      place = freed
    } else if sources.count < Self.maximumSources {
      place = Int32(sources.count)
      sources.append(Source())
    } else {
      return Int32(address.bytes.reduce(0) { ($0 &* 31 &+ Int($1)) % Self.maximumSources })
    }
    sources[Int(place)].address = address
    places[address] = place
    return place
  }
}
