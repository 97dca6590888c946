import Testing
import _BonjourishBase
import _FramedWebProtocol

/// Frames of peers, whole and in pieces.
@Suite struct WebSocketReaderTests {
  @Test(arguments: FrameCase.all, [WebSocketRole.server, .client])
  func `a stream is read in the same way however it is split`(of frameCase: FrameCase, as role: WebSocketRole) {
    let stream = frameCase.frames.flatMap { $0.bytes(for: role) }
    #expect(read(stream, as: role) == frameCase.told, "whole")
    var generator = SeededGenerator(seed: UInt64(stream.count))
    if stream.count < 2_000 { #expect(read(stream, as: role, pieces: { 1 }, room: { 1 }) == frameCase.told, "byte by byte") }
    let largest = max(200, stream.count / 20)
    for _ in 0..<3 {
      var other = SeededGenerator(seed: generator.next())
      let told = read(
        stream, as: role, pieces: { generator.number(in: 1..<largest) }, room: { other.number(in: 1..<largest / 2) })
      #expect(told == frameCase.told, "in pieces")
    }
  }

  @Test func `only the kind of message that was agreed on is accepted`() {
    for (messages, opcode) in [(WebSocketMessages.text, UInt8(2)), (.binary, 1)] {
      #expect(read(Frame(opcode, [0x61]).bytes(for: .server), as: .server, messages) == [.violation(1003)])
      #expect(read(Frame(3 - opcode, [0x61]).bytes(for: .server), as: .server, messages) == [.text("a")])
    }
  }

  @Test func `a limit holds for whole messages and for fragments, and can be raised`() {
    let (four, five) = (Frame.binary([1, 2, 3, 4]), Frame.binary([1, 2, 3, 4, 5]))
    #expect(read(four.bytes(for: .client), as: .client, limit: 4) == [.message([1, 2, 3, 4])])
    #expect(read(five.bytes(for: .client), as: .client, limit: 4) == [.violation(1009)])
    let fragments = [Frame.binary([1, 2, 3], isFinal: false), .more([4, 5], isFinal: true)].flatMap { $0.bytes(for: .client) }
    #expect(read(fragments, as: .client, limit: 5) == [.message([1, 2, 3, 4, 5])])
    #expect(read(fragments, as: .client, limit: 4) == [.violation(1009)])
    var reader = WebSocketReader(.client, .any, limit: 0)
    reader.limit = 4
    var offset = 0
    #expect(throws: Never.self) { try reader.next(four.bytes(for: .client).span, from: &offset) }
  }

  @Test func `a refused frame is refused before its payload arrives`() {
    var reader = WebSocketReader(.server, .any, limit: 1_000)
    for bytes: [UInt8] in [[0x83], [0xC1], [0x81, 0x05], [0x82, 0xFE, 0x03, 0xE9, 1, 2, 3, 4]] {
      reader = WebSocketReader(.server, .any, limit: 1_000)
      var offset = 0
      #expect(throws: WebSocketViolation.self) { try reader.next(bytes.span, from: &offset) }
    }
  }

  @Test func `what has arrived in part and is not shown yet is known`() throws {
    var reader = WebSocketReader(.client, .any, limit: 1_000)
    func feed(_ bytes: [UInt8]) throws {
      var offset = 0
      while try reader.next(bytes.span, from: &offset) != .needsMore {}
    }
    #expect(!reader.hasHiddenPart && reader.isAtBoundary)
    try feed([0x82])
    #expect(reader.hasHiddenPart && !reader.isAtBoundary)
    try feed([0x02, 1])
    #expect(!reader.hasHiddenPart && !reader.isAtBoundary, "its owner shows the beginning of the message")
    try feed([2])
    #expect(!reader.hasHiddenPart && reader.isAtBoundary)
    try feed([0x02, 0x01, 9])
    #expect(reader.hasHiddenPart && !reader.isAtBoundary, "a fragment")
    try feed([0x89, 0x00])
    #expect(reader.hasHiddenPart && !reader.isAtBoundary)
    try feed([0x80, 0x00])
    #expect(!reader.hasHiddenPart && reader.isAtBoundary)
    try feed([0x89, 0x02, 1])
    #expect(reader.hasHiddenPart && !reader.isAtBoundary, "a ping")
  }

  @Test func `headers that are written are read`() throws {
    var generator = SeededGenerator(seed: 6455)
    for size in [0, 1, 125, 126, 127, 65_535, 65_536, 70_000] {
      for role in [WebSocketRole.server, .client] {
        let payload = (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        let mask = role == .server ? UInt32(truncatingIfNeeded: generator.next()) : nil
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: WebSocketFrameHeader.mostBytes) { output in
          WebSocketFrameHeader(.binary, length: UInt64(size), mask: mask).write(into: &output)
        }
        bytes += payload.enumerated().map { $1 ^ (mask ?? 0).maskByte($0) }
        #expect(read(bytes, as: role) == [.message(payload)])
      }
    }
    #expect(
      read(WebSocketFrameHeader.control(.ping, [1, 2, 3, 4, 5], mask: 0x0102_0304), as: .server) == [.ping([1, 2, 3, 4, 5])])
    #expect(read(WebSocketFrameHeader.control(.pong, [9], mask: nil), as: .client) == [.pong([9])])
  }

  @Test func `a closing frame keeps to its size and to the codes that may be sent`() throws {
    for reason in ["", "bye", String(repeating: "ü", count: 100), String(repeating: "👨‍👩‍👧‍👦", count: 10)] {
      let payload = WebSocketClose(.policyViolation, reason).payload
      #expect(payload.count <= 125)
      let read = try WebSocketClose(payload: payload)
      #expect(read.code == .policyViolation && reason.hasPrefix(read.reason))
    }
    #expect(WebSocketClose(.none, "x").payload.isEmpty)
    #expect(WebSocketClose(WebSocketCloseCode(rawValue: 1006)).payload.isEmpty)
  }

  @Test func `any bytes are read or refused`() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<3_000 {
      let bytes = (0..<generator.number(in: 0..<60)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      for role in [WebSocketRole.server, .client] {
        #expect(read(bytes, as: role) == read(bytes, as: role, pieces: { 1 }, room: { 1 }))
      }
    }
  }

  /// RFC 6455, section 7.4.1.
  @Test func `the codes have the numbers of the standard, and three of them are no error`() {
    let codes: [WebSocketCloseCode] = [
      .normal, .goingAway, .protocolError, .unacceptableKind, .none, .invalidText, .policyViolation, .messageTooBig,
      .internalError,
    ]
    #expect(codes.map(\.rawValue) == [1000, 1001, 1002, 1003, 1005, 1007, 1008, 1009, 1011])
    #expect(codes.filter(\.isOrderly) == [.normal, .goingAway, .none])
    #expect(codes.filter { !$0.maySend } == [.none])
  }

  /// What is told first of the beginning of a stream, and where reading goes on.
  private func first(
    _ bytes: [UInt8], as role: WebSocketRole, limit: Int = 1_000, room: Int = .max
  ) throws -> (step: WebSocketReader.Step, offset: Int) {
    var reader = WebSocketReader(role, .any, limit: limit)
    var offset = 0
    return (try reader.next(bytes.span, from: &offset, room: room), offset)
  }

  @Test(arguments: [2, 125, 126, 300]) func `a message that is there whole is told whole if it fits`(size: Int) throws {
    let frame = Frame.binary([UInt8](repeating: 7, count: size))
    let header = size < 126 ? 2 : 4
    let (toClient, toServer) = (frame.bytes(for: .client), frame.bytes(for: .server, mask: [1, 2, 3, 4]))
    let end = header + size
    #expect(try first(toClient + [9], as: .client, limit: size, room: size) == (.whole(header..<end, mask: 0), end))
    #expect(
      try first(toServer, as: .server, limit: size, room: size)
        == (.whole(header + 4..<end + 4, mask: 0x0403_0201), end + 4))
    // With less room, or without its last byte, it is told in parts, with its size first.
    #expect(try first(toClient, as: .client, room: size - 1) == (.message(size: size), header))
    #expect(try first(Array(toServer.dropLast()), as: .server) == (.message(size: size), header + 4))
    #expect(throws: WebSocketViolation.self) { try first(toClient, as: .client, limit: size - 1) }
  }

  @Test func `the size of a message in fragments is not known at its beginning`() throws {
    #expect(try first(Frame.text("abc", isFinal: false).bytes(for: .client), as: .client) == (.message(size: nil), 2))
  }

  @Test func `a mask goes on where a part has ended`() {
    for count in 0..<9 {
      for index in 0..<9 {
        #expect(UInt32(0x0403_0201).mask(after: count).maskByte(index) == UInt32(0x0403_0201).maskByte(count + index))
      }
    }
    #expect((0..<5).map { UInt32(0x0403_0201).maskByte($0) } == [1, 2, 3, 4, 1])
  }
}
