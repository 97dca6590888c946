import FramedJSON
import FramedTransport

/// Encodes and decodes arguments and results in JSON, with actors as references between the two ends of a connection.
struct ValueCoding: Sendable {
  let system: PeerActorSystem
  let link: PeerLink

  func encode<Value: Codable & Sendable>(_ value: Value) throws(MessageError) -> [UInt8] {
    try codec(of: Value.self).encode(value)
  }

  func decode<Value: Codable & Sendable>(_ type: Value.Type, from bytes: [UInt8]) throws(MessageError) -> Value {
    try codec(of: type).decode(bytes)
  }

  private func codec<Value>(of type: Value.Type) -> JSONCodec<Value> {
    JSONCodec(type, maximumDepth: link.limits.depth, userInfo: [.actorSystemKey: system, .peerLink: link])
  }
}
