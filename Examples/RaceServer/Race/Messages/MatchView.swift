public import FramedCoding

/// A match as one of its players sees it, at the start and when they come back.
public struct MatchView: Hashable, Sendable {
  /// A participant of the race.
  public struct Racer: Hashable, Sendable {
    /// The player's name. It comes from the network: escape it for display.
    public let alias: String
    public var position: Int32
    /// The rank of arrival, from 1; 0 until the racer has arrived.
    public var place: Int32
    public var presence: Presence

    public init(alias: String, position: Int32 = 0, place: Int32 = 0, presence: Presence = .here) {
      self.alias = alias
      self.position = position
      self.place = place
      self.presence = presence
    }
  }

  /// The distance to the finish.
  public let courseLength: Int32
  /// The largest distance per second.
  public let topSpeed: Int32
  /// The number of the player's own racer.
  public let own: UInt8
  public var racers: [Racer]

  public init(courseLength: Int32, topSpeed: Int32, own: UInt8, racers: [Racer]) {
    self.courseLength = courseLength
    self.topSpeed = topSpeed
    self.own = own
    self.racers = racers
  }
}

extension MatchView: Marshallable {
  public init(from reader: inout MessageReader) throws(MessageError) {
    let offset = reader.offset
    courseLength = try reader.readInt32()
    topSpeed = try reader.readInt32()
    own = try reader.readUInt8()
    racers = try reader.readArray()
    guard RaceRules.lengths.contains(courseLength), RaceRules.speeds.contains(topSpeed) else {
      throw MessageError(
        .invalidValue, at: offset,
        expected: "a course of \(RaceRules.lengths) and a top speed of \(RaceRules.speeds), not \(courseLength) and \(topSpeed)"
      )
    }
    let (course, places) = (0...courseLength, 0...Int32(PlayerRange.limit))
    guard racers.allSatisfy({ course.contains($0.position) && places.contains($0.place) }) else {
      throw MessageError(.invalidValue, at: offset, expected: "racers on the course, and places up to \(PlayerRange.limit)")
    }
    guard (1...PlayerRange.limit).contains(racers.count), racers.indices.contains(Int(own)) else {
      throw MessageError(
        .invalidValue, at: offset, expected: "1 to \(PlayerRange.limit) racers, including the player's own, not \(racers.count)"
      )
    }
  }

  public func write(to writer: inout MessageWriter) throws(MessageError) {
    writer.writeInt32(courseLength)
    writer.writeInt32(topSpeed)
    writer.writeUInt8(own)
    try writer.writeArray(racers)
  }
}

extension MatchView.Racer: Marshallable {
  public init(from reader: inout MessageReader) throws(MessageError) {
    let offset = reader.offset
    alias = try reader.readString()
    position = try reader.readInt32()
    place = try reader.readInt32()
    presence = try reader.read()
    guard RacePlayer.isFit(alias) else {
      throw MessageError(.invalidValue, at: offset, expected: RacePlayer.Invalid.alias.description)
    }
  }

  public func write(to writer: inout MessageWriter) throws(MessageError) {
    try writer.writeString(alias)
    writer.writeInt32(position)
    writer.writeInt32(place)
    try writer.write(presence)
  }
}
