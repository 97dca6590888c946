/// How a frame announces its length: so many bytes, in such an order, counting this or that.
///
/// A frame is a header, which is nothing but the length, and a body of that many bytes. The standard format is a 32-bit
/// big-endian length that does not count itself, before a body of at most 64 KiB.
public struct FrameFormat: Hashable, Sendable {
  /// How many bytes the length takes.
  public enum LengthWidth: Int, Hashable, Sendable, CaseIterable {
    case one = 1
    case two = 2
    case four = 4
    case eight = 8
  }

  /// Which byte of the length comes first.
  public enum ByteOrder: Hashable, Sendable, CaseIterable {
    /// The most significant byte first: network order.
    case bigEndian
    /// The least significant byte first.
    case littleEndian
  }

  /// The width of the length, which is the whole header.
  public let lengthWidth: LengthWidth

  /// The order of the bytes of the length.
  public let byteOrder: ByteOrder

  /// Whether the announced length includes the header's own bytes.
  public let lengthCountsItself: Bool

  /// The largest body in bytes that is sent or accepted.
  ///
  /// Larger lengths are refused before any memory is reserved for them. A format whose width cannot announce this many
  /// bytes is limited by the width instead.
  public let maximumBodySize: Int

  /// A format of the given shape.
  ///
  /// - Parameters:
  ///   - lengthWidth: How many bytes the length takes.
  ///   - byteOrder: The order of these bytes.
  ///   - lengthCountsItself: Whether the length includes the header.
  ///   - maximumBodySize: The largest body in bytes; not negative.
  public init(
    lengthWidth: LengthWidth = .four,
    byteOrder: ByteOrder = .bigEndian,
    lengthCountsItself: Bool = false,
    maximumBodySize: Int = 64 * 1024
  ) {
    precondition(maximumBodySize >= 0, "The largest body of a frame cannot be of a negative size")
    self.lengthWidth = lengthWidth
    self.byteOrder = byteOrder
    self.lengthCountsItself = lengthCountsItself
    self.maximumBodySize = maximumBodySize
  }

  /// A 32-bit big-endian length that does not count itself, and at most 64 KiB of body.
  public static let standard = FrameFormat()

  /// The number of bytes before each body.
  public var headerSize: Int { lengthWidth.rawValue }

  /// The largest body that both `maximumBodySize` and the width of the length allow.
  public var largestBodySize: Int {
    let announceable = largestLength - (lengthCountsItself ? UInt64(headerSize) : 0)
    return announceable < UInt64(maximumBodySize) ? Int(announceable) : maximumBodySize
  }

  /// The largest number that the length can hold.
  private var largestLength: UInt64 { UInt64.max >> UInt64(64 - 8 * headerSize) }
}
