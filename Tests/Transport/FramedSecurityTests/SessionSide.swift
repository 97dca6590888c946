import Testing

@testable import FramedSecurity

/// One side of a session without I/O, and what it has read.
final class SessionSide {
  let session: TLSSession
  var waiting: [UInt8] = []
  var plain: [UInt8] = []
  var outcome = TLSSession.Outcome.wantsInput
  var isReady = false

  init(_ context: TLSContext) throws {
    session = try #require(TLSSession(context))
    session.decideOnKey = { _ in true }
  }

  func hear(_ bytes: some Collection<UInt8>) {
    waiting += bytes
    work()
  }

  func end() {
    session.hasInputEnded = true
    work()
  }

  /// Handshakes and reads as far as possible.
  func work() {
    waiting.withUnsafeBytes { bytes in
      session.input = bytes
      if !isReady {
        outcome = session.handshake()
        isReady = outcome == .done
      }
      if isReady {
        outcome = withUnsafeTemporaryAllocation(byteCount: 40_000, alignment: 1) { room in
          var count = 0
          let outcome = session.read(into: room, &count)
          plain += room[..<count]
          return outcome
        }
      }
      waitingLeft = session.input.count
    }
    waiting = Array(waiting.suffix(waitingLeft))
    session.input = UnsafeRawBufferPointer(start: nil, count: 0)
  }
  private var waitingLeft = 0

  func say() -> [UInt8] {
    defer { session.output = [] }
    return session.output
  }

  func send(_ bytes: [UInt8]) -> [UInt8] {
    #expect(bytes.withUnsafeBytes { session.write($0) } == .done)
    return say()
  }

  var failure: TLSFailure? {
    if case .failed(let failure) = outcome { return failure }
    return nil
  }
}
