public import FramedCoding

/// A message between the two players of a duel, in one packet.
///
/// | type | action | data | from | meaning |
/// | ---: | ---: | --- | --- | --- |
/// | −1 | −1 | any | host | the proof of concept: the first packet, shows that packets arrive |
/// | 0 | 0 | name | both | the guest's name asks for a game; the host's name begins it |
/// | 0 | 1 | byte, text | both | goodbye: 0 leaves, 1 has another opponent, 2 the receiver broke a rule; the rule, in words |
/// | 1 | 0 | int, byte | both | a move: its number, from 1, and the column, from 0 |
///
/// In the data, a number has four bytes, most significant byte first. A text is the number of its UTF-8 bytes, then these bytes.
/// The guest makes the first move.
public enum DuelMessage: Hashable, Sendable {
  case proof([UInt8])
  case name(String)
  case goodbye(Goodbye, String)
  case move(number: Int32, column: UInt8)

  /// The reason of a goodbye.
  public enum Goodbye: UInt8, Sendable, CaseIterable {
    case leaves = 0
    case hasAnotherOpponent = 1
    case sawRuleBroken = 2
  }

  /// The longest name that can be advertised, in bytes.
  public static let longestName = 63

  /// The host's first message.
  public static let proofOfConcept = DuelMessage.proof(Array("proof of concept".utf8))

  private enum PacketType {
    static let player: Int32 = 0
    static let game: Int32 = 1
  }

  private enum Action {
    static let name: Int32 = 0
    static let goodbye: Int32 = 1
    static let move: Int32 = 0
  }
}

extension DuelMessage: Marshallable {
  public init(from reader: inout MessageReader) throws(MessageError) {
    let packet = try reader.read(Packet.self)
    do throws(MessageError) {
      self = try DuelMessage(packet)
    } catch {
      throw MessageError(error.code, at: error.offset, field: "the data of a packet", expected: error.expected)
    }
  }

  public func write(to writer: inout MessageWriter) throws(MessageError) {
    var data = MessageWriter()
    switch self {
    case .proof(let bytes):
      try writer.write(Packet(data: bytes))
    case .name(let name):
      try data.writeString(name)
      try writer.write(Packet(type: PacketType.player, action: Action.name, data: data.bytes))
    case .goodbye(let goodbye, let text):
      data.writeUInt8(goodbye.rawValue)
      try data.writeString(text)
      try writer.write(Packet(type: PacketType.player, action: Action.goodbye, data: data.bytes))
    case .move(let number, let column):
      data.writeInt32(number)
      data.writeUInt8(column)
      try writer.write(Packet(type: PacketType.game, action: Action.move, data: data.bytes))
    }
  }

  private init(_ packet: Packet) throws(MessageError) {
    var reader = MessageReader(packet.data)
    switch (packet.type, packet.action) {
    case (Packet.unknown, Packet.unknown):
      self = .proof(packet.data)
      return
    case (PacketType.player, Action.name):
      let name = try reader.readString()
      guard (1...Self.longestName).contains(name.utf8.count) else {
        throw MessageError(.invalidValue, at: 0, expected: "a name of 1 to \(Self.longestName) bytes")
      }
      self = .name(name)
    case (PacketType.player, Action.goodbye):
      guard let goodbye = Goodbye(rawValue: try reader.readUInt8()) else {
        throw MessageError(.invalidValue, at: 0, expected: "a reason to say goodbye, 0 to 2")
      }
      self = .goodbye(goodbye, try reader.readString())
    case (PacketType.game, Action.move):
      self = .move(number: try reader.readInt32(), column: try reader.readUInt8())
    default:
      throw MessageError(
        .invalidValue, expected: "a packet that belongs to a duel, not type \(packet.type) with action \(packet.action)")
    }
    try reader.expectEnd()
  }
}
