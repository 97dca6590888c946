/// A reader of a peer's frames, in pieces of any size. A value without I/O.
///
/// It checks everything that RFC 6455 asks of a receiver, as soon as it is known, and holds at most a header and the payload of one
/// control frame. The payload of messages stays where it is: its owner unmasks it, has texts checked with ``check(_:)``, and puts
/// fragments together.
package struct WebSocketReader: Sendable {
  /// What comes next.
  package enum Step: Equatable {
    /// Nothing, until more bytes have arrived; all were taken.
    case needsMore
    /// A whole message in one frame, masked. The owner has it checked with ``checkWhole(_:)``.
    case whole(Range<Int>, mask: UInt32)
    /// A message begins. Its size is known unless it is fragmented.
    case message(size: Int?)
    /// Bytes of a message, masked; none for a fragment without any, so that whoever counts steps sees it.
    case payload(Range<Int>, mask: UInt32)
    /// The message is complete.
    case end
    case ping([UInt8])
    case pong([UInt8])
    /// The last frame; what follows is dropped.
    case close(WebSocketClose)
  }

  private enum State {
    case header
    /// In the payload of a frame of a message.
    case payload
    /// At the end of a message.
    case end
    case control(WebSocketOpcode)
    case closed
  }

  private let isServer: Bool
  private let messages: WebSocketMessages
  /// The largest message that is accepted, in bytes.
  package var limit: Int

  private var state = State.header
  /// The bytes of a header that has arrived in part.
  private var header = InlineArray<14, UInt8>(repeating: 0)
  private var headerCount = 0
  /// The mask for the rest of the frame.
  private var mask: UInt32 = 0
  /// The bytes of the frame's payload that have not been read.
  private var left = 0
  private var isFinal = true
  /// The size so far of a message of several frames; `nil` between messages and in a message of one frame.
  private var fragments: UInt64?
  private var isText = false
  private var text = UTF8Check()
  private var control: [UInt8] = []

  package init(_ role: WebSocketRole, _ messages: WebSocketMessages, limit: Int) {
    isServer = role == .server
    self.messages = messages
    self.limit = limit
  }

  /// Whether the bytes so far end between two messages, so that nothing is missing.
  package var isAtBoundary: Bool {
    if case .header = state { headerCount == 0 && fragments == nil } else { false }
  }

  /// Whether a frame or a fragmented message has arrived in part, of which the owner has nothing to show for.
  package var hasHiddenPart: Bool {
    switch state {
    case .header: headerCount > 0 || fragments != nil
    case .control: true
    case .payload, .end: fragments != nil
    case .closed: false
    }
  }

  /// Reads on.
  ///
  /// - Parameters:
  ///   - bytes: The received bytes.
  ///   - offset: The first byte that has not been read; moved behind what was read.
  ///   - room: The most bytes of a payload to report at once, at least 1.
  /// - Throws: What is wrong. Nothing may be read after that.
  package mutating func next(
    _ bytes: Span<UInt8>, from offset: inout Int, room: Int = .max
  ) throws(WebSocketViolation) -> Step {
    while true {
      switch state {
      case .header:
        if headerCount == 0, fragments == nil, let step = wholeMessage(bytes, from: &offset, room: room) { return step }
        guard try readHeader(bytes, from: &offset) else { return .needsMore }
        if let step = try begin() { return step }
      case .payload:
        guard left > 0 else {
          state = isFinal ? .end : .header
          continue
        }
        let count = min(left, room, bytes.count - offset)
        guard count > 0 else { return .needsMore }
        let step = Step.payload(offset..<offset + count, mask: mask)
        offset += count
        left -= count
        mask = mask.mask(after: count)
        return step
      case .end:
        guard text.isComplete else { throw .invalidText("a text ends in the middle of a character") }
        state = .header
        fragments = nil
        return .end
      case .control(let opcode):
        let count = min(left, bytes.count - offset)
        for index in 0..<count { control.append(bytes[offset + index] ^ mask.maskByte(control.count)) }
        offset += count
        left -= count
        guard left == 0 else { return .needsMore }
        return try finish(opcode)
      case .closed:
        offset = bytes.count
        return .needsMore
      }
    }
  }

  /// Checks bytes of a message after they have been unmasked, in order. Has no effect on a binary message.
  package mutating func check(_ payload: Span<UInt8>) throws(WebSocketViolation) {
    guard isText else { return }
    guard text.accept(payload) else { throw .invalidText("a text is not UTF-8") }
  }

  /// Checks a whole message after it has been unmasked. Has no effect on a binary message.
  package mutating func checkWhole(_ payload: Span<UInt8>) throws(WebSocketViolation) {
    guard isText else { return }
    text = UTF8Check()
    try check(payload)
    guard text.isComplete else { throw .invalidText("a text ends in the middle of a character") }
  }

  // MARK: - Headers

  /// Reads a short message that has arrived as a whole, by far the most frequent case; `nil` if the next frame is something else, or is
  /// not valid.
  private mutating func wholeMessage(_ bytes: Span<UInt8>, from offset: inout Int, room: Int) -> Step? {
    let maskSize = isServer ? 4 : 0
    guard bytes.count - offset >= 4 + maskSize else { return nil }
    let opcode = WebSocketOpcode.binary.rawValue == bytes[offset] & 0x0F ? WebSocketOpcode.binary : .text
    guard bytes[offset] == 0x80 | opcode.rawValue, messages.accepts(opcode) else { return nil }
    let second = bytes[offset + 1]
    var size = Int(second & 0x7F)
    var start = offset + 2
    if size == 126 {
      size = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      guard size > 125 else { return nil }
      start += 2
    }
    guard (second & 0x80 != 0) == isServer, second & 0x7F != 127, size <= limit, size <= room else { return nil }
    guard bytes.count - start >= maskSize + size else { return nil }
    var mask: UInt32 = 0
    if isServer {
      mask =
        UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16 | UInt32(bytes[start + 3]) << 24
      start += 4
    }
    isText = opcode == .text
    offset = start + size
    return .whole(start..<offset, mask: mask)
  }

  /// Reads a header as far as it is there; returns whether it is complete.
  private mutating func readHeader(_ bytes: Span<UInt8>, from offset: inout Int) throws(WebSocketViolation) -> Bool {
    while offset < bytes.count {
      header[headerCount] = bytes[offset]
      headerCount += 1
      offset += 1
      switch headerCount {
      case 1: try checkFirst(header[0])
      case 2: try checkSecond(header[1], of: header[0])
      default: break
      }
      if headerCount >= 2, headerCount == headerSize { return true }
    }
    return false
  }

  /// The size of a header whose first two bytes are there.
  private var headerSize: Int {
    let lengthSize =
      switch header[1] & 0x7F {
      case 126: 2
      case 127: 8
      default: 0
      }
    return 2 + lengthSize + (isServer ? 4 : 0)
  }

  private func checkFirst(_ first: UInt8) throws(WebSocketViolation) {
    guard first & 0x70 == 0 else { throw .protocolError("a frame has reserved bits, and no extension was agreed on") }
    guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
      throw .protocolError("a frame has the reserved opcode \(first & 0x0F)")
    }
    if opcode.isControl {
      guard first & 0x80 != 0 else { throw .protocolError("a control frame is fragmented") }
    } else if opcode == .continuation {
      guard fragments != nil else { throw .protocolError("a continuation has no beginning") }
    } else {
      guard fragments == nil else { throw .protocolError("a message begins inside another") }
      guard messages.accepts(opcode) else {
        throw WebSocketViolation(code: .unacceptableKind, reason: "\(opcode) messages are not accepted here")
      }
    }
  }

  private func checkSecond(_ second: UInt8, of first: UInt8) throws(WebSocketViolation) {
    guard (second & 0x80 != 0) == isServer else {
      throw .protocolError(isServer ? "a client's frame is not masked" : "a server's frame is masked")
    }
    if first & 0x08 != 0, second & 0x7F > 125 { throw .protocolError("a control frame has more than 125 bytes") }
  }

  /// Begins the frame whose header is complete.
  private mutating func begin() throws(WebSocketViolation) -> Step? {
    headerCount = 0
    let opcode = WebSocketOpcode(rawValue: header[0] & 0x0F) ?? .close
    let isFinal = header[0] & 0x80 != 0
    let (length, maskStart) = try readLength()
    mask = 0
    if isServer { for place in 0..<4 { mask |= UInt32(header[maskStart + place]) << UInt32(8 * place) } }
    if opcode.isControl {
      left = Int(length)
      control.removeAll(keepingCapacity: true)
      state = .control(opcode)
      return nil
    }
    self.isFinal = isFinal
    // Neither number is larger than 2⁶³, so the sum does not overflow.
    let size = (fragments ?? 0) + length
    guard size <= UInt64(limit) else { throw .tooBig(size, permitted: limit) }
    left = Int(length)
    state = .payload
    if opcode == .continuation {
      fragments = size
      return length == 0 && !isFinal ? .payload(0..<0, mask: 0) : nil
    }
    isText = opcode == .text
    text = UTF8Check()
    if !isFinal { fragments = size }
    return .message(size: isFinal ? left : nil)
  }

  private func readLength() throws(WebSocketViolation) -> (UInt64, maskStart: Int) {
    let short = header[1] & 0x7F
    guard short >= 126 else { return (UInt64(short), 2) }
    let end = short == 126 ? 4 : 10
    var length: UInt64 = 0
    for index in 2..<end { length = length << 8 | UInt64(header[index]) }
    guard length >> 63 == 0 else { throw .protocolError("the length of a frame has its highest bit set") }
    guard length > (short == 126 ? 125 : UInt64(UInt16.max)) else {
      throw .protocolError("the length of a frame is not in its shortest form")
    }
    return (length, end)
  }

  // MARK: - Control frames

  private mutating func finish(_ opcode: WebSocketOpcode) throws(WebSocketViolation) -> Step {
    state = .header
    switch opcode {
    case .ping: return .ping(control)
    case .pong: return .pong(control)
    case .close, .continuation, .text, .binary:
      state = .closed
      return .close(try WebSocketClose(payload: control))
    }
  }
}
