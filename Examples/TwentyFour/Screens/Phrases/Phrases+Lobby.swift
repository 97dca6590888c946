import Bonjourish
import Rooms

/// The lobby in lines, and problems of a room's advertisement.
extension Phrases {
  static let noRoomsLine = "No rooms yet; they will show here."
  static let roomsLine = "Rooms (type a number, or quit; h hosts one, r joins any, p is practice):"
  /// - Parameter name: The name as ``RoomNames`` shows it.
  static func line(_ room: DiscoveredRoom, named name: String) -> String {
    let about = room.advertisement
    let lock =
      switch about.lock {
      case .open: ""
      case .passcode: ", asks for a passcode"
      case .none: ", NOT ENCRYPTED"
      }
    let time = timeInWords(about.time).map { ", \($0)" } ?? ""
    let place = room.isHere ? "" : ", in the directory's region \(place(of: room))"
    return "\(name)   \(about.players) of \(about.maximumPlayers) players, \(about.state.rawValue)\(time)\(lock)\(place)"
      + "   \(room.endpoint.host):\(room.endpoint.port)"
  }
  /// Where a room is: on this network, or in which part of the directory.
  static func place(of room: DiscoveredRoom) -> String { room.isHere ? "here" : (room.region ?? "").escapedForDisplay }
  /// Who has a room, in a column: a directory's names of hosts say nothing.
  static func host(of room: DiscoveredRoom) -> String {
    let port = room.endpoint.port
    guard !room.isHere else { return "\(room.endpoint.host.text.escapedForDisplay):\(port)" }
    guard let address = room.endpoint.addresses.first else { return "port \(port)" }
    let text = address.description
    return (text.contains(":") ? "[\(text)]:\(port)" : "\(text):\(port)").escapedForDisplay
  }
  static let unnamedRoom = "(a room without a name)"
  static func lookalikeRoom(_ name: String) -> String { "\(name) (looks like another room)" }
  static let lobbyCommands = "type the number of a room, or its name, or quit; h hosts one, r joins any, p is practice"
  static let inputEnded = "the input ended before a room was chosen; give the room's name, or --any"
  /// - Parameter others: The names of the open rooms.
  static func noSuchRoom(_ name: String, of others: [String]) -> String {
    let rooms = others.prefix(8).joined(separator: "; ") + (others.count > 8 ? "; and \(others.count - 8) more" : "")
    return "there is no room \"\(name)\"; " + (others.isEmpty ? "there are none at present" : "there are: \(rooms)")
  }
  static let noRoomToJoin = "there is no room with a free place; open one with twentyfour-host --name NAME"
  static func noRoomFound(_ reason: String) -> String { "no room was found: \(reason)" }
  static let noRoomIsFree =
    "no room with a free place lets this player in yet; those that are open are full, or protected in another way"
  static let lookingForRoom = "Looking for a room with a free place"

  // MARK: - Hosting

  static func renamed(_ name: InstanceName) -> String {
    name.text.split(separator: "#").last.map { Int($0) == nil } ?? false
      ? "the room is now named \"\(name)\": somebody claims every other name that was tried"
      : "the room is now named \"\(name)\": another host uses its name"
  }
  static func hidden(_ reason: String) -> String { "new players cannot find the room: \(reason)" }
  // As `bonjourish browse` tells them.
  static let discoveryRestored = "discovery works again"
  static let othersAreFoundAgain = "services of other machines can be found again"
  static let visibleAgain = "the room can be found again"
}
