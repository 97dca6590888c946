package import Framing

extension FrameFormat {
  /// A body is announced by four bytes of length, the most significant first.
  package static let race = FrameFormat(lengthWidth: .four, byteOrder: .bigEndian, maximumBodySize: 4096)
}

extension MarshallingCodec {
  /// Strings end with a zero byte, which their length counts.
  package static var race: MarshallingCodec { MarshallingCodec(strings: .zeroTerminated) }
}
