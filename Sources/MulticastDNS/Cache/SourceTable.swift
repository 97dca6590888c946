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
  /// How many records each has.
  private var counts: [Int32] = []

  /// How many records there are of all senders.
  private(set) var count = 0

  /// Notes that a record came from a sender, and returns the sender's place.
  mutating func append(_ slot: Int, from address: DNSAddress, isWanted: Bool) -> Int32 {
    let place = self.place(of: address)
    chains.append(slot, to: &sources[Int(place)][isWanted])
    count += 1
    counts[Int(place)] += 1
    return place
  }

  mutating func remove(_ slot: Int, from place: Int32, isWanted: Bool) {
    let index = Int(place)
    chains.remove(slot, from: &sources[index][isWanted])
    count -= 1
    counts[index] -= 1
    guard counts[index] == 0, let address = sources[index].address else { return }
    places[address] = nil
    sources[index].address = nil
    free.append(place)
  }

  /// Whether a place is that of a sender alone.
  func isFrom(_ address: DNSAddress, _ place: Int32) -> Bool { sources[Int(place)].address == address }

  /// Puts a record last among those of its sender, as the one just heard of.
  mutating func renew(_ slot: Int, of place: Int32, isWanted: Bool) {
    chains.remove(slot, from: &sources[Int(place)][isWanted])
    chains.append(slot, to: &sources[Int(place)][isWanted])
  }

  mutating func move(_ slot: Int, of place: Int32, toWanted isWanted: Bool) {
    chains.remove(slot, from: &sources[Int(place)][!isWanted])
    chains.append(slot, to: &sources[Int(place)][isWanted])
  }

  /// Of the sender with the most records, the one that was not heard of for the longest time; one that nobody asks for if
  /// there is any.
  var victim: Int? {
    var largest = -1
    var most: Int32 = 0
    for index in counts.indices where counts[index] > most {
      most = counts[index]
      largest = index
    }
    guard largest >= 0 else { return nil }
    let unwanted = sources[largest].unwanted
    return Int(unwanted.isEmpty ? sources[largest].wanted.first : unwanted.first)
  }

  private mutating func place(of address: DNSAddress) -> Int32 {
    if let place = places[address] { return place }
    let place: Int32
    if let freed = free.popLast() {
      place = freed
    } else if sources.count < Self.maximumSources {
      place = Int32(sources.count)
      sources.append(Source())
      counts.append(0)
    } else {
      return Int32(address.bytes.reduce(0) { ($0 &* 31 &+ Int($1)) % Self.maximumSources })
    }
    sources[Int(place)].address = address
    places[address] = place
    return place
  }
}
