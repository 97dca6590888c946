extension MulticastEngine {
  /// The data that a link stores because of other hosts' datagrams.
  package struct Load: Hashable, Sendable {
    /// The number of other hosts' records in the cache.
    package let records: Int
    /// The estimated memory of these records in bytes.
    package let bytes: Int
    /// The number of queries whose answers are deferred.
    package let deferredQueries: Int

    /// The limits, which no received data can exceed.
    package static let limit = Load(
      records: RecordCache.maximumRecords, bytes: RecordCache.maximumBytes, deferredQueries: DeferredQuery.maximum)
  }

  /// The load of a link; nil when it is not up.
  package func load(of link: MulticastLink) -> Load? {
    index(of: link).map { links[$0].load }
  }

  /// Evicts records while those of all links together exceed the limits of one link. The link with the most loses them, so a
  /// flood on one link does not displace the records of the others.
  mutating func evictSurplus(_ step: inout Step) {
    while true {
      var (records, bytes) = (0, 0)
      for index in links.indices {
        records += links[index].querier.cache.foreignCount
        bytes += links[index].querier.cache.foreignBytes
      }
      let hasTooManyRecords = records > RecordCache.maximumRecords
      guard hasTooManyRecords || bytes > RecordCache.maximumBytes else { return }
      func share(_ index: Int) -> Int {
        hasTooManyRecords ? links[index].querier.cache.foreignCount : links[index].querier.cache.foreignBytes
      }
      guard let largest = links.indices.max(by: { share($0) < share($1) }), links[largest].querier.evict(&step) else { return }
    }
  }
}
