public import Bonjourish
import BonjourishTransport
import FramedTransport

extension DiscoveredRoom {
  /// Whether something accepts connections where the room is listed.
  ///
  /// Anybody may list a room in a directory. Whether it is that room, joining finds out.
  ///
  /// - Parameters:
  ///   - bonjour: The discovery that resolves the room.
  ///   - interfaces: The interfaces to ask on.
  ///   - limit: The longest time to wait.
  public func answers(on bonjour: Bonjour, interfaces: InterfaceSelection, within limit: Duration) async -> Bool {
    do throws(ServiceConnectionError) {
      let connection = try await Connection.connect(
        to: instance, using: bonjour, interfaces: interfaces, format: RoomMessage.format, limits: RoomMessage.playerLimits,
        within: limit)
      connection.abort()
      return true
    } catch {
      return false
    }
  }
}
