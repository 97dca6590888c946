import FramedSecurity
import FramedTransport
import FramedWebSockets
import Rooms

/// The host that all come to.
struct BesiegedHost: Sendable {
  let address: SocketAddress
  /// The passcode that the host asks for; nil for none.
  let code: Passcode?
  /// Where pages come in; nil for nowhere.
  let page: SocketAddress?

  /// Connects to the port for programs.
  ///
  /// - Parameter passcode: What to prove; nil for nothing.
  func connect(_ passcode: Passcode?) async throws -> Connection {
    let security: ConnectionSecurity =
      passcode.map { .passcode($0, service: "\(RoomHost.serviceType)") } ?? .anyKey()
    return try await connect(to: address, security)
  }

  /// Connects as a page.
  ///
  /// - Parameter origin: The site that the page says it is from; nil for the host's own.
  func connectAsPage(from origin: String? = nil) async throws -> Connection {
    guard let page else { return try await connect(code) }
    let host = "127.0.0.1:\(page.port)"
    return try await connect(to: page, .webSocket(host: host, origin: origin ?? "http://\(host)"))
  }

  private func connect(to address: SocketAddress, _ security: ConnectionSecurity) async throws -> Connection {
    try await Connection.connect(
      to: [address], format: RoomMessage.format, limits: RoomMessage.playerLimits, security: security, within: .seconds(10))
  }
}
