import Testing
import _BonjourishDirectoryProtocol

/// One end of a relayed connection, message by message.
@Suite struct RelayLinkTests {
  private let samples = RelaySamples()

  // MARK: - Opening

  @Test func `a lost dial is sent again, and its answer opens`() {
    var link = samples.dialer()
    let first = samples.sent(link.start(at: samples.start))
    #expect(first.map(\.kind) == [.dial] && first[0].offset == 9 && first[0].address == RelaySamples.own)
    #expect(link.room == 0)
    #expect(link.nextDeadline == samples.start + .milliseconds(250))
    #expect(samples.sent(link.advance(to: samples.start + .milliseconds(250))) == first)
    #expect(samples.sent(link.advance(to: samples.start + .milliseconds(750))) == first)
    #expect(link.nextDeadline == samples.start + .milliseconds(1_750))
    #expect(link.receive(samples.message(.accept), at: samples.start + .seconds(1)) == [.opened])
    #expect(link.isOpen && link.peer == RelaySamples.other && link.room == RelayLink.window)
    #expect(link.receive(samples.message(.accept), at: samples.start + .seconds(1)) == [.ignored(.duplicate)])
  }

  @Test func `a dial that comes again is accepted again, and another's is not`() {
    var link = RelayLink(
      accepting: samples.message(.dial, fromDialer: true, offset: 9), as: RelaySamples.own, at: samples.start)
    let answer = samples.sent(link.start(at: samples.start))
    #expect(answer.map(\.kind) == [.accept] && answer[0].address == RelaySamples.own && !answer[0].isFromDialer)
    #expect(samples.sent(link.receive(samples.message(.dial, fromDialer: true, offset: 9), at: samples.start)) == answer)
    var forged = samples.message(.dial, fromDialer: true, offset: 9)
    forged.address = RelayNumber(high: 66, low: 6)
    #expect(link.receive(forged, at: samples.start) == [.ignored(.unexpected)])
  }

  @Test func `that nobody listens counts when it is told three times`() {
    var link = samples.dialer()
    _ = link.start(at: samples.start)
    #expect(link.nobodyListens(at: samples.start).isEmpty)
    #expect(link.nobodyListens(at: samples.start).isEmpty)
    #expect(link.nobodyListens(at: samples.start) == [.ended(.refused)])
    var opened = samples.open()
    for _ in 0..<4 { #expect(opened.nobodyListens(at: samples.start).isEmpty) }
  }

  @Test func `a refusal ends the dial`() {
    var link = samples.dialer()
    _ = link.start(at: samples.start)
    #expect(link.receive(samples.message(.reset, reason: .refused), at: samples.start) == [.ended(.refused)])
    #expect(link.end == .refused)
  }

  @Test func `whoever gives up a dial tells so`() {
    var link = samples.dialer()
    _ = link.start(at: samples.start)
    let effects = link.release(at: samples.start)
    #expect(samples.sent(effects).map(\.reason) == [.reset] && effects.last == .ended(.broken))
  }

  // MARK: - Sending

  @Test func `bytes are sent again after a time that doubles, the first ones only`() {
    var link = samples.open()
    let first = samples.send(10, by: &link, at: samples.start)
    _ = samples.send(10, by: &link, at: samples.start)
    #expect(link.outstanding == 20)
    var now = samples.start
    for wait in [500, 1_000, 2_000, 4_000] {
      now += .milliseconds(wait)
      #expect(link.nextDeadline == now)
      #expect(link.advance(to: now) == first)
    }
  }

  @Test func `once the first missing bytes are acknowledged, the others are sent again at once`() {
    var link = samples.open()
    _ = samples.send(10, by: &link, at: samples.start)
    let second = samples.send(10, by: &link, at: samples.start)
    let now = samples.start + .milliseconds(500)
    _ = link.advance(to: now)
    #expect(link.receive(samples.message(.data, acknowledged: 10), at: now) == second)
    #expect(link.receive(samples.message(.data, acknowledged: 20), at: now).isEmpty)
    #expect(link.outstanding == 0)
  }

  @Test func `after a loss that is over, the time to wait follows the answers, and nothing is sent again needlessly`() {
    var link = samples.open()
    _ = samples.send(10, by: &link, at: samples.start)
    var now = samples.start + .milliseconds(500)
    #expect(link.advance(to: now).count == 1)
    #expect(link.receive(samples.message(.data, acknowledged: 10), at: now).isEmpty)
    for _ in 0..<2 { _ = samples.send(10, by: &link, at: now) }
    // It does not go on to double.
    #expect(link.nextDeadline == now + .milliseconds(500))
    now += .milliseconds(100)
    #expect(link.receive(samples.message(.data, acknowledged: 20), at: now).isEmpty)
    #expect(link.outstanding == 10)
    // The answer took 100 ms, with a variation of half of that at first (RFC 6298 §2.2).
    #expect(link.nextDeadline == now + .milliseconds(300))
  }

  @Test func `a gap is told at once, and all that is missing is sent again`() {
    var link = samples.open()
    let first = samples.send(10, by: &link, at: samples.start)
    let second = samples.send(10, by: &link, at: samples.start)
    var other = samples.acceptor()
    #expect(other.receive(samples.sent(second)[0], payload: 10, at: samples.start) == [.ignored(.gap)])
    #expect(other.nextDeadline == samples.start)
    let told = samples.sent(other.advance(to: samples.start))
    #expect(told.map(\.flags) == [.hasGap])
    #expect(link.receive(told[0], at: samples.start + .seconds(1)) == first + second)
    // Not for each message that tells so.
    #expect(link.receive(told[0], at: samples.start + .seconds(1)).isEmpty)
  }

  @Test func `what was sent while the relay was away is sent again when it is back`() {
    var link = samples.open()
    let first = samples.send(10, by: &link, at: samples.start)
    #expect(link.reconnected(at: samples.start) == first)
    _ = link.receive(samples.message(.data, acknowledged: 10), at: samples.start)
    let idle = samples.sent(link.reconnected(at: samples.start))
    #expect(idle.map(\.flags) == [.wantsAnswer])
  }

  @Test func `not more is sent than the other side permits, and it is asked for more`() {
    var link = samples.dialer()
    _ = link.start(at: samples.start)
    _ = link.receive(samples.message(.accept, limit: 100), at: samples.start)
    #expect(link.room == 100)
    _ = samples.send(100, by: &link, at: samples.start)
    #expect(link.room == 0)
    _ = link.receive(samples.message(.data, acknowledged: 100, limit: 100), at: samples.start)
    #expect(link.room == 0)
    // What tells that there is room again may be lost.
    let now = samples.start + .milliseconds(500)
    #expect(link.nextDeadline == now)
    #expect(samples.sent(link.advance(to: now)).map(\.flags) == [.wantsAnswer])
    _ = link.receive(samples.message(.data, acknowledged: 100, limit: 150), at: now)
    #expect(link.room == 50)
    // A limit does not shrink.
    _ = link.receive(samples.message(.data, acknowledged: 100, limit: 100), at: now)
    #expect(link.room == 50)
  }

  @Test func `that nothing arrives is the relay's fault for a while, and then the other side's`() {
    var link = samples.open()
    _ = samples.send(10, by: &link, at: samples.start)
    #expect(!link.isInterrupted(at: samples.start + .seconds(1)))
    #expect(link.isInterrupted(at: samples.start + .seconds(2)))
    // It is there, and takes nothing.
    _ = link.receive(samples.message(.data), at: samples.start + .seconds(3))
    #expect(!link.isInterrupted(at: samples.start + .seconds(4)))
    #expect(link.isInterrupted(at: samples.start + .seconds(5)))
    _ = link.receive(samples.message(.data), at: samples.start + .seconds(22))
    #expect(!link.isInterrupted(at: samples.start + RelayLink.silence))
  }

  @Test func `many small messages are bounded, too`() {
    var link = samples.open()
    while link.room > 0 { _ = samples.send(1, by: &link, at: samples.start) }
    #expect(link.outstanding == RelayLink.maximumSegments)
  }

  // MARK: - Receiving

  @Test func `bytes are taken once, and what came before is skipped`() {
    var link = samples.acceptor()
    #expect(link.receive(samples.message(.data, fromDialer: true), payload: 10, at: samples.start) == [.take(skipping: 0)])
    #expect(link.receive(samples.message(.data, fromDialer: true), payload: 10, at: samples.start) == [.ignored(.duplicate)])
    #expect(link.receive(samples.message(.data, fromDialer: true), payload: 25, at: samples.start) == [.take(skipping: 10)])
  }

  @Test func `an acknowledgement waits for bytes to go with`() {
    var link = samples.acceptor()
    _ = link.receive(samples.message(.data, fromDialer: true), payload: 10, at: samples.start)
    #expect(link.nextDeadline == samples.start + .milliseconds(20))
    let reply = samples.sent(samples.send(5, by: &link, at: samples.start))
    #expect(reply[0].acknowledged == 10)
    #expect(link.nextDeadline == samples.start + .milliseconds(500))
  }

  @Test func `the limit is told again when a quarter of the window was read`() {
    var link = samples.acceptor()
    let piece = RelayMessage.maximumPayload
    for number in 0..<2 {
      _ = link.receive(
        samples.message(.data, fromDialer: true, offset: UInt64(number * piece)), payload: piece, at: samples.start)
    }
    // 64 KiB have come: acknowledged at once.
    #expect(link.nextDeadline == samples.start)
    #expect(samples.sent(link.advance(to: samples.start)).map(\.limit) == [UInt64(RelayLink.window)])
    link.consumed(2 * piece, at: samples.start)
    #expect(samples.sent(link.advance(to: samples.start)).map(\.limit) == [UInt64(RelayLink.window + 2 * piece)])
  }

  @Test func `bytes beyond the limit and impossible acknowledgements are ignored`() {
    var link = samples.acceptor()
    let beyond = samples.message(.data, fromDialer: true, offset: UInt64(RelayLink.window) - 9)
    #expect(link.receive(beyond, payload: 10, at: samples.start) == [.ignored(.beyondLimit)])
    #expect(
      link.receive(samples.message(.data, fromDialer: true, offset: .max), payload: 10, at: samples.start) == [
        .ignored(.beyondLimit)
      ])
    let acknowledged = samples.message(.data, fromDialer: true, acknowledged: 1)
    #expect(link.receive(acknowledged, payload: 10, at: samples.start) == [.ignored(.acknowledgesTooMuch)])
    #expect(link.receive(samples.message(.data), payload: 10, at: samples.start) == [.ignored(.wrongConnection)])
    var other = samples.message(.data, fromDialer: true)
    other.connection = RelaySamples.own
    #expect(link.receive(other, payload: 10, at: samples.start) == [.ignored(.wrongConnection)])
  }
}
