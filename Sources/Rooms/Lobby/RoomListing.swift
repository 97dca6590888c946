public import Bonjourish

/// A room as the lobby shows it: found on the network, and not entered.
public struct RoomListing: Hashable, Sendable, Identifiable {
  public let instance: ServiceInstance
  public let endpoint: Endpoint
  /// What the room says of itself.
  public let advertisement: RoomAdvertisement

  public var id: ServiceInstance { instance }

  /// The room's name, as its host chose it: do not print it raw.
  public var name: String { instance.name.text }

  /// Makes a listing of what a browser found; nil for what has no endpoint, or does not say that it is a room of ours.
  public init?(_ service: DiscoveredService) {
    guard let endpoint = service.endpoint, let advertisement = try? RoomAdvertisement(txt: endpoint.txt) else { return nil }
    instance = service.instance
    self.endpoint = endpoint
    self.advertisement = advertisement
  }
}

extension BrowseSnapshot {
  /// The rooms in it, in the order of their names.
  public var rooms: [RoomListing] { services.compactMap(RoomListing.init) }
}

extension RoomAdvertisement {
  /// The advertisement as a TXT record.
  var txt: TXTRecord { TXTRecord(of: pairs) }

  /// Reads a TXT record, whose keys have no case.
  init(txt: TXTRecord) throws(Invalid) {
    var pairs: [String: String] = [:]
    for entry in txt.entries { pairs[entry.key.lowercased()] = entry.value.text }
    try self.init(pairs: pairs)
  }
}

extension TXTRecord {
  /// The pairs of an advertisement, in the order of their keys.
  init(of pairs: [String: String]) {
    self.init()
    for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
      do throws(DiscoveryError) {
        try set(.init(value), for: key)
      } catch {
        preconditionFailure("the keys and values of rooms are short ASCII: \(error)")
      }
    }
  }
}
