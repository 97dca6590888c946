public import FramedCoding

extension FrameFormat {
  /// A length of four bytes, most significant byte first, precedes a body.
  public static let race = FrameFormat(lengthWidth: .four, byteOrder: .bigEndian, maximumBodySize: 4096)
}

extension MarshallingCodec {
  /// Strings end with a zero byte, which is included in their length.
  public static var race: MarshallingCodec { MarshallingCodec(strings: .zeroTerminated) }
}
