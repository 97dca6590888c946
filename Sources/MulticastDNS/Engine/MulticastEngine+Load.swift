extension MulticastEngine {
  /// What one link keeps because of what others sent.
  package struct Load: Hashable, Sendable {
    /// Records of others in the cache.
    package let records: Int
    /// The bytes that these take, roughly counted.
    package let bytes: Int
    /// Queries that are answered a little later.
    package let heldQueries: Int

    /// What none of it exceeds, whatever comes in.
    package static let limit = Load(
      records: RecordCache.maximumRecords, bytes: RecordCache.maximumBytes, heldQueries: HeldQuery.maximum)

    package var isWithinLimit: Bool {
      records <= Self.limit.records && bytes <= Self.limit.bytes && heldQueries <= Self.limit.heldQueries
    }
  }

  /// What a link keeps; nil for a link that is not up.
  package func load(of link: MulticastLink) -> Load? {
    index(of: link).map { links[$0].load }
  }
}

extension LinkState {
  var load: MulticastEngine.Load {
    MulticastEngine.Load(records: cache.foreignCount, bytes: cache.foreignBytes, heldQueries: held.count)
  }
}
