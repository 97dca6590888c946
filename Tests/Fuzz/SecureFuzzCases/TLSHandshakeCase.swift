import FramedSecurity
package import FuzzCases

/// Two sides of TLS, and somebody between them who passes bytes on, changes, drops, repeats and invents them.
///
/// Each byte is what happens next, with what it needs behind it; the first also is whether the client shows a key. Keys and random
/// numbers differ from run to run, so an input can behave differently; what must hold always holds.
///
/// A handshake takes about a millisecond, most of it in the library. So a client that has heard nothing says the same hello in the
/// next run, and handshakes that nobody has touched are completed for one input in four.
package enum TLSHandshakeCase {
  private static let identity = try? Identity.ephemeral()
  private static let server = identity.flatMap { try? TLSContext(.server, identity: $0, protocolNames: ["fuzz"]) }
  private static let knownClients = BegunClients(try? TLSContext(.client, identity: identity, protocolNames: ["fuzz"]))
  private static let strangers = BegunClients(try? TLSContext(.client, identity: nil, protocolNames: ["fuzz"]))

  /// The most that a side may keep to be sent.
  private static let mostOutput = 512 * 1024

  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    let clients = bytes.first.map { $0 & 0x40 == 0 } ?? true ? knownClients : strangers
    guard let server, let client = clients.take(), let right = TLSSession(server) else {
      throw Violation("there is no memory")
    }
    right.decideOnKey = { _ in true }
    var sides = [Side(client.session, says: 1), Side(right, says: 2)]
    var rest = bytes[...]
    var isUntouched = true
    while let kind = rest.popFirst() {
      let argument = rest.popFirst() ?? 0
      let (from, to) = kind & 1 == 0 ? (0, 1) : (1, 0)
      var piece = sides[from].take(kind & 2 == 0 ? .max : Int(argument) + 1)
      switch kind >> 2 % 8 {
      case 0, 1, 2: break
      case 3 where !piece.isEmpty:
        piece[Int(argument) % piece.count] ^= 1 << (kind >> 5)
        isUntouched = false
      case 4:
        piece = []
        isUntouched = false
      case 5 where !piece.isEmpty:
        piece += piece
        isUntouched = false
      case 6:
        piece = Array(rest.prefix(Int(argument)))
        rest = rest.dropFirst(piece.count)
        isUntouched = false
      case 7:
        sides[to].end()
        isUntouched = false
      default: break
      }
      try sides[to].hear(piece)
    }
    if isUntouched, bytes.count % 4 == 0 { try settle(&sides) }
    for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
      // Nobody reads what the other has not said.
      try Violation.unless(side.heard.allSatisfy { $0 == other.word }, "plain bytes came that were never sent")
    }
    if sides[0].hasHeardNothing { clients.giveBack(client) }
  }

  /// Passes everything on until nothing is left; both must be connected then.
  private static func settle(_ sides: inout [Side]) throws(Violation) {
    for _ in 0..<10 {
      for (from, to) in [(0, 1), (1, 0)] { try sides[to].hear(sides[from].take(.max)) }
    }
    try Violation.unless(sides.allSatisfy { $0.isReady && !$0.isOver && !$0.heard.isEmpty }, "an untouched handshake failed")
  }

  /// One side, which says one byte once it is connected.
  private struct Side {
    let session: TLSSession
    let word: UInt8
    var heard: [UInt8] = []
    var isReady = false
    var isOver = false
    /// Whether nothing has changed the session since it began.
    private(set) var hasHeardNothing = true
    private var waiting: [UInt8] = []

    init(_ session: TLSSession, says word: UInt8) {
      self.session = session
      self.word = word
    }

    mutating func take(_ most: Int) -> [UInt8] {
      let piece = Array(session.output.prefix(most))
      session.output.removeFirst(piece.count)
      return piece
    }

    mutating func end() {
      session.hasInputEnded = true
      hasHeardNothing = false
    }

    mutating func hear(_ bytes: [UInt8]) throws(Violation) {
      guard !isOver else { return }
      if !bytes.isEmpty { hasHeardNothing = false }
      waiting += bytes
      var plain: [UInt8] = []
      var rest = 0
      // A copy, because the closure changes this value.
      let received = waiting
      received.withUnsafeBytes { input in
        session.input = input
        if !isReady, note(session.handshake()) {
          isReady = true
          [word].withUnsafeBytes { _ = note(session.write($0)) }
        }
        if isReady, !isOver {
          withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { room in
            var count = 0
            _ = note(session.read(into: room, &count))
            plain = Array(room[..<count])
          }
        }
        rest = session.input.count
        session.input = UnsafeRawBufferPointer(start: nil, count: 0)
      }
      waiting = Array(received.suffix(rest))
      heard += plain
      try Violation.unless(session.output.count < TLSHandshakeCase.mostOutput, "the output grows without an end")
    }

    /// Returns whether a step is done.
    private mutating func note(_ outcome: TLSSession.Outcome) -> Bool {
      switch outcome {
      case .done: return true
      case .wantsInput, .wantsRoom: return false
      case .ended, .failed:
        isOver = true
        return false
      }
    }
  }
}
