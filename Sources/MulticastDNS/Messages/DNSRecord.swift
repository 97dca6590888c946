/// A record of class IN.
package struct DNSRecord: Hashable, Sendable {
  package let name: DNSName
  package let data: DNSData
  /// Seconds; 0 says goodbye (RFC 6762 §10.1).
  package let timeToLive: UInt32
  /// The record is one of a set that has a single owner, and the whole set is sent with it (RFC 6762 §10.2).
  package let cacheFlush: Bool

  package init(_ name: DNSName, _ data: DNSData, timeToLive: UInt32, cacheFlush: Bool = false) {
    self.name = name
    self.data = data
    self.timeToLive = timeToLive
    self.cacheFlush = cacheFlush
  }

  package var type: DNSType { data.type }
}
