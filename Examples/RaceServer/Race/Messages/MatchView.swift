package import Framing

/// A match as one of its players is told of it, when it starts and when he comes back.
package struct MatchView: Hashable, Sendable {
  /// One of those who race.
  package struct Racer: Hashable, Sendable {
    /// Others chose it: do not print it raw.
    package let alias: String
    package var position: Int32
    /// As how many-th it arrived; 0 until it has.
    package var place: Int32
    package var presence: Presence

    package init(alias: String, position: Int32 = 0, place: Int32 = 0, presence: Presence = .here) {
      self.alias = alias
      self.position = position
      self.place = place
      self.presence = presence
    }
  }

  /// How far it is to the finish.
  package let courseLength: Int32
  /// How far a racer gets in a second at most.
  package let topSpeed: Int32
  /// Which of the racers is the player's own.
  package let own: UInt8
  package var racers: [Racer]

  package init(courseLength: Int32, topSpeed: Int32, own: UInt8, racers: [Racer]) {
    self.courseLength = courseLength
    self.topSpeed = topSpeed
    self.own = own
    self.racers = racers
  }
}

extension MatchView: Marshallable {
  package init(from reader: inout MessageReader) throws(MessageError) {
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
        .invalidValue, at: offset, expected: "1 to \(PlayerRange.limit) racers, and one's own among them, not \(racers.count)")
    }
  }

  package func write(to writer: inout MessageWriter) throws(MessageError) {
    writer.writeInt32(courseLength)
    writer.writeInt32(topSpeed)
    writer.writeUInt8(own)
    try writer.writeArray(racers)
  }
}

extension MatchView.Racer: Marshallable {
  package init(from reader: inout MessageReader) throws(MessageError) {
    let offset = reader.offset
    alias = try reader.readString()
    position = try reader.readInt32()
    place = try reader.readInt32()
    presence = try reader.read()
    guard RacePlayer.isFit(alias) else {
      throw MessageError(.invalidValue, at: offset, expected: RacePlayer.Invalid.alias.description)
    }
  }

  package func write(to writer: inout MessageWriter) throws(MessageError) {
    try writer.writeString(alias)
    writer.writeInt32(position)
    writer.writeInt32(place)
    try writer.write(presence)
  }
}
