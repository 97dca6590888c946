import Testing

@testable import _BonjourishDirectoryProtocol

/// When one end of a relayed connection sends again, asks, acknowledges and forgets.
@Suite struct RelayTimingTests {
  private let samples = RelaySamples()
  private var start: ContinuousClock.Instant { samples.start }

  private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

  // MARK: - Bytes

  @Test func `a message is written in network order`() {
    let connection = RelayNumber(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
    let message = RelayMessage(
      .dial, isFromDialer: true, of: connection, flags: [.hasGap], offset: 0x2122_2324_2526_2728, acknowledged: 0x31,
      limit: 0x41,
      address: RelayNumber(high: 0x51, low: 0x61))
    func number(_ last: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, last] }
    let common = Array(1...16 as ClosedRange<UInt8>) + Array(0x21...0x28 as ClosedRange<UInt8>) + number(0x31) + number(0x41)
    #expect(message.bytes() == [1, 0x81, 2, 0] + common + number(0x51) + number(0x61))
    var reset = message
    (reset.kind, reset.isFromDialer, reset.flags, reset.reason, reset.address) = (.reset, false, [.wantsAnswer], .silent, nil)
    #expect(reset.bytes() == [1, 5, 1, 3] + common)
    #expect(connection.bytes == Array(1...16))
  }

  // MARK: - The time to wait (RFC 6298)

  @Test func `the time to wait follows the answers, within bounds`() {
    var times = RelayTimes()
    #expect(times.answer == .milliseconds(500) && times.timeout == .milliseconds(500))
    func measure(_ milliseconds: Int) {
      times.sent(upTo: 10, at: start)
      // What is sent later does not begin another measurement.
      times.sent(upTo: 20, at: time(milliseconds / 2))
      times.acknowledged(upTo: 9, at: time(1))
      times.acknowledged(upTo: 10, at: time(milliseconds))
    }
    measure(400)
    #expect(times.answer == .milliseconds(400 + 4 * 200))
    // Smoothed by an eighth, the variation by a quarter.
    measure(480)
    #expect(times.answer == .milliseconds(410 + 4 * 170))
    measure(330)
    #expect(times.answer == .milliseconds(400) + .milliseconds(4 * 147.5))
    for _ in 0..<100 { measure(10) }
    #expect(times.answer == .milliseconds(200))
    for (failures, timeout) in [(1, 400), (2, 800), (3, 1_600), (4, 3_200), (5, 4_000), (9, 4_000)] {
      while times.failures < failures { times.failed() }
      #expect(times.timeout == .milliseconds(timeout))
    }
    times.acknowledged(upTo: 1, at: start)
    #expect(times.failures == 0 && times.timeout == .milliseconds(200))
  }

  @Test func `what is sent again measures nothing`() {
    for isFailure in [true, false] {
      var times = RelayTimes()
      times.sent(upTo: 10, at: start)
      if isFailure { times.failed() } else { times.repeated() }
      times.acknowledged(upTo: 10, at: time(400))
      #expect(times.answer == .milliseconds(500))
    }
  }

  // MARK: - Asking

  @Test func `a dial is sent again ever later, until it is given up`() {
    var link = samples.dialer()
    _ = link.start(at: start)
    var now = start
    for wait in [250, 500, 1_000, 1_000] {
      now += .milliseconds(wait)
      #expect(link.nextDeadline == now)
      #expect(samples.sent(link.advance(to: now)).map(\.kind) == [.dial])
    }
    #expect(link.peer == nil && !link.isOpen && !link.isInterrupted(at: now))
    #expect(samples.sent(link.reconnected(at: now)).map(\.kind) == [.dial])
    #expect(samples.sent(link.abandon(at: now)).map(\.reason) == [.reset])
    #expect(link.nextDeadline == now + RelayLink.lingerTime && link.reconnected(at: now).isEmpty)
  }

  @Test func `the question for room is asked ever later, and anew when there was some`() {
    var link = samples.dialer()
    _ = link.start(at: start)
    _ = link.receive(samples.message(.accept, limit: 0), at: start)
    var now = start
    for wait in [500, 1_000, 2_000, 4_000] {
      now += .milliseconds(wait)
      #expect(link.nextDeadline == now)
      #expect(samples.sent(link.advance(to: now)).map(\.flags) == [.wantsAnswer])
      _ = link.receive(samples.message(.data, limit: 0), at: now)
    }
    _ = link.receive(samples.message(.data, limit: 5), at: now)
    #expect(link.room == 5 && link.nextDeadline == time(8_000))
    // The other side was heard half a second ago.
    now = time(8_000)
    #expect(link.advance(to: now).isEmpty && link.nextDeadline == time(15_500))
    _ = samples.send(5, by: &link, at: now)
    _ = link.receive(samples.message(.data, acknowledged: 5, limit: 5), at: now)
    #expect(link.nextDeadline == now + .milliseconds(500))
    // Whoever has nothing more to send does not ask.
    _ = link.finish(at: now)
    _ = link.receive(samples.message(.data, acknowledged: 6, limit: 5), at: now)
    #expect(link.nextDeadline == time(15_500))
    #expect(link.finish(at: now).isEmpty)
  }

  @Test func `a lost end is sent again, and is over when it is acknowledged`() {
    var link = samples.open()
    #expect(samples.sent(link.finish(at: start)).map(\.kind) == [.finish])
    #expect(link.nextDeadline == time(500))
    #expect(samples.sent(link.advance(to: time(500))).map(\.kind) == [.finish])
    #expect(samples.sent(link.reconnected(at: time(600))).map(\.kind) == [.finish])
    _ = link.receive(samples.message(.data, acknowledged: 1), at: time(700))
    #expect(link.outstanding == 0 && link.nextDeadline == time(8_000))
    #expect(link.receive(samples.message(.data, acknowledged: 2), at: time(700)) == [.ignored(.acknowledgesTooMuch)])
  }

  // MARK: - Acknowledging

  @Test func `many messages without an answer are acknowledged at once`() {
    var link = samples.acceptor()
    for number in 0..<32 {
      #expect(link.nextDeadline == (number == 0 ? time(8_000) : time(20)))
      _ = link.receive(samples.message(.data, fromDialer: true, offset: UInt64(number)), payload: 1, at: start)
    }
    #expect(link.nextDeadline == start)
    #expect(samples.sent(link.advance(to: start)).map(\.acknowledged) == [32])
    _ = link.receive(samples.message(.data, fromDialer: true, offset: 32), payload: 1, at: start)
    #expect(link.nextDeadline == time(20))
  }

  @Test func `what was read is told from a quarter of the window on, unless the other side has ended`() {
    let quarter = RelayLink.window / 4
    for hasEnded in [false, true] {
      var link = samples.acceptor()
      for number in 0..<3 {
        let offset = UInt64(number * RelayMessage.maximumPayload)
        _ = link.receive(
          samples.message(.data, fromDialer: true, offset: offset), payload: RelayMessage.maximumPayload, at: start)
      }
      if hasEnded {
        let end = UInt64(3 * RelayMessage.maximumPayload)
        _ = link.receive(samples.message(.finish, fromDialer: true, offset: end), at: start)
      }
      _ = link.advance(to: start)
      link.consumed(quarter - 1, at: start)
      #expect(link.nextDeadline == time(8_000))
      link.consumed(1, at: start)
      #expect(link.nextDeadline == (hasEnded ? time(8_000) : start))
    }
  }

  @Test func `bytes of a closed side break the connection, and repeated ones do not`() {
    var link = samples.acceptor()
    _ = link.receive(samples.message(.data, fromDialer: true), payload: 10, at: start)
    _ = link.release(at: start)
    #expect(link.release(at: start).isEmpty && link.room == 0)
    #expect(link.receive(samples.message(.data, fromDialer: true), payload: 10, at: start) == [.ignored(.duplicate)])
    let effects = link.receive(samples.message(.data, fromDialer: true, offset: 10), payload: 1, at: start)
    #expect(effects.last == .ended(.broken) && link.end == .broken)
  }

  // MARK: - The end

  @Test func `a closed side that everything has arrived from is forgotten, and does not ask for the other`() {
    var link = samples.open()
    _ = link.release(at: start)
    _ = link.receive(samples.message(.data, acknowledged: 1), at: time(100))
    for due in [8_000, 8_100] {
      #expect(link.nextDeadline == time(due))
      #expect(link.advance(to: time(due)).isEmpty)
    }
    #expect(link.nextDeadline == time(24_100))
    #expect(link.advance(to: time(24_099)).isEmpty && link.advance(to: time(24_100)) == [.gone])
    #expect(link.receive(samples.message(.data), payload: 1, at: time(24_200)).isEmpty && !link.isOpen)
    #expect(link.release(at: start).isEmpty && link.abandon(at: start).isEmpty)
  }

  @Test func `a reset of the other side ends the connection without an answer`() {
    var link = samples.open()
    _ = samples.send(10, by: &link, at: start)
    #expect(link.receive(samples.message(.reset, reason: .reset), at: start) == [.ended(.reset)])
    // What was sent is not kept until the connection is forgotten.
    #expect(link.nextDeadline == start + RelayLink.lingerTime && link.segments.isEmpty)
    link = samples.open()
    #expect(link.receive(samples.message(.reset, reason: .silent), at: start) == [.ended(.reset)])
  }

  @Test func `what cannot come before the other side has accepted is ignored`() {
    var link = samples.dialer()
    _ = link.start(at: start)
    for kind in [RelayMessage.Kind.data, .finish, .dial] {
      #expect(link.receive(samples.message(kind), at: start) == [.ignored(.unexpected)])
    }
    #expect(!link.isOpen && link.finish(at: start).isEmpty)
  }
}
