import EventLoop
import Testing

@testable import FramedTransport

@Suite struct PatienceTests {
  private let start = LoopTime(nanoseconds: 7_000_000_000)
  private var patience: Patience

  init() {
    patience = Self.patience(frame: .seconds(10), stall: .seconds(2), at: start)
  }

  private static func patience(
    frame: Duration? = nil, stall: Duration? = nil, admission: Duration? = nil, at now: LoopTime
  ) -> Patience {
    let limits = TransportLimits(frameTime: frame, stallTime: stall)
    return Patience(ChannelTerms(.standard, limits, admissionTime: admission), at: now)
  }

  private func at(_ seconds: Double) -> LoopTime { start + .seconds(seconds) }

  @Test func `who owes nothing has no deadline`() {
    #expect(patience.nextDeadline == .never)
  }

  @Test func `without limits nothing is ever late`() {
    var patience = Self.patience(at: start)
    patience.handle(.begun, at: at(0))
    patience.handle(.blocked, at: at(0))
    #expect(patience.nextDeadline == .never)
    #expect(patience.check(.part, at: at(1_000_000)) == nil)
  }

  @Test mutating func `a newcomer has so long and no longer, whatever he sends`() {
    patience = Self.patience(frame: .seconds(10), admission: .seconds(5), at: start)
    #expect(patience.nextDeadline == at(5))
    patience.handle(.begun, at: at(4))
    #expect(patience.nextDeadline == at(5))
    #expect(patience.check(.part, at: at(4.9)) == nil)
    #expect(patience.check(.part, at: at(5)) == .admission)
  }

  @Test mutating func `who is admitted has all the time`() {
    patience = Self.patience(admission: .seconds(5), at: start)
    patience.handle(.admitted, at: at(4))
    #expect(patience.nextDeadline == .never)
    #expect(patience.check(.nothing, at: at(6)) == nil)
  }

  @Test mutating func `a frame has to end so long after it began, however its bytes come`() {
    patience.handle(.begun, at: at(1))
    for second in 2...10 { patience.handle(.continued(second), at: at(Double(second))) }
    #expect(patience.nextDeadline == at(11))
    #expect(patience.check(.part, at: at(10.9)) == nil)
    #expect(patience.check(.part, at: at(11)) == .frame)
  }

  @Test mutating func `the next frame has its own time`() {
    patience.handle(.begun, at: at(1))
    patience.handle(.continued(3), at: at(9))
    patience.handle(.begun, at: at(10))
    #expect(patience.check(.part, at: at(19.9)) == nil)
    #expect(patience.check(.part, at: at(20)) == .frame)
  }

  @Test mutating func `a large frame has its time for each 64 KiB`() {
    patience.handle(.begun, at: at(0))
    patience.handle(.continued(65_535), at: at(9))
    #expect(patience.nextDeadline == at(10))
    patience.handle(.continued(65_536), at: at(9))
    #expect(patience.nextDeadline == at(19))
    patience.handle(.continued(131_071), at: at(18))
    #expect(patience.check(.part, at: at(19)) == .frame)
  }

  @Test mutating func `frames that nobody has taken are not the peer's delay`() {
    patience.handle(.begun, at: at(0))
    #expect(patience.check(.whole, at: at(10)) == nil)
    #expect(patience.nextDeadline == at(20), "it is asked again, for nobody tells when they are taken")
    #expect(patience.check(.part, at: at(20)) == .frame)
  }

  @Test mutating func `when everything has been taken, there is nothing to wait for`() {
    patience.handle(.begun, at: at(0))
    #expect(patience.check(.nothing, at: at(10)) == nil)
    #expect(patience.nextDeadline == .never)
  }

  @Test mutating func `time in which this side was asleep does not count`() {
    patience = Self.patience(frame: .seconds(10), stall: .seconds(2), admission: .seconds(5), at: start)
    patience.handle(.begun, at: at(0))
    patience.handle(.blocked, at: at(0))
    #expect(patience.check(.part, at: at(103.1)) == nil)
    #expect(patience.nextDeadline == at(105.1))
    #expect(patience.check(.part, at: at(105.1)) == .sending)
    patience.handle(.unblocked, at: at(105.1))
    #expect(patience.check(.part, at: at(108.1)) == .admission)
    patience.handle(.admitted, at: at(108.1))
    #expect(patience.check(.part, at: at(113.1)) == .frame)
  }

  @Test mutating func `time in which nothing was read does not count`() {
    patience.handle(.begun, at: at(0))
    patience.handle(.readingAgain, at: at(30))
    #expect(patience.check(.part, at: at(39)) == nil)
    #expect(patience.check(.part, at: at(40)) == .frame)
    patience = Self.patience(frame: .seconds(10), at: start)
    patience.handle(.readingAgain, at: at(30))
    #expect(patience.nextDeadline == .never)
  }

  @Test mutating func `a peer has to take something in time, again and again`() {
    patience.handle(.blocked, at: at(0))
    #expect(patience.nextDeadline == at(2))
    patience.handle(.progressed, at: at(1.5))
    patience.handle(.blocked, at: at(1.6))
    #expect(patience.check(.nothing, at: at(3.4)) == nil)
    #expect(patience.check(.nothing, at: at(3.5)) == .sending)
    patience.handle(.unblocked, at: at(3.5))
    #expect(patience.nextDeadline == .never)
    #expect(patience.check(.nothing, at: at(100)) == nil)
  }
}
