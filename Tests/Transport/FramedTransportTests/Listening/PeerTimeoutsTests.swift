import Testing
import _BonjourishEventLoop

@testable import FramedTransport

@Suite struct PeerTimeoutsTests {
  private let start = LoopTime(nanoseconds: 7_000_000_000)
  private var timeouts: PeerTimeouts

  init() {
    timeouts = Self.timeouts(frame: .seconds(10), stall: .seconds(2), at: start)
  }

  private static func timeouts(
    frame: Duration? = nil, stall: Duration? = nil, admission: Duration? = nil, heartbeat: Heartbeat? = nil, at now: LoopTime
  ) -> PeerTimeouts {
    let limits = TransportLimits(frameTime: frame, stallTime: stall, heartbeat: heartbeat)
    return PeerTimeouts(ChannelTerms(.standard, limits, admissionTime: admission), at: now)
  }

  private func at(_ seconds: Double) -> LoopTime { start + .seconds(seconds) }

  @Test func `a peer that owes nothing has no deadline`() {
    #expect(timeouts.nextDeadline == .never)
  }

  @Test func `without limits nothing is ever late`() {
    var timeouts = Self.timeouts(at: start)
    timeouts.handle(.begun, at: at(0))
    timeouts.handle(.blocked, at: at(0))
    #expect(timeouts.nextDeadline == .never)
    #expect(timeouts.check(.part, at: at(1_000_000)) == nil)
  }

  @Test func `any limit is one`() {
    #expect(!Self.timeouts(at: start).hasLimits)
    #expect(Self.timeouts(frame: .seconds(1), at: start).hasLimits)
    #expect(Self.timeouts(stall: .seconds(1), at: start).hasLimits)
    #expect(Self.timeouts(admission: .seconds(1), at: start).hasLimits)
    #expect(Self.timeouts(heartbeat: Heartbeat(), at: start).hasLimits)
  }

  @Test mutating func `a check that is more than a second late is this side's fault`() {
    timeouts.handle(.begun, at: at(0))
    var late = timeouts
    #expect(timeouts.check(.part, at: at(11)) == .frame)
    let tooLate = at(11).advanced(byNanoseconds: 1)
    #expect(late.check(.part, at: tooLate) == nil)
    #expect(late.nextDeadline == tooLate + .seconds(10))
  }

  @Test mutating func `a pending peer has so long and no longer, whatever it sends`() {
    timeouts = Self.timeouts(frame: .seconds(10), admission: .seconds(5), at: start)
    #expect(timeouts.nextDeadline == at(5))
    timeouts.handle(.begun, at: at(4))
    #expect(timeouts.nextDeadline == at(5))
    #expect(timeouts.check(.part, at: at(4.9)) == nil)
    #expect(timeouts.check(.part, at: at(5)) == .admission)
  }

  @Test mutating func `an admitted peer has no deadline`() {
    timeouts = Self.timeouts(admission: .seconds(5), at: start)
    timeouts.handle(.admitted, at: at(4))
    #expect(timeouts.nextDeadline == .never)
    #expect(timeouts.check(.nothing, at: at(6)) == nil)
  }

  @Test mutating func `a frame has to end so long after it began, however its bytes come`() {
    timeouts.handle(.begun, at: at(1))
    for second in 2...10 { timeouts.handle(.continued(second), at: at(Double(second))) }
    #expect(timeouts.nextDeadline == at(11))
    #expect(timeouts.check(.part, at: at(10.9)) == nil)
    #expect(timeouts.check(.part, at: at(11)) == .frame)
  }

  @Test mutating func `the next frame has its own time`() {
    timeouts.handle(.begun, at: at(1))
    timeouts.handle(.continued(3), at: at(9))
    timeouts.handle(.begun, at: at(10))
    #expect(timeouts.check(.part, at: at(19.9)) == nil)
    #expect(timeouts.check(.part, at: at(20)) == .frame)
  }

  @Test mutating func `a large frame has its time for each 64 KiB`() {
    timeouts.handle(.begun, at: at(0))
    timeouts.handle(.continued(65_535), at: at(9))
    #expect(timeouts.nextDeadline == at(10))
    timeouts.handle(.continued(65_536), at: at(9))
    #expect(timeouts.nextDeadline == at(19))
    timeouts.handle(.continued(131_071), at: at(18))
    #expect(timeouts.check(.part, at: at(19)) == .frame)
  }

  @Test mutating func `frames that are not taken are not the peer's delay`() {
    timeouts.handle(.begun, at: at(0))
    #expect(timeouts.check(.whole, at: at(10)) == nil)
    #expect(timeouts.nextDeadline == at(20), "it is asked again, for nobody tells when they are taken")
    #expect(timeouts.check(.part, at: at(20)) == .frame)
  }

  @Test mutating func `when everything has been taken, there is nothing to wait for`() {
    timeouts.handle(.begun, at: at(0))
    #expect(timeouts.check(.nothing, at: at(10)) == nil)
    #expect(timeouts.nextDeadline == .never)
  }

  @Test mutating func `time in which this side was asleep does not count`() {
    timeouts = Self.timeouts(frame: .seconds(10), stall: .seconds(2), admission: .seconds(5), at: start)
    timeouts.handle(.begun, at: at(0))
    timeouts.handle(.blocked, at: at(0))
    #expect(timeouts.check(.part, at: at(103.1)) == nil)
    #expect(timeouts.nextDeadline == at(105.1))
    #expect(timeouts.check(.part, at: at(105.1)) == .sending)
    timeouts.handle(.unblocked, at: at(105.1))
    #expect(timeouts.check(.part, at: at(108.1)) == .admission)
    timeouts.handle(.admitted, at: at(108.1))
    #expect(timeouts.check(.part, at: at(113.1)) == .frame)
  }

  @Test mutating func `time in which nothing was read does not count`() {
    timeouts.handle(.begun, at: at(0))
    timeouts.handle(.readingAgain, at: at(30))
    #expect(timeouts.check(.part, at: at(39)) == nil)
    #expect(timeouts.check(.part, at: at(40)) == .frame)
    timeouts = Self.timeouts(frame: .seconds(10), at: start)
    timeouts.handle(.readingAgain, at: at(30))
    #expect(timeouts.nextDeadline == .never)
  }

  @Test mutating func `a peer has to take something in time, again and again`() {
    timeouts.handle(.blocked, at: at(0))
    #expect(timeouts.nextDeadline == at(2))
    timeouts.handle(.progressed, at: at(1.5))
    timeouts.handle(.blocked, at: at(1.6))
    #expect(timeouts.check(.nothing, at: at(3.4)) == nil)
    #expect(timeouts.check(.nothing, at: at(3.5)) == .sending)
    timeouts.handle(.unblocked, at: at(3.5))
    #expect(timeouts.nextDeadline == .never)
    #expect(timeouts.check(.nothing, at: at(100)) == nil)
  }

  // MARK: - Heartbeats

  @Test func `without a heartbeat silence is no fault`() {
    var timeouts = Self.timeouts(at: start)
    timeouts.handle(.progressed, at: at(1))
    timeouts.handle(.begun, at: at(1))
    #expect(timeouts.nextDeadline == .never)
    #expect(timeouts.takeHeartbeat(at: at(1_000_000)) == false)
  }

  @Test mutating func `a heartbeat is due after the interval without sending`() {
    timeouts = Self.timeouts(heartbeat: Heartbeat(interval: .seconds(5), timeout: .seconds(100)), at: start)
    #expect(timeouts.nextDeadline == at(5))
    timeouts.handle(.progressed, at: at(3))
    #expect(timeouts.nextDeadline == at(8))
    #expect(timeouts.check(.nothing, at: at(5)) == nil)
    #expect(timeouts.takeHeartbeat(at: at(7.9)) == false)
    #expect(timeouts.takeHeartbeat(at: at(8)) == true)
    #expect(timeouts.nextDeadline == at(13))
    #expect(timeouts.takeHeartbeat(at: at(8)) == false)
  }

  @Test mutating func `the peer is given up after the timeout without hearing`() {
    timeouts = Self.timeouts(heartbeat: Heartbeat(interval: .seconds(50), timeout: .seconds(60)), at: start)
    timeouts.handle(.begun, at: at(20))
    timeouts.handle(.continued(1), at: at(30))
    #expect(timeouts.check(.nothing, at: at(50)) == nil)
    #expect(timeouts.takeHeartbeat(at: at(50)) == true)
    #expect(timeouts.nextDeadline == at(90))
    #expect(timeouts.check(.nothing, at: at(89.9)) == nil)
    #expect(timeouts.check(.nothing, at: at(90)) == .silence)
  }

  @Test mutating func `sending is not hearing, and hearing is not sending`() {
    timeouts = Self.timeouts(heartbeat: Heartbeat(interval: .seconds(5), timeout: .seconds(15)), at: start)
    for second in 1...15 {
      timeouts.handle(.progressed, at: at(Double(second)))
      #expect(timeouts.check(.nothing, at: at(Double(second))) == (second == 15 ? .silence : nil))
      _ = timeouts.takeHeartbeat(at: at(Double(second)))
    }
    timeouts = Self.timeouts(heartbeat: Heartbeat(interval: .seconds(5), timeout: .seconds(15)), at: start)
    for second in 1...5 { timeouts.handle(.begun, at: at(Double(second))) }
    #expect(timeouts.takeHeartbeat(at: at(5)) == true)
  }

  @Test mutating func `a peer that is sent much and says nothing is asked halfway to the timeout, and again`() {
    timeouts = Self.timeouts(heartbeat: Heartbeat(interval: .seconds(5), timeout: .seconds(15)), at: start)
    // A browser, which only answers.
    let beats = stride(from: 0.5, through: 14.5, by: 0.5).filter { second in
      timeouts.handle(.progressed, at: at(second))
      #expect(timeouts.check(.nothing, at: at(second)) == nil)
      return timeouts.takeHeartbeat(at: at(second))
    }
    #expect(beats == [7.5, 12.5])
    // The answer, and a peer that sends heartbeats of its own in time is never asked.
    for second in [14.6, 19.6, 24.6] {
      timeouts.handle(.begun, at: at(second))
      timeouts.handle(.progressed, at: at(second + 4.9))
      #expect(timeouts.check(.nothing, at: at(second + 4.9)) == nil)
      #expect(timeouts.takeHeartbeat(at: at(second + 4.9)) == false)
    }
  }

  @Test mutating func `silence does not count while this side does not listen`() {
    timeouts = Self.timeouts(heartbeat: Heartbeat(interval: .seconds(14), timeout: .seconds(15)), at: start)
    #expect(timeouts.check(.whole, isListening: false, at: at(15)) == nil)
    #expect(timeouts.takeHeartbeat(at: at(15)) == true)
    timeouts.handle(.readingAgain, at: at(20))
    #expect(timeouts.check(.nothing, at: at(27.5)) == nil)
    #expect(timeouts.takeHeartbeat(at: at(27.5)) == true)
    #expect(timeouts.check(.nothing, at: at(34.9)) == nil)
    #expect(timeouts.check(.nothing, at: at(35)) == .silence)
  }

  @Test mutating func `silence begins anew when it ends while this side does not listen`() {
    timeouts = Self.timeouts(heartbeat: Heartbeat(interval: .seconds(14), timeout: .seconds(15)), at: start)
    #expect(timeouts.takeHeartbeat(at: at(7.5)) == true)
    #expect(timeouts.nextDeadline == at(15))
    #expect(timeouts.check(.whole, isListening: false, at: at(15)) == nil)
    #expect(timeouts.nextDeadline == at(21.5))
    #expect(timeouts.takeHeartbeat(at: at(21.5)) == true)
    #expect(timeouts.check(.nothing, at: at(29.9)) == nil)
    #expect(timeouts.check(.nothing, at: at(30)) == .silence)
  }

  @Test mutating func `a machine that wakes up waits for the peer anew, and sends its own heartbeat at once`() {
    timeouts = Self.timeouts(heartbeat: Heartbeat(interval: .seconds(5), timeout: .seconds(15)), at: start)
    #expect(timeouts.check(.nothing, at: at(3600)) == nil)
    #expect(timeouts.takeHeartbeat(at: at(3600)) == true)
    #expect(timeouts.nextDeadline == at(3605))
    #expect(timeouts.check(.nothing, at: at(3605)) == nil)
    #expect(timeouts.takeHeartbeat(at: at(3605)) == true)
    #expect(timeouts.check(.nothing, at: at(3610)) == nil)
    #expect(timeouts.takeHeartbeat(at: at(3610)) == true)
    #expect(timeouts.check(.nothing, at: at(3615)) == .silence)
  }

  @Test mutating func `a heartbeat does not lengthen the time to be admitted`() {
    timeouts = Self.timeouts(
      admission: .seconds(5), heartbeat: Heartbeat(interval: .seconds(1), timeout: .seconds(3)), at: start)
    for second in 1...5 {
      timeouts.handle(.begun, at: at(Double(second)))
      #expect(timeouts.check(.nothing, at: at(Double(second))) == (second == 5 ? .admission : nil))
      _ = timeouts.takeHeartbeat(at: at(Double(second)))
    }
  }
}
