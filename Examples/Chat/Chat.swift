import Bonjourish
import BonjourishTransport
import FramedTransport

/// A chat room on the local network, in which each member is connected with every other member.
///
/// Each member publishes a service and browses for the services of the others. Between two members, the member with the smaller
/// number connects. Each side sends its name in the first frame, then one frame per line.
actor Chat {
  static let serviceType: ServiceType = "_bonjourish-chat._tcp"
  static let format = FrameFormat(maximumBodySize: 4096)
  /// The heartbeat detects a vanished peer after 15 seconds, even if no member writes.
  static let limits = TransportLimits(heartbeat: Heartbeat())
  /// Retries at least once a second, for about two minutes.
  private static let policy = ReconnectionPolicy(base: .milliseconds(250), cap: .seconds(1), failureLimit: 60)

  private let name: InstanceName
  private let room: String
  private let number: String
  private let bonjour: Bonjour
  private let group = Group(format: Chat.format)
  /// The services to connect to.
  private var listed: Set<ServiceInstance> = []
  /// The services for which a task is running.
  private var met: Set<ServiceInstance> = []

  init(as name: InstanceName, in room: String, number: String, on bonjour: Bonjour) {
    (self.name, self.room, self.number, self.bonjour) = (name, room, number, bonjour)
  }

  /// The TXT record of a service.
  static func advertisement(of room: String, number: String) throws(DiscoveryError) -> TXTRecord {
    var txt: TXTRecord = ["id": TXTRecord.Value(number)]
    try txt.set(TXTRecord.Value(room), for: "room")
    return txt
  }

  /// Browses for other members and connects to them, until the task is cancelled.
  func meetOthers(on interfaces: InterfaceSelection) async throws {
    try await bonjour.withBrowser(for: Self.serviceType, interfaces: interfaces, resolving: true) { browser in
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

  /// Whether this is a new service to connect to.
  private func list(_ service: DiscoveredService) -> Bool {
    guard let txt = service.endpoint?.txt, txt.text("room") == room, let other = txt.text("id"), number < other else {
      listed.remove(service.instance)
      return false
    }
    listed.insert(service.instance)
    return met.insert(service.instance).inserted
  }

  /// Talks to a service and reconnects when the connection ends, until the browser has lost the service or it does not answer.
  private func meet(_ instance: ServiceInstance) async {
    let connections = Reconnections(
      to: instance, using: bonjour, format: Self.format, limits: Self.limits, within: .seconds(2), policy: Self.policy)
    do throws(TransportError) {
      for try await connection in connections {
        await talk(over: connection)
        // Sends the pending frames; without `close`, the connection would be aborted.
        await connection.close()
        guard listed.contains(instance) else { break }
      }
    } catch {
      // The service did not answer, or the task was cancelled. If it is found again, it is met again.
    }
    met.remove(instance)
  }

  /// Sends this member's name, and shows the peer's lines, until the connection ends.
  nonisolated func talk(over connection: Connection) async {
    var peer: String?
    do throws(TransportError) {
      try await connection.send(Array(name.text.utf8))
      group.add(connection)
      for try await frame in connection.frames {
        if let peer {
          show("\(peer): \(frame.escapedForDisplay)")
        } else {
          peer = frame.prefix(63).escapedForDisplay
          show("* \(peer ?? "") is here")
        }
      }
    } catch {
      // The connection broke, or the task was cancelled.
    }
    if let peer, !Task.isCancelled { show("* \(peer) has gone") }
  }

  /// Sends a line to all members.
  func say(_ text: String) async throws(TransportError) {
    try await group.broadcast(Array(text.utf8))
  }
}
