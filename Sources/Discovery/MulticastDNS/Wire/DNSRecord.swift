/// A record of class IN.
package struct DNSRecord: Hashable, Sendable {
  package let name: DNSName
  package let data: DNSData
  /// The time to live in seconds; 0 for a goodbye (RFC 6762 §10.1).
  package let timeToLive: UInt32
  /// Whether the record's set has a single owner. The whole set is then sent together (RFC 6762 §10.2).
  package let cacheFlush: Bool

  package init(_ name: DNSName, _ data: DNSData, timeToLive: UInt32, cacheFlush: Bool = false) {
    self.name = name
    self.data = data
    self.timeToLive = timeToLive
    self.cacheFlush = cacheFlush
  }

  package var type: DNSType { data.type }
}
