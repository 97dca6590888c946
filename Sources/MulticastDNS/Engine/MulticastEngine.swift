/// An mDNS querier and responder (RFC 6762) as a value: what happens goes in, what is to be done comes out.
///
/// It does no I/O, has no clock and no randomness but its seed: the same events at the same times give the same effects.
///
/// - What this process itself publishes answers its own questions from within: no datagram is needed, and our own datagrams
///   that come back by multicast loop are told apart and dropped. (Only those that were sent through *this* value: another
///   process of this host is another host as far as the engine is concerned.)
/// - Questions never ask for unicast answers, since port 5353 may be shared with other processes (RFC 6762 §15.1); answers
///   that come by unicast are therefore dropped (§6).
/// - All that grows with what the network sends is bounded: see `Limits`.
package struct MulticastEngine {
  /// Makes an engine without links.
  ///
  /// - Parameter seed: Where the random delays come from; another one in each process.
  package init(seed: UInt64) {
    _ = seed
  }

  /// When `handle` has something to do even if nothing happens; nil for never.
  package var nextDeadline: Duration? { nil }

  /// Takes in an event.
  ///
  /// - Parameter now: The time since some moment that stays the same; it never goes back.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] { [] }
}
