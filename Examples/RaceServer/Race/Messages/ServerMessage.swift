public import FramedCoding

/// A message of the server to a client; ``ClientMessage`` describes the protocol.
public enum ServerMessage: Hashable, Sendable {
  case notInMatch
  case waiting(missing: Int32)
  case match(MatchView)
  case moved(racer: UInt8, position: Int32)
  case arrived(racer: UInt8, place: Int32)
  case presence(racer: UInt8, Presence)
  case over(ranking: [UInt8])
  case refused(Refusal)
}

extension ServerMessage: Marshallable {
  private enum Number: UInt8 {
    case notInMatch = 1
    case waiting = 3
    case match = 4
    case moved = 6
    case arrived = 7
    case presence = 8
    case over = 9
    case refused = 10
  }

  public init(from reader: inout MessageReader) throws(MessageError) {
    let number = try reader.readUInt8()
    switch Number(rawValue: number) {
    case .notInMatch: self = .notInMatch
    case .waiting: self = .waiting(missing: try reader.readInt32())
    case .match: self = .match(try reader.read())
    case .moved: self = .moved(racer: try reader.readUInt8(), position: try reader.readInt32())
    case .arrived: self = .arrived(racer: try reader.readUInt8(), place: try reader.readInt32())
    case .presence: self = .presence(racer: try reader.readUInt8(), try reader.read())
    case .over: self = .over(ranking: try reader.readBytes())
    case .refused: self = .refused(try reader.read())
    case nil:
      throw MessageError(
        .invalidValue, at: 0, expected: "the number of a message of the server: 1, 3, 4 or 6 to 10, not \(number)")
    }
  }

  public func write(to writer: inout MessageWriter) throws(MessageError) {
    switch self {
    case .notInMatch:
      writer.writeUInt8(Number.notInMatch.rawValue)
    case .waiting(let missing):
      writer.writeUInt8(Number.waiting.rawValue)
      writer.writeInt32(missing)
    case .match(let view):
      writer.writeUInt8(Number.match.rawValue)
      try writer.write(view)
    case .moved(let racer, let position):
      writer.writeUInt8(Number.moved.rawValue)
      writer.writeUInt8(racer)
      writer.writeInt32(position)
    case .arrived(let racer, let place):
      writer.writeUInt8(Number.arrived.rawValue)
      writer.writeUInt8(racer)
      writer.writeInt32(place)
    case .presence(let racer, let presence):
      writer.writeUInt8(Number.presence.rawValue)
      writer.writeUInt8(racer)
      try writer.write(presence)
    case .over(let ranking):
      writer.writeUInt8(Number.over.rawValue)
      try writer.writeBytes(ranking)
    case .refused(let refusal):
      writer.writeUInt8(Number.refused.rawValue)
      try writer.write(refusal)
    }
  }
}
