public import FramedCoding

/// A message of a client to the server, and the protocol.
///
/// The body of a frame begins with the number of the message, one byte. An int has four bytes, most significant byte first, in
/// two's complement. A string is an int with the number of its bytes plus one, these bytes in UTF-8, and a zero byte. A list is
/// an int with the number of its elements, then the elements.
///
/// | number | from | name | body |
/// | ---: | --- | --- | --- |
/// | 0 | client | player connected | string player ID, string alias, byte continue match (0 or 1) |
/// | 1 | server | not in match | |
/// | 2 | client | match wanted | int minimum, int maximum of players |
/// | 3 | server | waiting | int number of missing players; 0: the match starts soon |
/// | 4 | server | match | int length of the course, int top speed in units per second, byte own racer, list of racers: string alias, int position, int place (0 until the racer has arrived), byte presence |
/// | 5 | client | position | int own position |
/// | 6 | server | racer moved | byte racer, int position |
/// | 7 | server | racer arrived | byte racer, int place |
/// | 8 | server | presence | byte racer, byte presence: 0 here, 1 away, 2 left |
/// | 9 | server | match over | list of bytes: the racers by rank |
/// | 10 | server | refused | byte reason, string words; the server closes the connection |
///
/// Racers are numbered from 0 in the order of the list. A client sends 0 first, and only once. The server answers with 4 if the
/// player wants to continue a match and has one, otherwise with 1. Then the client may send 2; it gets 3 whenever the number of
/// missing players changes, and then 4. Positions begin at 0 and grow, no faster than the top speed; a racer that has reached
/// the length of the course has arrived. After 9 the client may send 2 again. A position without a match is ignored, because it
/// may have crossed 9.
public enum ClientMessage: Hashable, Sendable {
  case playerConnected(RacePlayer, continuesMatch: Bool)
  case matchWanted(PlayerRange)
  case position(Int32)
}

extension ClientMessage: Marshallable {
  private enum Number: UInt8 {
    case playerConnected = 0
    case matchWanted = 2
    case position = 5
  }

  public init(from reader: inout MessageReader) throws(MessageError) {
    let number = try reader.readUInt8()
    switch Number(rawValue: number) {
    case .playerConnected: self = .playerConnected(try reader.read(), continuesMatch: try reader.readBool())
    case .matchWanted: self = .matchWanted(try reader.read())
    case .position: self = .position(try reader.readInt32())
    case nil: throw MessageError(.invalidValue, at: 0, expected: "the number of a message of clients: 0, 2 or 5, not \(number)")
    }
  }

  public func write(to writer: inout MessageWriter) throws(MessageError) {
    switch self {
    case .playerConnected(let player, let continuesMatch):
      writer.writeUInt8(Number.playerConnected.rawValue)
      try writer.write(player)
      writer.writeBool(continuesMatch)
    case .matchWanted(let range):
      writer.writeUInt8(Number.matchWanted.rawValue)
      try writer.write(range)
    case .position(let position):
      writer.writeUInt8(Number.position.rawValue)
      writer.writeInt32(position)
    }
  }
}
