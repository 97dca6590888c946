import EventLoop

/// What the connections of one listener have in common: who is here, who has not been admitted, and what befell them.
///
/// It is locked when a connection comes, is admitted or goes, and never for a frame.
final class Reception: Sendable {
  private struct State {
    var door: Door
    /// All that are open.
    var guests: [Door.Ticket: Channel] = [:]
    var counters = ListenerCounters()
    /// Who waits until everybody has gone.
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  let limits: NewcomerLimits
  private let state: Locked<State>
  private let tallies: Locked<[ObjectIdentifier: Tally]> = Locked([:])

  init(_ limits: NewcomerLimits) {
    self.limits = limits
    state = Locked(State(door: Door(limits)))
  }

  /// What has happened so far, and how many are here now.
  var counters: ListenerCounters {
    var counters = state.withLock { state in
      state.counters.connections = state.guests.count
      state.counters.newcomers = state.door.count
      return state.counters
    }
    for tally in tallies.withLock({ Array($0.values) }) { tally.add(to: &counters) }
    return counters
  }

  func count(_ event: (inout ListenerCounters) -> Void) {
    state.withLock { event(&$0.counters) }
  }

  /// Where a loop counts the bytes of its connections.
  func tally(of home: TransportLoop) -> Tally {
    tallies.withLock { tallies in
      if let tally = tallies[ObjectIdentifier(home)] { return tally }
      let tally = Tally()
      tallies[ObjectIdentifier(home)] = tally
      return tally
    }
  }

  // MARK: - Coming and going

  /// Somebody has connected; another may have to go for him.
  ///
  /// - Returns: `nil` when he is refused. Otherwise `enter` has to be called before anybody else arrives.
  func arrive(
    _ peer: SocketAddress, seenFrom local: SocketAddress, _ credentials: PeerCredentials? = nil
  ) -> Door.Ticket? {
    let block = AddressBlock(peer, seenFrom: local, credentials)
    let (ticket, displaced) = state.withLock { state -> (Door.Ticket?, Channel?) in
      switch state.door.arrive(from: block) {
      case .welcome(let ticket, let displaced):
        return (ticket, displaced.flatMap { state.guests[$0] })
      case .addressCrowded:
        state.counters.refusedFromAddress += 1
        return (nil, nil)
      case .crowded:
        state.counters.refusedCrowded += 1
        return (nil, nil)
      }
    }
    displaced?.displace()
    return ticket
  }

  /// The channel of one who has arrived.
  func enter(_ channel: Channel, _ ticket: Door.Ticket) {
    state.withLock { state in
      state.counters.accepted += 1
      state.guests[ticket] = channel
    }
  }

  /// One who has arrived may stay; harmless when that is said again.
  func admit(_ ticket: Door.Ticket) {
    state.withLock { state in
      if state.door.leave(ticket) { state.counters.admitted += 1 }
    }
  }

  /// A connection is closed, or was never made.
  func leave(_ ticket: Door.Ticket) {
    let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.door.leave(ticket)
      state.guests[ticket] = nil
      guard state.guests.isEmpty else { return [] }
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }

  // MARK: - Closing

  /// How many are here.
  var guestCount: Int { state.withLock { $0.guests.count } }

  /// Returns when nobody is here any more.
  func waitUntilEmpty() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.guests.isEmpty { state.closers.append(continuation) }
        return state.guests.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }

  /// Ends all connections at once.
  ///
  /// - Parameter count: Told before how many they are, for afterwards nobody may be waited for any more.
  func abortAll(_ count: (Int) -> Void) {
    let guests = state.withLock { Array($0.guests.values) }
    count(guests.count)
    for guest in guests { guest.abort() }
  }
}
