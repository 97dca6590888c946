import Bonjourish
import Rooms
import Synchronization
import TwentyFour
import _BonjourishDirectoryProtocol

@testable import MatchServer

/// The connections of players, and what the matches do.
extension SimulatedServer {
  func accept(_ connection: PlayerConnection) {
    process.run(on: .connections) { [self] in
      guard connection.isOpen else { return }
      lastConnection += 1
      connection.id = ConnectionID(rawValue: lastConnection)
      connections[connection.id] = connection
      handle(.connected(connection.id, connection.peer))
    }
  }

  func receive(_ message: RoomMessage, over connection: PlayerConnection) {
    process.run(on: .connections) { [self] in
      guard connections[connection.id] === connection else { return }
      handle(.received(connection.id, message))
    }
  }

  func lose(_ connection: PlayerConnection) {
    process.run(on: .connections) { [self] in
      guard connections[connection.id] === connection else { return }
      drop(connection.id)
      handle(.disconnected(connection.id))
    }
  }

  private func drop(_ id: ConnectionID) {
    connections[id] = nil
    for room in audiences.keys { audiences[room]!.remove(id) }
  }

  func handle(_ event: ServerMachine.Event) {
    run(machine.handle(event, at: now))
    world.check()
  }

  func run(_ effects: [HostEffect]) {
    for effect in effects {
      switch effect {
      case .broadcast(let room, let event):
        world.told(event, in: room, by: self)
        for id in audiences[room, default: []].sorted() { connections[id]?.deliver(.event(event)) }
        report(event, of: room)
      case .report(let room, let event): report(event, of: room)
      case .send(let message, let id): connections[id]?.deliver(message)
      case .keep, .show, .advertise: break
      case .admit(let id, let room): audiences[room, default: []].insert(id)
      case .disconnect(let id, let reason):
        guard let connection = connections[id] else { continue }
        if let reason { connection.deliver(.event(.closed(reason))) }
        drop(id)
        connection.end()
      case .wake(let room, let deadline):
        timeline.cancel(timers.removeValue(forKey: room))
        timers[room] = deadline.map { deadline in
          process.at(openedAt + deadline, on: .connections) { [self] in handle(.timePassed(room)) }
        }
      case .over:
        world.note("\(name) is over")
        stop()
      }
    }
  }

  private func report(_ event: RoomEvent, of room: RoomID) {
    if case .open = event, began[room] == nil { began[room] = timeline.now }
    journal.append(room, event)
    if case .closed = event {
      audiences[room] = nil
      if stops[room] == nil { stops[room] = stoppedAt ?? timeline.now }
      began[room] = nil
    }
  }
}
