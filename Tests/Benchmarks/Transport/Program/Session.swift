import FramedCoding

/// The server's state for one client, and its reaction to a frame.
struct Session {
  /// The reaction to a frame.
  enum Action: Equatable {
    case nothing
    /// Send the frame back.
    case echo
    case answer([UInt8])
    /// Answer, and make the client a member of the group.
    case welcome
    case broadcast(Broadcast)
  }

  /// A frame that the protocol does not allow; it ends the connection.
  struct Misuse: Error, Equatable, CustomStringConvertible {
    let description: String
  }

  /// The number of data frames since the last `end` was answered.
  private var counted: UInt64 = 0
  /// The number of data frames before that.
  private var earlier: UInt64 = 0
  /// The sequence number of the next data frame; the first may have any.
  private var next: UInt64 = 0
  /// The number of data frames that an `end`, which came too early, waits for.
  private var awaited: UInt64?

  /// Takes a frame in.
  @inline(__always)
  mutating func handle(_ body: Span<UInt8>) throws(Misuse) -> Action {
    guard body.count >= 9, body[0] == Kind.data.rawValue else { return try handleOther(body) }
    let sequence = body.number(at: 1, UInt64.self)
    guard sequence == next || counted == 0 else {
      throw Misuse(description: "data frame \(sequence) came where \(next) was due")
    }
    counted += 1
    next = sequence &+ 1
    guard let awaited else { return .nothing }
    return answer(announced: awaited)
  }

  private mutating func handleOther(_ body: Span<UInt8>) throws(Misuse) -> Action {
    guard body.count > 0, let kind = Kind(rawValue: body[0]) else {
      throw Misuse(description: body.count == 0 ? "a frame is empty" : "there is no kind of frame with the number \(body[0])")
    }
    switch kind {
    case .end:
      try body.expect(9, kind)
      return answer(announced: body.number(at: 1, UInt64.self))
    case .ping:
      return .echo
    case .hello:
      return .welcome
    case .stat:
      var writer = MessageWriter()
      writer.writeUInt8(Kind.status.rawValue)
      writer.writeUInt64(ProcessFigures.cpuNanoseconds)
      writer.writeUInt32(ProcessFigures.processNumber)
      return .answer(writer.bytes)
    case .go:
      try body.expect(9, kind)
      let broadcast = Broadcast(count: Int(body.number(at: 1, UInt32.self)), size: Int(body.number(at: 5, UInt32.self)))
      guard (1...FrameFormat.standard.largestBodySize).contains(broadcast.size) else {
        throw Misuse(description: "a broadcast of frames of \(broadcast.size) bytes was asked for")
      }
      return .broadcast(broadcast)
    case .data:
      throw Misuse(description: "a data frame has \(body.count) bytes, too few for its sequence number")
    case .counted, .welcome, .status, .broadcast:
      throw Misuse(description: "a frame came of the kind \(kind), which only servers send")
    }
  }

  /// Answers an end if everything is in: what was sent since the last end or, for clients that count on, in all.
  private mutating func answer(announced: UInt64) -> Action {
    let isAll = counted < announced
    guard !isAll || earlier + counted == announced else {
      awaited = announced
      return .nothing
    }
    var writer = MessageWriter()
    writer.writeUInt8(Kind.counted.rawValue)
    writer.writeUInt64(isAll ? earlier + counted : counted)
    earlier += counted
    counted = 0
    awaited = nil
    return .answer(writer.bytes)
  }
}

/// So many frames for every member.
struct Broadcast: Equatable {
  let count: Int
  let size: Int
}

extension Span<UInt8> {
  /// The big-endian number at a place.
  @inline(__always)
  func number<Number: FixedWidthInteger & BitwiseCopyable>(at place: Int, _ type: Number.Type) -> Number {
    Number(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: place, as: Number.self))
  }

  fileprivate func expect(_ size: Int, _ kind: Kind) throws(Session.Misuse) {
    guard count == size else {
      throw Session.Misuse(description: "a frame of the kind \(kind) has \(count) bytes, not \(size)")
    }
  }
}
