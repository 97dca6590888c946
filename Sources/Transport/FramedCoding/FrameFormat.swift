/// The format in which a stream of bytes is split into frames, the same in both directions.
///
/// Usually a frame is a length and a body of that many bytes. The standard format is a 32-bit big-endian length that does not
/// count itself, before a body of at most 64 KiB. Other formats have larger headers, lengths of variable width, or a delimiter
/// after each body. A program can also define its own ``FrameLayout``.
public struct FrameFormat: Hashable, Sendable {
  /// The size of a length in bytes.
  public enum LengthWidth: Int, Hashable, Sendable, CaseIterable {
    /// One byte, for lengths of at most 255.
    case one = 1
    /// Two bytes, for lengths of at most 65,535.
    case two = 2
    /// Four bytes.
    case four = 4
    /// Eight bytes.
    case eight = 8

    /// The largest value of such a length.
    var largest: UInt64 { UInt64.max >> UInt64(64 - 8 * rawValue) }
  }

  /// The order of the bytes of a length.
  public enum ByteOrder: Hashable, Sendable, CaseIterable {
    /// The most significant byte first: network byte order.
    case bigEndian
    /// The least significant byte first.
    case littleEndian
  }

  /// A header that is only a length. A trivial type, so that it is copied for each frame without reference counting.
  @usableFromInline
  package struct LengthPrefix: Hashable, Sendable {
    package let width: LengthWidth
    package let byteOrder: ByteOrder
    package let countsItself: Bool
  }

  // Exactly one of these is not nil.
  /// The length before each body.
  package let lengthPrefix: LengthPrefix?
  /// The layout of the frames.
  let layout: AnyFrameLayout?

  /// The largest body in bytes that is sent or accepted.
  ///
  /// A larger body is refused before memory is reserved for it. If the length cannot announce this many bytes, the limit is
  /// smaller: see ``largestBodySize``.
  public let maximumBodySize: Int

  /// Creates a format with a length of fixed width before each body.
  ///
  /// - Parameters:
  ///   - lengthWidth: The size of the length.
  ///   - byteOrder: The order of its bytes.
  ///   - lengthCountsItself: Whether the length includes its own bytes.
  ///   - maximumBodySize: The largest body in bytes; 0 or more.
  public init(
    lengthWidth: LengthWidth = .four, byteOrder: ByteOrder = .bigEndian, lengthCountsItself: Bool = false,
    maximumBodySize: Int = 64 * 1024
  ) {
    precondition(maximumBodySize >= 0, "maximumBodySize must not be negative")
    lengthPrefix = LengthPrefix(width: lengthWidth, byteOrder: byteOrder, countsItself: lengthCountsItself)
    layout = nil
    self.maximumBodySize = maximumBodySize
  }

  /// Creates a format with a layout that the program defines.
  public init(_ layout: some FrameLayout) {
    precondition(layout.maximumBodySize >= 0, "maximumBodySize must not be negative")
    precondition(layout.overhead >= 0, "overhead must not be negative")
    lengthPrefix = nil
    self.layout = AnyFrameLayout(layout)
    // Limited, so that no sum of sizes can overflow.
    maximumBodySize = min(layout.maximumBodySize, .max - layout.overhead)
  }

  /// A 32-bit big-endian length that does not count itself, and a body of at most 64 KiB.
  public static let standard = FrameFormat()

  /// The most bytes of a frame besides its body.
  public var overhead: Int { lengthPrefix?.width.rawValue ?? layout?.layout.overhead ?? 0 }

  /// The largest body in bytes that both ``maximumBodySize`` and the size of the length permit.
  public var largestBodySize: Int {
    guard let prefix = lengthPrefix else { return maximumBodySize }
    let announceable = prefix.width.largest - (prefix.countsItself ? UInt64(prefix.width.rawValue) : 0)
    return Int(min(announceable, UInt64(maximumBodySize)))
  }

  /// Whether a frame may have an empty body, which heartbeats need.
  public var permitsEmptyFrames: Bool { layout?.layout.permitsEmptyFrames ?? true }
}
