import Rooms
import TwentyFour
import _BonjourishTerminal

/// The rooms in the lobby, and the player's choice so far, as a value.
///
/// Times are durations since a fixed origin.
struct LobbyState: Hashable, Sendable {
  /// The player's choice.
  enum Wish: Hashable {
    case join(DiscoveredRoom)
    case anyRoom
    case host
    case practise
    case rename
    case quit
    /// Paint the whole screen again.
    case repaint
  }

  /// The number of rooms whose first sighting is remembered.
  private static let longestMemory = 1_000
  private static let longestFilter = 63

  var name: PlayerName
  /// Whether rooms of a directory are shown, too.
  let usesDirectory: Bool
  /// The rooms that are shown, in their order.
  private(set) var rooms: [DiscoveredRoom] = []
  private var all: [DiscoveredRoom] = []
  /// Why rooms may be missing, escaped for display; nil if nothing is wrong.
  var network: String?
  /// A message for the player, escaped for display.
  var notice: String?
  /// The digits of a room's number typed so far.
  private(set) var typed = ""
  /// What the names of the shown rooms contain, or how much time they give; nil for all rooms.
  private(set) var filter: String?
  /// Whether the keys are explained.
  private(set) var showsHelp = false
  /// The selected room, independent of its place in the list.
  private var chosen: RoomID?
  private var firstSeen: [RoomID: Duration] = [:]

  init(name: PlayerName, usesDirectory: Bool = false) {
    self.name = name
    self.usesDirectory = usesDirectory
  }

  /// Updates the list of rooms.
  mutating func see(_ rooms: [DiscoveredRoom], at now: Duration) {
    all = rooms.inOrder
    let present = Set(rooms.map(\.advertisement.room))
    if firstSeen.count > Self.longestMemory { firstSeen = firstSeen.filter { present.contains($0.key) } }
    for room in present where firstSeen[room] == nil { firstSeen[room] = now }
    if let chosen, !present.contains(chosen) { self.chosen = nil }
    narrow()
  }

  private mutating func narrow() {
    let text = filter?.lowercased() ?? ""
    rooms = all.filter { text.isEmpty || $0.name.lowercased().contains(text) || Phrases.time($0.advertisement) == text }
  }

  /// The time since a room was first seen.
  func age(of room: DiscoveredRoom, at now: Duration) -> Duration {
    firstSeen[room.advertisement.room].map { max(.zero, now - $0) } ?? .zero
  }

  /// The index of the room that Enter joins; nil if there are no rooms.
  var selection: Int? {
    guard !rooms.isEmpty else { return nil }
    return rooms.firstIndex { $0.advertisement.room == chosen } ?? 0
  }

  /// A room that the player can enter.
  func anyRoom(
    using generator: inout some RandomNumberGenerator, where canEnter: (DiscoveredRoom) -> Bool
  ) -> DiscoveredRoom? {
    all.filter(canEnter).randomElement(using: &generator)
  }

  mutating func press(_ key: Key) -> Wish? {
    notice = nil
    if showsHelp {
      showsHelp = false
      return nil
    }
    if filter != nil, narrows(key) { return nil }
    switch key {
    case .text("/"): filter = ""
    case .text("?"): showsHelp = true
    case .text(let scalar) where ("0"..."9").contains(scalar): return type(Character(scalar))
    case .backspace: _ = typed.popLast()
    case .escape: typed = ""
    case .text("p"), .text("P"): return .practise
    case .enter:
      if !typed.isEmpty { return room(numbered: typed).map { .join($0) } }
      return selection.map { .join(rooms[$0]) }
    case .up, .control("p"), .text("k"): move(by: -1)
    case .down, .control("n"), .text("j"): move(by: 1)
    case .home: move(by: -rooms.count)
    case .end: move(by: rooms.count)
    case .pageUp: move(by: -10)
    case .pageDown: move(by: 10)
    case .text("h"), .text("H"): return .host
    case .text("r"), .text("R"): return .anyRoom
    case .text("n"), .text("N"): return .rename
    case .text("q"), .text("Q"), .control("d"): return .quit
    case .control("l"): return .repaint
    case .text, .paste, .control, .alt, .tab, .backtab, .delete, .left, .right, .wordLeft, .wordRight, .mouse:
      break
    }
    return nil
  }

  /// Edits the filter; returns whether the key belongs to it.
  private mutating func narrows(_ key: Key) -> Bool {
    switch key {
    case .text(let scalar): filter?.append(Character(scalar))
    case .paste(let text): filter?.append(String(text.prefix(Self.longestFilter)))
    case .backspace: if filter?.popLast() == nil { filter = nil }
    case .escape, .control("u"): filter = nil
    default: return false
    }
    filter = filter.map { String($0.prefix(Self.longestFilter)) }
    narrow()
    return true
  }

  /// Adds a digit; joins a room when no other number begins with these digits.
  private mutating func type(_ digit: Character) -> Wish? {
    typed.append(digit)
    guard let number = Int(typed), 1...max(1, rooms.count) ~= number, !rooms.isEmpty else {
      notice = Phrases.noSuchRoom(typed, of: rooms.count)
      typed = ""
      return nil
    }
    chosen = rooms[number - 1].advertisement.room
    guard number * 10 > rooms.count else { return nil }
    return room(numbered: typed).map { .join($0) }
  }

  private mutating func room(numbered text: String) -> DiscoveredRoom? {
    typed = ""
    guard let number = Int(text), rooms.indices.contains(number - 1) else { return nil }
    return rooms[number - 1]
  }

  private mutating func move(by steps: Int) {
    typed = ""
    guard let selection else { return }
    chosen = rooms[min(max(0, selection + steps), rooms.count - 1)].advertisement.room
  }
}
