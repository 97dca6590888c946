public import Bonjourish

/// A room in the lobby: found on the network, not yet joined.
public struct DiscoveredRoom: Hashable, Sendable, Identifiable {
  public let instance: ServiceInstance
  public let endpoint: Endpoint
  /// The room's advertisement.
  public let advertisement: RoomAdvertisement
  /// The part of the directory that lists the room; nil if it was found on the local network only.
  public let region: String?
  /// Whether the room was found on the local network.
  public let isHere: Bool

  public var id: ServiceInstance { instance }

  /// The room's name, chosen by its host: print it `escapedForDisplay`.
  public var name: String { instance.name.text }

  /// Makes a room from a found service; nil if it has no endpoint, or its TXT record does not describe a room.
  public init?(_ service: DiscoveredService) {
    guard let endpoint = service.endpoint, let advertisement = try? RoomAdvertisement(txt: endpoint.txt) else { return nil }
    instance = service.instance
    self.endpoint = endpoint
    self.advertisement = advertisement
    region = service.region
    isHere = region == nil || !service.interfaces.isEmpty
  }
}

extension BrowseSnapshot {
  /// The rooms in it, in the order of their names.
  public var rooms: [DiscoveredRoom] { services.compactMap(DiscoveredRoom.init) }
}

extension RoomAdvertisement {
  /// Reads a TXT record; the case of keys is ignored.
  init(txt: TXTRecord) throws(Invalid) {
    var pairs: [String: String] = [:]
    for (key, value) in txt { pairs[key.lowercased()] = value.text }
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
        preconditionFailure("the keys and values of rooms must be short ASCII: \(error)")
      }
    }
  }
}
