import Bonjourish
import FramedTransport
import FramedWebSockets
import Synchronization

/// The open web entrance of a host: its listener, its addresses and the token that it shows.
final class WebListener: Sendable {
  let listener: Listener
  private let interfaces: InterfaceSelection
  private let token = Mutex<AdmissionToken?>(nil)

  init(_ listener: Listener, on interfaces: InterfaceSelection) {
    self.listener = listener
    self.interfaces = interfaces
  }

  /// Listens.
  ///
  /// - Parameter kept: The port of an earlier process, if there was one.
  static func open(
    _ entrance: WebEntrance, keeping kept: UInt16?, interfaces: InterfaceSelection, pending: PendingConnectionLimits
  ) async throws(TransportError) -> WebListener {
    func bind(_ port: UInt16) async throws(TransportError) -> WebListener {
      let listener = try await Listener.bind(
        port: port, interface: interfaces.onlyName, format: RoomMessage.format, limits: RoomMessage.limits, pending: pending,
        security: .plaintext(serving: entrance.site), on: .one)
      return WebListener(listener, on: interfaces)
    }
    if let port = entrance.port { return try await bind(port) }
    do throws(TransportError) {
      return try await bind(kept ?? WebEntrance.standardPort)
    } catch  where error.code == .addressInUse {
      return try await bind(0)
    }
  }

  /// Runs a handler for each WebSocket. Native peers, who would not be encrypted, have a port of their own.
  func serve(_ handler: @escaping @Sendable (Connection) async -> Void) async {
    await listener.serve(on: .connectionLoop) { connection in
      guard connection.webDetails != nil else { return connection.abort() }
      await handler(connection)
    }
  }

  /// What lets programs find the page. Never with a token.
  func advertisement(named name: InstanceName) -> Bonjour.Service {
    Bonjour.Service(name, type: "_http._tcp", subtypes: ["_twentyfour"], port: listener.port, txt: TXTRecord(of: ["path": "/"]))
  }

  /// Shows another token.
  ///
  /// - Returns: Whether there was one before.
  func show(_ token: AdmissionToken) -> Bool {
    self.token.withLock { present in
      defer { present = token }
      return present != nil
    }
  }

  /// The addresses of the page, the one that a phone most likely reaches first. A token stands in the fragment, which browsers send to
  /// nobody.
  var addresses: [String] {
    let fragment = token.withLock { $0.map { "#\($0.text)" } ?? "" }
    return OwnAddress.all(on: interfaces).map { "http://\($0.address.urlHost):\(listener.port)/\(fragment)" }
  }
}
