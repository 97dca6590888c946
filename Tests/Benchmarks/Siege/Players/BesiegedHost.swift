import FramedTransport
import Rooms
import SecureTransport

/// The host that all come to.
struct BesiegedHost: Sendable {
  let address: SocketAddress

  /// Connects, with a passcode if there is one.
  func connect(_ passcode: Passcode?) async throws -> Connection {
    let security: ConnectionSecurity =
      passcode.map { .passcode($0, service: "\(RoomHost.serviceType)") } ?? .anyKey()
    return try await Connection.connect(
      to: [address], format: RoomMessage.format, limits: RoomMessage.playerLimits, security: security, within: .seconds(10))
  }
}
