/// The layout of a format's frames: where they begin and end in a stream of bytes, and which bytes are the body.
///
/// Conform to it for a protocol that no format of ``FrameFormat`` describes, and create a format with ``FrameFormat/init(_:)``. A
/// layout is a value without state: the bytes of a frame contain everything that it needs. The bytes come from the network, so it
/// must handle any. Its answers are checked against the limits on bodies before more bytes are read.
public protocol FrameLayout: Hashable, Sendable {
  /// The largest body in bytes that is sent or accepted; 0 or more.
  var maximumBodySize: Int { get }

  /// The most bytes of a frame besides its body; 0 or more.
  var overhead: Int { get }

  /// Whether a frame may have an empty body, which heartbeats need. True by default.
  var permitsEmptyFrames: Bool { get }

  /// Finds the end and the body of a frame.
  ///
  /// It must return or throw for any bytes. It may be called several times with the same bytes, and must return the same each
  /// time.
  ///
  /// - Parameters:
  ///   - bytes: The bytes received from the start of the frame on, at least one. They may extend beyond its end.
  ///   - seen: The number of these bytes at the last call, which returned ``FrameScan/incomplete(needs:)``. They need not be
  ///     examined again. 0 at the first call.
  ///   - limit: The largest body in bytes that is accepted now, at most ``maximumBodySize``.
  /// - Throws: The reason why this is not a frame, or ``FramingError/bodyTooLarge(announced:permitted:)`` as soon as that is
  ///   known. The stream cannot be decoded further then.
  func scan(_ bytes: Span<UInt8>, seen: Int, limit: Int) throws(FramingError) -> FrameScan

  /// Appends the bytes before a body.
  ///
  /// - Parameters:
  ///   - body: The body, at most ``maximumBodySize`` bytes.
  ///   - header: The output, with room for the body and ``overhead`` bytes.
  /// - Returns: The number of bytes at the start of the body that the header contains (the `fields` of ``FrameScan``); 0 if the
  ///   whole body follows.
  /// - Throws: The reason why the body cannot be sent; nothing is sent then.
  func writeHeader(of body: Span<UInt8>, into header: inout OutputSpan<UInt8>) throws(FramingError) -> Int

  /// Appends the bytes after a body. None by default.
  ///
  /// - Parameters:
  ///   - body: The body.
  ///   - trailer: The output, with room for the rest of ``overhead``.
  func writeTrailer(of body: Span<UInt8>, into trailer: inout OutputSpan<UInt8>)
}

extension FrameLayout {
  /// True: a frame may have an empty body.
  public var permitsEmptyFrames: Bool { true }

  /// Appends nothing.
  public func writeTrailer(of body: Span<UInt8>, into trailer: inout OutputSpan<UInt8>) {}
}

/// The result of scanning the bytes of a frame.
public enum FrameScan: Hashable, Sendable {
  /// The frame is incomplete.
  ///
  /// `needs` is the number of further bytes, at least 1, before the next call of `scan`. A frame that would exceed the largest
  /// body and the layout's overhead is refused at once.
  case incomplete(needs: Int)

  /// The frame is complete.
  ///
  /// `size` is the number of its bytes, at least 1. `body` is the range of its body. `fields` is the range of earlier bytes that
  /// also belong to the body: they are delivered as its first bytes, directly before the others.
  case frame(size: Int, fields: Range<Int> = 0..<0, body: Range<Int>)
}

/// A layout of any type, in one word of memory.
final class AnyFrameLayout: Hashable, Sendable {
  let layout: any FrameLayout

  init(_ layout: any FrameLayout) {
    self.layout = layout
  }

  static func == (left: AnyFrameLayout, right: AnyFrameLayout) -> Bool {
    left === right || AnyHashable(left.layout) == AnyHashable(right.layout)
  }

  func hash(into hasher: inout Hasher) { AnyHashable(layout).hash(into: &hasher) }
}
