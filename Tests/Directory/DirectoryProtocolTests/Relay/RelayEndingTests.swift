import Testing
import _BonjourishDirectoryProtocol

/// How a relayed connection ends.
@Suite struct RelayEndingTests {
  private let samples = RelaySamples()

  @Test func `each direction ends by itself`() {
    var link = samples.acceptor()
    #expect(samples.sent(link.finish(at: samples.start)).map(\.kind) == [.finish])
    #expect(link.outstanding == 1 && link.room == 0)
    _ = link.receive(samples.message(.data, fromDialer: true, acknowledged: 1), payload: 10, at: samples.start)
    #expect(link.outstanding == 0 && !link.hasPeerFinished)
    _ = link.receive(samples.message(.finish, fromDialer: true, offset: 10, acknowledged: 1), at: samples.start)
    #expect(link.hasPeerFinished)
    // Acknowledged at once, and again when the acknowledgement was lost.
    #expect(samples.sent(link.advance(to: samples.start)).map(\.acknowledged) == [11])
    _ = link.receive(samples.message(.finish, fromDialer: true, offset: 10, acknowledged: 1), at: samples.start)
    #expect(samples.sent(link.advance(to: samples.start)).map(\.acknowledged) == [11])
    let late = samples.message(.data, fromDialer: true, offset: 10, acknowledged: 1)
    #expect(link.receive(late, payload: 5, at: samples.start) == [.ignored(.beyondEnd)])
  }

  @Test func `an end before the last bytes is a gap, and one among them is refused`() {
    var link = samples.acceptor()
    #expect(link.receive(samples.message(.finish, fromDialer: true, offset: 10), at: samples.start) == [.ignored(.gap)])
    _ = link.receive(samples.message(.data, fromDialer: true), payload: 20, at: samples.start)
    #expect(link.receive(samples.message(.finish, fromDialer: true, offset: 10), at: samples.start) == [.ignored(.beyondEnd)])
    #expect(!link.hasPeerFinished)
  }

  @Test func `a side that is closed still delivers, and breaks off when bytes come`() {
    var link = samples.open()
    let first = samples.send(10, by: &link, at: samples.start)
    #expect(samples.sent(link.release(at: samples.start)).map(\.kind) == [.finish])
    #expect(link.advance(to: samples.start + .milliseconds(500)) == first)
    let effects = link.receive(samples.message(.data, acknowledged: 0), payload: 3, at: samples.start + .milliseconds(500))
    #expect(effects.contains(.ended(.broken)) && samples.sent(effects).contains { $0.reason == .reset })
  }

  @Test func `a closed connection answers late messages for a while, and is forgotten`() {
    var link = samples.open()
    _ = link.receive(samples.message(.finish), at: samples.start)
    _ = link.release(at: samples.start)
    _ = link.receive(samples.message(.data, acknowledged: 1), at: samples.start)
    #expect(link.outstanding == 0)
    _ = link.receive(samples.message(.finish, acknowledged: 1), at: samples.start + .seconds(3))
    #expect(samples.sent(link.advance(to: samples.start + .seconds(3))).map(\.acknowledged) == [1])
    #expect(link.advance(to: samples.start + RelayLink.lingerTime) == [.gone])
    #expect(link.nextDeadline == nil)
  }

  @Test func `a broken connection tells so whoever does not know yet`() {
    var link = samples.open()
    let effects = link.abandon(at: samples.start)
    #expect(samples.sent(effects).map(\.reason) == [.reset])
    #expect(samples.sent(link.receive(samples.message(.data), payload: 5, at: samples.start)).map(\.reason) == [.reset])
    #expect(link.receive(samples.message(.reset, reason: .reset), at: samples.start).isEmpty)
    #expect(link.advance(to: samples.start + RelayLink.lingerTime) == [.gone])
  }

  @Test func `a peer that is silent is asked, and given up after twenty-four seconds`() {
    var link = samples.open()
    var now = samples.start
    for wait in [8, 4, 4, 4] {
      now += .seconds(wait)
      #expect(link.nextDeadline == now)
      #expect(samples.sent(link.advance(to: now)).map(\.flags) == [.wantsAnswer])
    }
    now += .seconds(4)
    let effects = link.advance(to: now)
    #expect(effects.last == .ended(.silent) && samples.sent(effects).map(\.reason) == [.silent])
    #expect(now - samples.start == RelayLink.silence)
  }

  @Test func `an answer keeps the connection, and questions are answered at once`() {
    var link = samples.open()
    _ = link.advance(to: samples.start + .seconds(8))
    _ = link.receive(samples.message(.data, flags: .wantsAnswer), at: samples.start + .seconds(9))
    #expect(link.nextDeadline == samples.start + .seconds(9))
    #expect(samples.sent(link.advance(to: samples.start + .seconds(9))).map(\.kind) == [.data])
    #expect(link.advance(to: samples.start + .seconds(16)).isEmpty)
    #expect(link.isOpen)
  }

  @Test func `a program that was stopped asks before it gives up`() {
    var link = samples.open()
    let later = samples.start + .seconds(600)
    #expect(samples.sent(link.advance(to: later)).map(\.flags) == [.wantsAnswer])
    #expect(link.isOpen)
  }
}
