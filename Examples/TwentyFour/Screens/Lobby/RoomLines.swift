import Bonjourish
import Rooms
import TwentyFour
import _BonjourishConsole
import _BonjourishJSONOutput

/// The rooms in lines, as last shown, so that a number means the room that the player saw.
actor RoomLines {
  private let isJSON: Bool
  private var shown: [DiscoveredRoom]?

  init(json isJSON: Bool) {
    self.isJSON = isJSON
  }

  var rooms: [DiscoveredRoom] { shown ?? [] }

  /// Makes the next call show the rooms even if they are the same.
  func forget() {
    shown = nil
  }

  func room(_ text: String) -> DiscoveredRoom? {
    guard let number = Int(text) else { return rooms.first { $0.name.lowercased() == text.lowercased() } }
    return rooms.indices.contains(number - 1) ? rooms[number - 1] : nil
  }

  func show(_ rooms: [DiscoveredRoom]) {
    guard rooms != shown else { return }
    shown = rooms
    if isJSON { return Output.standard.json(LobbyRecord(rooms)) }
    Output.standard.line(rooms.isEmpty ? Phrases.noRoomsLine : Phrases.roomsLine)
    let names = RoomNames(rooms)
    for (index, room) in rooms.enumerated() {
      Output.standard.line("  \(index + 1)  \(Phrases.line(room, named: names[index]))")
    }
  }
}

/// The lobby as one line of `--json`.
private struct LobbyRecord: Encodable {
  private struct Room: Encodable {
    let name: String
    let host: String
    let port: UInt16
    let here: Bool
    let region: String?
    let players: Int
    let max: Int
    let state: String
    let time: String?
    let lock: String
    let key: String?
  }

  private let event = "lobby"
  private let rooms: [Room]

  init(_ rooms: [DiscoveredRoom]) {
    self.rooms = rooms.map { room in
      Room(
        name: room.name, host: room.endpoint.host.text, port: room.endpoint.port, here: room.isHere, region: room.region,
        players: room.advertisement.players, max: room.advertisement.maximumPlayers, state: room.advertisement.state.rawValue,
        time: room.advertisement.time == .usual ? nil : room.advertisement.time.rawValue,
        lock: room.advertisement.lock.rawValue, key: room.advertisement.key)
    }
  }
}
