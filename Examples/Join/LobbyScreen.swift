import Bonjourish
import Console
import PlayerConsole
import Rooms

/// The rooms that are open, for a person to choose from or a program to take the first.
struct LobbyScreen: Sendable {
  private let invocation: PlayerInvocation
  private let bonjour: Bonjour

  /// How long to look for any room.
  private static let patience: Duration = .seconds(10)

  init(_ invocation: PlayerInvocation, on bonjour: Bonjour) {
    self.invocation = invocation
    self.bonjour = bonjour
  }

  /// The first room that has a free place.
  ///
  /// - Throws: ``Failure`` when there is none for 10 s.
  func firstWithRoom() async throws -> RoomListing? {
    let found = try await withThrowingTaskGroup(of: RoomListing?.self) { group in
      group.addTask {
        try await looking { rooms in rooms.first { $0.advertisement.hasRoom } }
      }
      group.addTask {
        try? await Task.sleep(for: Self.patience)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    guard found != nil || Task.isCancelled else {
      throw Failure(.unavailable, "there is no room with a free place; open one with twentyfour-host --name NAME")
    }
    return found
  }

  /// The room that the person types the number of; nil when the person would rather not.
  func choice(from lines: LineReader) async throws -> RoomListing? {
    let shown = ShownRooms()
    return try await withThrowingTaskGroup(of: RoomListing?.self) { group in
      group.addTask {
        try await looking { rooms in
          await shown.show(rooms, as: invocation.json)
          return nil
        }
      }
      group.addTask {
        for await line in lines {
          guard case .text(let text) = line else { continue }
          if text == "quit" { return nil }
          if let room = await shown.room(text) { return room }
          Output.error.line("type the number of a room, or quit")
        }
        guard Task.isCancelled || lines.isTerminal else {
          throw Failure(.usage, "the input ended before a room was chosen; give the room's name, or --any")
        }
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Calls a closure with the rooms whenever they have changed, until it returns one.
  private func looking(_ choose: @escaping @Sendable ([RoomListing]) async -> RoomListing?) async throws -> RoomListing? {
    do {
      return try await bonjour.withBrowser(for: RoomHost.serviceType, interface: invocation.interface, resolving: true) {
        browser in
        for try await snapshot in browser.snapshots {
          if let room = await choose(snapshot.rooms) { return room }
        }
        return nil
      }
    } catch let error as DiscoveryError {
      throw Failure(.unavailable, error.message)
    }
  }
}

/// The rooms as they were shown last, so that a number means what the person saw.
private actor ShownRooms {
  private var rooms: [RoomListing]?

  func room(_ text: String) -> RoomListing? {
    guard let number = Int(text), let rooms, rooms.indices.contains(number - 1) else { return nil }
    return rooms[number - 1]
  }

  func show(_ rooms: [RoomListing], as json: Bool) {
    guard rooms != self.rooms else { return }
    self.rooms = rooms
    if json { return Output.standard.json(LobbyRecord(rooms)) }
    Output.standard.line(rooms.isEmpty ? "No rooms yet; they will show here." : "Rooms (type a number, or quit):")
    for (index, room) in rooms.enumerated() {
      let (about, host) = (room.advertisement, room.endpoint.host)
      Output.standard.line(
        "  \(index + 1)  \(room.name.visible)   \(about.players) of \(about.maximumPlayers) players, \(about.state.rawValue)"
          + "   \(host):\(room.endpoint.port)")
    }
  }
}

/// The lobby as one line of `--json`.
private struct LobbyRecord: Encodable {
  private struct Room: Encodable {
    let name: String
    let host: String
    let port: UInt16
    let players: Int
    let max: Int
    let state: String
  }

  private let event = "lobby"
  private let rooms: [Room]

  init(_ rooms: [RoomListing]) {
    self.rooms = rooms.map { room in
      Room(
        name: room.name, host: room.endpoint.host.text, port: room.endpoint.port, players: room.advertisement.players,
        max: room.advertisement.maximumPlayers, state: room.advertisement.state.rawValue)
    }
  }
}
