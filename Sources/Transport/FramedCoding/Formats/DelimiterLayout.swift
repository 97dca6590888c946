extension FrameFormat {
  /// The ending of a line that is sent.
  public enum LineEnding: Hashable, Sendable, CaseIterable {
    /// A line feed.
    case lf
    /// A carriage return and a line feed.
    case crlf
  }

  /// Creates a format of lines: each frame is a line of text or other bytes.
  ///
  /// A received line ends with a line feed. A carriage return before it is not part of the body. So both endings are understood,
  /// whatever `ending` is. A body that contains a line feed cannot be sent (`delimiterInBody`); with `lf`, neither can one that
  /// ends with a carriage return. Bytes after the last line ending of a stream are not a frame: reading ends with `truncated`.
  ///
  /// - Parameters:
  ///   - ending: The ending of lines that are sent.
  ///   - maximumBodySize: The longest line in bytes, without its ending; 0 or more. A longer line is refused as soon as more
  ///     bytes than that have arrived without an ending.
  public static func lines(ending: LineEnding = .lf, maximumBodySize: Int = 8 * 1024) -> FrameFormat {
    FrameFormat(DelimiterLayout(sent: ending == .lf ? [10] : [13, 10], expected: [10], dropsReturn: true, maximumBodySize))
  }

  /// Creates a format with a delimiter after each body. A body cannot contain the delimiter.
  ///
  /// - Parameters:
  ///   - delimiter: The bytes after each body; at least one.
  ///   - maximumBodySize: The largest body in bytes; 0 or more. A larger body is refused as soon as more bytes than that have
  ///     arrived without a delimiter.
  public static func delimited(by delimiter: [UInt8], maximumBodySize: Int = 8 * 1024) -> FrameFormat {
    precondition(!delimiter.isEmpty, "delimiter must not be empty")
    return FrameFormat(DelimiterLayout(sent: delimiter, expected: delimiter, dropsReturn: false, maximumBodySize))
  }
}

/// A delimiter after each body.
struct DelimiterLayout: FrameLayout {
  /// The delimiter that is sent after a body.
  let sent: [UInt8]
  /// The delimiter that ends a received body.
  let expected: [UInt8]
  /// Whether a carriage return before it is dropped.
  let dropsReturn: Bool
  let maximumBodySize: Int

  init(sent: [UInt8], expected: [UInt8], dropsReturn: Bool, _ maximumBodySize: Int) {
    self.sent = sent
    self.expected = expected
    self.dropsReturn = dropsReturn
    self.maximumBodySize = maximumBodySize
  }

  var overhead: Int { expected.count + (dropsReturn ? 1 : 0) }

  func scan(_ bytes: Span<UInt8>, seen: Int, limit: Int) throws(FramingError) -> FrameScan {
    // No more bytes are examined than a frame can have, so that the result does not depend on how many have arrived.
    let end = min(bytes.count, limit + overhead)
    // The bytes seen before may have ended inside a delimiter.
    if let place = place(in: bytes, from: max(0, seen - expected.count + 1), to: end) {
      let hasReturn = dropsReturn && place > 0 && bytes[place - 1] == 13
      return .frame(size: place + expected.count, body: 0..<(hasReturn ? place - 1 : place))
    }
    guard bytes.count < limit + overhead else { throw .bodyTooLarge(announced: UInt64(limit) + 1, permitted: limit) }
    return .incomplete(needs: 1)
  }

  func writeHeader(of body: Span<UInt8>, into header: inout OutputSpan<UInt8>) throws(FramingError) -> Int {
    // The receiver drops a carriage return before the delimiter. That must not be one of the body, unless this format sends its own.
    let endsWithReturn = dropsReturn && sent == expected && body.count > 0 && body[body.count - 1] == 13
    guard !endsWithReturn, place(in: body, from: 0, to: body.count) == nil, !isCompletedEarly(body) else {
      throw FramingError(
        .delimiterInBody, "A body cannot be sent because it contains the delimiter; encode it, or leave it out")
    }
    return 0
  }

  func writeTrailer(of body: Span<UInt8>, into trailer: inout OutputSpan<UInt8>) {
    for byte in sent { trailer.append(byte) }
  }

  /// The position of the first complete delimiter.
  private func place(in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
    let first = expected[0]
    var place = start
    while place + expected.count <= end {
      if bytes[place] == first, (1..<expected.count).allSatisfy({ bytes[place + $0] == expected[$0] }) { return place }
      place += 1
    }
    return nil
  }

  /// Whether the end of a body and the start of the delimiter after it form a delimiter together.
  private func isCompletedEarly(_ body: Span<UInt8>) -> Bool {
    (1..<expected.count).contains { kept in
      // Whether a delimiter begins `kept` bytes before the end of the body.
      kept <= body.count
        && expected.indices.allSatisfy { index in
          expected[index] == (index < kept ? body[body.count - kept + index] : expected[index - kept])
        }
    }
  }
}
