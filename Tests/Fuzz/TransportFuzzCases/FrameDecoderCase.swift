import FramedCoding
package import FuzzCases

/// A stream of bytes, decoded at once and in pieces: what comes of it is the same.
///
/// The first byte is the format's shape, the second its largest body, the third how the stream is split; the rest is the stream.
package enum FrameDecoderCase {
  private static let prefix = 3

  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    guard bytes.count >= prefix else { return }
    let format = format(bytes[0], bytes[1])
    let stream = bytes[prefix...]
    let whole = decodeWhole(stream, format)
    let pieces = try decodePieces(stream, format, seed: bytes[2])
    try Violation.unless(
      whole == pieces, "at once \(whole), in pieces \(pieces), of \(Array(stream)) with \(format), seed \(bytes[2])")
    try checkEncoding(of: whole, stream, format)
  }

  private static func format(_ shape: UInt8, _ largest: UInt8) -> FrameFormat {
    let width = FrameFormat.LengthWidth.allCases[Int(shape & 3)]
    let order: FrameFormat.ByteOrder = shape & 4 == 0 ? .bigEndian : .littleEndian
    let largest = Int(largest)
    return switch shape >> 5 {
    case 1:
      .header(
        fieldsBefore: 1 + Int(shape & 3), lengthWidth: width, byteOrder: order, fieldsAfter: shape & 8 == 0 ? 0 : 2,
        lengthCounts: shape & 16 == 0 ? .payload : .afterLength, maximumBodySize: largest + 6)
    case 2:
      .header(
        prefix: [71, 65], fieldsBefore: shape & 8 == 0 ? 0 : 3, lengthWidth: width, byteOrder: order,
        lengthCounts: shape & 16 == 0 ? .lengthAndAfter : .frame, maximumBodySize: largest + 3)
    case 3: .varint(maximumBodySize: shape & 16 == 0 ? largest : .max - 10)
    case 4: .lines(ending: shape & 1 == 0 ? .lf : .crlf, maximumBodySize: shape & 16 == 0 ? largest : .max - 10)
    case 5: .delimited(by: [1, 1, 2, 1, 1].suffix(1 + Int(shape & 3)), maximumBodySize: largest)
    case 6: FrameFormat(SampleLayout(maximumBodySize: largest))
    default:
      FrameFormat(
        lengthWidth: width, byteOrder: order, lengthCountsItself: shape & 8 != 0,
        maximumBodySize: shape & 16 == 0 ? largest : .max)
    }
  }

  /// What a stream is: its frames, and what is wrong with it then.
  private struct Outcome: Equatable {
    var frames: [[UInt8]] = []
    var error: FramingError?
  }

  private static func decodeWhole(_ stream: ArraySlice<UInt8>, _ format: FrameFormat) -> Outcome {
    var decoder = FrameDecoder(format: format)
    decoder.append(contentsOf: stream)
    var outcome = Outcome()
    do throws(FramingError) {
      while let frame = try decoder.nextFrame() { outcome.frames.append(frame) }
      try decoder.finish()
    } catch {
      outcome.error = error
    }
    return outcome
  }

  private static func decodePieces(
    _ stream: ArraySlice<UInt8>, _ format: FrameFormat, seed: UInt8
  ) throws(Violation) -> Outcome {
    var decoder = FrameDecoder(format: format)
    var outcome = Outcome()
    var rest = stream
    // Any sequence that changes all the time will do, as long as it is the same for the same seed.
    var state = UInt32(seed) &* 2_654_435_761 | 1
    var mostKept = 0
    do throws(FramingError) {
      while !rest.isEmpty {
        state = state &* 1_664_525 &+ 1_013_904_223
        let piece = rest.prefix(1 + Int(state >> 24) % (seed & 1 == 0 ? 7 : 60))
        rest = rest.dropFirst(piece.count)
        append(piece, to: &decoder, by: state >> 16)
        try take(from: &decoder, into: &outcome.frames, by: state >> 18)
        mostKept = max(mostKept, decoder.bufferedByteCount)
      }
      try decoder.finish()
    } catch {
      outcome.error = error
      try Violation.unless(decoder.bufferedByteCount == 0, "a decoder that has failed keeps bytes")
      decoder.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0])
      let again = Result { () throws(FramingError) in try decoder.nextFrame() }
      try Violation.unless(again == .failure(error), "a decoder that has failed with \(error) goes on with \(again)")
    }
    let incomplete = format.overhead + min(format.largestBodySize, stream.count)
    try Violation.unless(mostKept <= incomplete, "\(mostKept) bytes were kept, more than one frame")
    return outcome
  }

  private static func append(_ piece: ArraySlice<UInt8>, to decoder: inout FrameDecoder, by choice: UInt32) {
    switch choice & 3 {
    case 0: decoder.append(contentsOf: piece)
    case 1: decoder.append(Array(piece).span)
    case 2:
      decoder.append(upTo: piece.count + Int(choice & 4)) { output in
        for byte in piece { output.append(byte) }
      }
    default:
      _ = decoder.exchangeStorage(for: [1, 2, 3])
      decoder.append(contentsOf: piece)
    }
  }

  private static func take(
    from decoder: inout FrameDecoder, into frames: inout [[UInt8]], by choice: UInt32
  ) throws(FramingError) {
    switch choice & 3 {
    case 0:
      while let frame = try decoder.nextFrame() { frames.append(frame) }
    case 1:
      while let frame = try decoder.withNextFrame(copy) { frames.append(frame) }
    case 2:
      try decoder.forEachFrame { frames.append(copy($0)) }
    default:
      while try decoder.hasFrame() {
        guard let frame = try decoder.nextFrame() else { return }
        frames.append(frame)
      }
    }
  }

  private static func copy(_ span: Span<UInt8>) -> [UInt8] {
    [UInt8](capacity: span.count) { output in
      for index in span.indices { output.append(span[index]) }
    }
  }

  /// The frames that were read, written again, are the bytes that they were read from.
  private static func checkEncoding(
    of outcome: Outcome, _ stream: ArraySlice<UInt8>, _ format: FrameFormat
  ) throws(Violation) {
    // A line that is read without the return at its end, and has another, cannot be sent with a line feed alone.
    let isLine = format == .lines(maximumBodySize: format.maximumBodySize)
    if isLine, outcome.frames.contains(where: { $0.last == 13 }) { return }
    let encoder = FrameEncoder(format: format)
    var written: [UInt8] = []
    do throws(FramingError) {
      for frame in outcome.frames { try encoder.encode(frame, into: &written) }
    } catch {
      throw Violation("what was read cannot be written: \(error)")
    }
    // A line may have ended in another way, and a length of variable width be longer than it needs.
    if format.hasOneWayToWrite {
      try Violation.unless(stream.starts(with: written), "what was read is written as something else")
      try Violation.unless(outcome.error != nil || written.count == stream.count, "bytes were dropped")
    } else {
      let again = decodeWhole(written[...], format)
      try Violation.unless(again == Outcome(frames: outcome.frames), "what was read and written is read as something else")
    }
  }
}

extension FrameFormat {
  /// Whether frames with the same body have the same bytes.
  fileprivate var hasOneWayToWrite: Bool {
    self != .varint(maximumBodySize: maximumBodySize)
      && LineEnding.allCases.allSatisfy { self != .lines(ending: $0, maximumBodySize: maximumBodySize) }
  }
}

/// A layout as a program may bring it: a field before the length, and a byte behind the body.
private struct SampleLayout: FrameLayout {
  let maximumBodySize: Int
  let overhead = 2

  func scan(_ bytes: Span<UInt8>, seen: Int, limit: Int) throws(FramingError) -> FrameScan {
    guard bytes.count >= 2 else { return .incomplete(needs: 2 - bytes.count) }
    let size = Int(bytes[1]) + 3
    // Or else it would depend on the split which of two errors is found first.
    guard size - overhead <= limit else { throw .bodyTooLarge(announced: UInt64(size - overhead), permitted: limit) }
    guard bytes.count >= size else { return .incomplete(needs: size - bytes.count) }
    guard bytes[size - 1] == 0x55 else { throw FramingError(.malformed, "A frame does not end as it should") }
    return .frame(size: size, fields: 0..<1, body: 2..<size - 1)
  }

  func writeHeader(of body: Span<UInt8>, into header: inout OutputSpan<UInt8>) throws(FramingError) -> Int {
    guard body.count > 0, body.count <= 256 else { throw FramingError(.malformed, "A body has 1 to 256 bytes") }
    header.append(body[0])
    header.append(UInt8(body.count - 1))
    return 1
  }

  func writeTrailer(of body: Span<UInt8>, into trailer: inout OutputSpan<UInt8>) { trailer.append(0x55) }
}
