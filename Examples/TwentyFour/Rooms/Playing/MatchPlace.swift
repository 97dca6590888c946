import Bonjourish
import Synchronization

/// Where the match of a player is listed, as the host has told. The host is known by its key, so what it tells is as good as itself.
final class MatchPlace: Sendable {
  /// The time limit for finding it. Then the player looks for the host where it was found first.
  static let timeout: Duration = .seconds(3)

  /// What the player has joined; nil if that is an address.
  let joined: ServiceInstance?
  private let place = Mutex<ServiceInstance?>(nil)

  /// - Parameter joined: What the player has joined; nil if that is an address.
  init(of joined: ServiceInstance? = nil) {
    self.joined = joined
  }

  /// The match; nil if it is what the player has joined, or not listed.
  var match: ServiceInstance? { place.withLock { $0 } }

  /// Notes the name that the host has told.
  func set(_ name: String?) {
    let instance = name.flatMap { try? InstanceName($0) }.map { ServiceInstance($0, type: RoomHost.serviceType) }
    place.withLock { $0 = instance == joined ? nil : instance }
  }
}
