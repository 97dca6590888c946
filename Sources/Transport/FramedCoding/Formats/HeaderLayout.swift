extension FrameFormat {
  /// The bytes of a frame that a length counts.
  public enum LengthScope: Hashable, Sendable, CaseIterable {
    /// The bytes after the whole header.
    case payload
    /// The bytes after the length: the fields after it, and the payload.
    case afterLength
    /// The length itself and the bytes after it.
    case lengthAndAfter
    /// The whole frame.
    case frame
  }

  /// Creates a format whose headers have more than a length: a constant prefix, and fields of fixed size.
  ///
  /// A frame is `prefix`, `fieldsBefore` bytes, the length, `fieldsAfter` bytes, and the payload. The fields are part of the
  /// body: a received or sent body is the fields before the length, the fields after it, and the payload, in this order. So a
  /// codec reads and writes the fields as it does the rest.
  ///
  /// ```swift
  /// // A UInt32 type and a UInt32 length before each message, as many protocols over Apple's Network framework have them.
  /// let typed = FrameFormat.header(fieldsBefore: 4, byteOrder: .littleEndian)
  /// try await connection.send([1, 0, 0, 0] + Array("hello".utf8))  // 01 00 00 00  05 00 00 00  68 65 6c 6c 6f
  /// ```
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of each frame. A frame that begins with others is refused with `wrongPrefix`.
  ///   - fieldsBefore: The number of bytes between the prefix and the length; 0 or more.
  ///   - lengthWidth: The size of the length.
  ///   - byteOrder: The order of its bytes.
  ///   - fieldsAfter: The number of bytes between the length and the payload; 0 or more.
  ///   - lengthCounts: The bytes that the length counts.
  ///   - maximumBodySize: The largest body in bytes, fields included; at least the size of the fields.
  public static func header(
    prefix: [UInt8] = [], fieldsBefore: Int = 0, lengthWidth: LengthWidth = .four, byteOrder: ByteOrder = .bigEndian,
    fieldsAfter: Int = 0, lengthCounts: LengthScope = .payload, maximumBodySize: Int = 64 * 1024
  ) -> FrameFormat {
    precondition(fieldsBefore >= 0 && fieldsAfter >= 0, "fieldsBefore and fieldsAfter must not be negative")
    precondition(maximumBodySize >= fieldsBefore + fieldsAfter, "maximumBodySize must be at least fieldsBefore + fieldsAfter")
    if prefix.isEmpty, fieldsBefore + fieldsAfter == 0 {
      let countsItself = lengthCounts == .lengthAndAfter || lengthCounts == .frame
      return FrameFormat(
        lengthWidth: lengthWidth, byteOrder: byteOrder, lengthCountsItself: countsItself, maximumBodySize: maximumBodySize)
    }
    return FrameFormat(
      HeaderLayout(
        prefix: prefix, fieldsBefore: fieldsBefore, lengthWidth: lengthWidth, byteOrder: byteOrder, fieldsAfter: fieldsAfter,
        lengthCounts: lengthCounts, permittedBodySize: maximumBodySize))
  }
}

/// Headers with a prefix, fields, a length and more fields.
struct HeaderLayout: FrameLayout {
  let prefix: [UInt8]
  let fieldsBefore: Int
  let lengthWidth: FrameFormat.LengthWidth
  let byteOrder: FrameFormat.ByteOrder
  let fieldsAfter: Int
  let lengthCounts: FrameFormat.LengthScope
  let permittedBodySize: Int

  /// The number of bytes of the body that are in the header.
  private var fields: Int { fieldsBefore + fieldsAfter }
  private var lengthStart: Int { prefix.count + fieldsBefore }
  private var lengthEnd: Int { lengthStart + lengthWidth.rawValue }
  private var headerSize: Int { lengthEnd + fieldsAfter }

  var overhead: Int { prefix.count + lengthWidth.rawValue }
  var permitsEmptyFrames: Bool { fields == 0 }

  var maximumBodySize: Int {
    // A length that cannot even count the header permits no frame; `writeHeader` then refuses a body of fields alone.
    let announceable = lengthWidth.largest < counted ? 0 : lengthWidth.largest - counted
    return announceable < UInt64(permittedBodySize - fields) ? Int(announceable) + fields : permittedBodySize
  }

  /// The number of bytes that the length counts besides the payload.
  private var counted: UInt64 {
    switch lengthCounts {
    case .payload: 0
    case .afterLength: UInt64(fieldsAfter)
    case .lengthAndAfter: UInt64(lengthWidth.rawValue + fieldsAfter)
    case .frame: UInt64(headerSize)
    }
  }

  func scan(_ bytes: Span<UInt8>, seen: Int, limit: Int) throws(FramingError) -> FrameScan {
    for index in min(seen, prefix.count)..<min(prefix.count, bytes.count) where bytes[index] != prefix[index] {
      throw FramingError(
        .wrongPrefix,
        "A frame has the byte \(bytes[index]) at offset \(index), where the prefix of the format has \(prefix[index]); "
          + "check that both sides use the same format")
    }
    // Asks again after each byte of the prefix, so that a wrong one is found at once.
    guard bytes.count >= prefix.count else { return .incomplete(needs: 1) }
    guard bytes.count >= headerSize else { return .incomplete(needs: headerSize - bytes.count) }
    var length: UInt64 = 0
    for index in lengthStart..<lengthEnd {
      switch byteOrder {
      case .bigEndian: length = length << 8 | UInt64(bytes[index])
      case .littleEndian: length |= UInt64(bytes[index]) << UInt64(8 * (index - lengthStart))
      }
    }
    guard length >= counted else { throw .lengthSmallerThanItself(announced: length, least: Int(counted)) }
    let (bodySize, isOverflow) = (length - counted).addingReportingOverflow(UInt64(fields))
    guard !isOverflow, bodySize <= UInt64(limit) else {
      throw .bodyTooLarge(announced: isOverflow ? .max : bodySize, permitted: limit)
    }
    let size = overhead + Int(bodySize)
    guard bytes.count >= size else { return .incomplete(needs: size - bytes.count) }
    return .frame(size: size, fields: prefix.count..<lengthStart, body: lengthEnd..<size)
  }

  func writeHeader(of body: Span<UInt8>, into header: inout OutputSpan<UInt8>) throws(FramingError) -> Int {
    guard body.count >= fields, lengthWidth.largest >= counted else { throw .bodyTooSmall(body.count, least: fields) }
    for byte in prefix { header.append(byte) }
    for index in 0..<fieldsBefore { header.append(body[index]) }
    let length = UInt64(body.count - fields) + counted
    for place in 0..<lengthWidth.rawValue {
      let shift = byteOrder == .bigEndian ? lengthWidth.rawValue - 1 - place : place
      header.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * shift)))
    }
    // The fields after the length are followed by the payload, in the body as in the frame, so the encoder appends both.
    return fieldsBefore
  }
}
