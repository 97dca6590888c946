import FramedTransport

/// The connections that a machine knows by their numbers.
struct PeerConnections {
  private var connections: [ConnectionID: Connection] = [:]
  private var lastNumber = 0

  /// Numbers a connection that has come.
  mutating func enter(_ connection: Connection) -> ConnectionID {
    lastNumber += 1
    let id = ConnectionID(rawValue: lastNumber)
    connections[id] = connection
    return id
  }

  /// Forgets a connection that has ended.
  mutating func leave(_ id: ConnectionID) {
    connections[id] = nil
  }

  /// Sends a message, encoded once, to those who are there.
  func send(_ message: RoomMessage, to ids: [ConnectionID]) {
    let body = message.encoded()
    for id in ids { connections[id].map { RoomMessage.send(body, on: $0) } }
  }

  func admit(_ id: ConnectionID) {
    connections[id]?.admit()
  }

  /// Sends the last message and closes the connection, which ends the frames of the task that serves it.
  mutating func disconnect(_ id: ConnectionID, saying message: RoomMessage?) {
    guard let connection = connections.removeValue(forKey: id) else { return }
    if let message { RoomMessage.send(message.encoded(), on: connection) }
    Task { await connection.close() }
  }
}
