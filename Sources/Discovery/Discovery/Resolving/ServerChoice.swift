/// The host and port of a service.
struct Server: Hashable {
  let host: DomainName
  let port: UInt16
}

/// Chooses between the SRV records of an instance: those with the lowest priority. Of several, one is chosen at random by weight
/// (RFC 2782); if none has a weight, the newest, because it may replace the others.
struct ServerChoice {
  private var candidates: [(server: Server, weight: UInt16)] = []
  private var lowest = UInt16.max

  /// Adds a server, after the older ones. Port 0 is no server.
  mutating func add(_ server: Server, priority: UInt16, weight: UInt16) {
    guard server.port != 0, priority <= lowest else { return }
    if priority < lowest { candidates = [] }
    lowest = priority
    // Records of several links are one.
    candidates.removeAll { $0 == (server, weight) }
    candidates.append((server, weight))
  }

  /// - Parameter draw: A random number.
  /// - Returns: Nil when there is no server.
  func chosen(by draw: UInt32) -> Server? {
    let total = candidates.reduce(0) { $0 + UInt64($1.weight) }
    guard total > 0 else { return candidates.last?.server }
    // In an order of their own, so that the choice stays the same while the records do. Those without a weight come first.
    let sorted = candidates.sorted {
      ($0.weight, $0.server.host.text, $0.server.port) < ($1.weight, $1.server.host.text, $1.server.port)
    }
    let mark = (UInt64(draw) * (total + 1)) >> 32
    var sum: UInt64 = 0
    return sorted.first { candidate in
      sum += UInt64(candidate.weight)
      return sum >= mark
    }?.server
  }
}
