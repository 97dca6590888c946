import Bonjourish
import BonjourishTransport
import Console
import FramedTransport

/// The people in a room of the local network, each connected with every other.
///
/// Everybody publishes a service, and looks for those of the others. Of two the one with the smaller number connects to the other.
/// Then each says its name, and after that whatever its person types.
actor Chat {
  static let serviceType: ServiceType = "_bonjourish-chat._tcp"
  static let format = FrameFormat(maximumBodySize: 4096)

  private let name: String
  private let room: String
  private let number: String
  private let bonjour: Bonjour
  private let group = Group(format: Chat.format)
  /// Whom to connect to.
  private var listed: Set<ServiceInstance> = []
  /// With whom somebody keeps trying.
  private var met: Set<ServiceInstance> = []

  init(as name: InstanceName, in room: String, number: String, on bonjour: Bonjour) {
    (self.name, self.room, self.number, self.bonjour) = (name.text, room, number, bonjour)
  }

  /// What the service says of itself.
  static func advertisement(of room: String, number: String) throws(DiscoveryError) -> TXTRecord {
    var txt: TXTRecord = ["id": TXTRecord.Value(number)]
    try txt.set(TXTRecord.Value(room), for: "room")
    return txt
  }

  /// Looks for the others, and connects to them, until it is cancelled.
  func meetOthers(on interface: NetworkInterface?) async throws {
    try await bonjour.withBrowser(for: Self.serviceType, interface: interface, resolving: true) { browser in
      try await withThrowingDiscardingTaskGroup { meetings in
        for try await change in browser.changes {
          switch change {
          case .found(let service), .updated(let service):
            guard list(service) else { continue }
            meetings.addTask { await self.meet(service.instance) }
          case .lost(let service):
            listed.remove(service.instance)
          case .settled, .interrupted, .restored:
            break
          }
        }
      }
    }
  }

  /// Whether this is somebody new to connect to.
  private func list(_ service: DiscoveredService) -> Bool {
    guard let txt = service.endpoint?.txt, txt.text("room") == room, let other = txt.text("id"), number < other else {
      listed.remove(service.instance)
      return false
    }
    listed.insert(service.instance)
    return met.insert(service.instance).inserted
  }

  /// Talks to somebody for as long as he is there, with a new connection whenever one has ended.
  private func meet(_ instance: ServiceInstance) async {
    while listed.contains(instance), !Task.isCancelled {
      // Why it failed does not matter: it is tried again until he is gone.
      if let connection = try? await Connection.connect(to: instance, using: bonjour, format: Self.format) {
        await talk(over: connection)
        await connection.close()
      }
      try? await Task.sleep(for: .seconds(1))
    }
    met.remove(instance)
  }

  /// Says one's name, and shows what the other says, until he goes.
  nonisolated func talk(over connection: Connection) async {
    var peer: String?
    do throws(TransportError) {
      try await connection.send(Array(name.utf8))
      group.add(connection)
      for try await frame in connection.frames {
        guard let peer else {
          peer = frame.prefix(63).visible
          Output.standard.line("* \(peer ?? "") is here")
          continue
        }
        Output.standard.line("\(peer): \(frame.visible)")
      }
    } catch {
      // Broken or cancelled, it is over.
    }
    if let peer, !Task.isCancelled { Output.standard.line("* \(peer) has gone") }
  }

  /// Says something to everybody.
  func say(_ text: String) async throws(TransportError) {
    try await group.broadcast(Array(text.utf8))
  }
}
