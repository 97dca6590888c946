import FoundationEssentials
import FramedSecurity
import Rooms

/// What the servers of a group keep of a match: sealed, because it has the secrets of the seats.
struct StoredMatch: Hashable, Codable {
  /// The version of the format. Others are ignored.
  static let format = 1

  var format = Self.format
  /// Counts the writes by all owners. What counts less than what was seen is an old one that somebody has put back.
  var serial: UInt64
  /// The number of who lists the match now, in a directory.
  var publisher: UInt64
  /// The match; nil if it is over.
  var match: CarriedMatch?
  /// How many of its rounds are recorded for certain; nil if it was written by an earlier version.
  var recordedRounds: Int?

  /// Seals it for its name in the store.
  func sealed(with key: SealingKey, as name: String) throws -> [UInt8] {
    key.seal(Array(try JSONEncoder().encode(self)), as: Self.context(name))
  }

  /// Opens a value of the store that anybody may have written.
  ///
  /// - Returns: Nil if it was not sealed for this name by a server with the same key.
  init?(opening bytes: [UInt8], with key: SealingKey, as name: String) {
    guard let room = RoomID(name), room.text == name, let text = key.open(bytes, as: Self.context(name)),
      let stored = try? JSONDecoder().decode(Self.self, from: Data(text)), stored.format == Self.format,
      stored.match.map({ $0.id == room }) ?? true
    else { return nil }
    self = stored
  }

  init(serial: UInt64, publisher: UInt64, match: CarriedMatch?, recordedRounds: Int? = nil) {
    self.serial = serial
    self.publisher = publisher
    self.match = match
    self.recordedRounds = recordedRounds
  }

  private static func context(_ name: String) -> [UInt8] { Array("match \(name)".utf8) }
}
