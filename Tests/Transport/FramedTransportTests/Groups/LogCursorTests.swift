import Testing

@testable import FramedTransport

@Suite struct LogCursorTests {
  /// A log of five frames of five bytes.
  private let log: BroadcastLog

  init() throws {
    var log = BroadcastLog(format: .standard)
    for number in 1...5 as ClosedRange<UInt8> { try log.append([number].span) }
    self.log = log
  }

  @Test func `a cursor takes a range only from where it is`() {
    var cursor = LogCursor(at: 5, skips: false)
    cursor.fallBehind()
    #expect(cursor.take(0..<10) == false)
    #expect(cursor.position == 5 && cursor.isLagging)
    #expect(cursor.take(5..<10) == true)
    #expect(cursor.position == 10 && !cursor.isLagging)
  }

  @Test func `a lagging cursor has a backlog unless it skips`() {
    for skips in [false, true] {
      var cursor = LogCursor(at: 10, skips: skips)
      #expect(cursor.backlog(upTo: 25) == 15)
      cursor.fallBehind()
      #expect(cursor.backlog(upTo: 25) == (skips ? 0 : 15))
      #expect(cursor.catchUp().range == 10..<10)
      #expect(!cursor.isLagging)
    }
  }

  @Test func `a cursor that skips goes on with the newest frame when it lags, or what it needs is gone`() {
    for (skips, lags, start) in [(false, true, 5), (true, false, 5), (true, true, 20)] {
      var cursor = LogCursor(at: 5, skips: skips)
      if lags { cursor.fallBehind() }
      #expect(cursor.take(from: log).range == start..<25)
      #expect(cursor.position == 25 && !cursor.isLagging)
    }
    var rest = log
    rest.forget(before: 15, keepsNewest: true)
    for (position, start) in [(10, 20), (15, 15)] {
      var cursor = LogCursor(at: position, skips: true)
      #expect(cursor.take(from: rest).range == start..<25)
    }
    var last = LogCursor(at: 25, skips: true)
    last.fallBehind()
    #expect(last.take(from: log).range == 25..<25)
  }

  @Test(arguments: [(0, 0), (1, 5), (4, 5), (5, 5), (6, 10), (24, 25), (25, 25)])
  func `what could not be sent is put back, except the rest of a frame`(sent: Int, position: Int) {
    var cursor = LogCursor(at: 0, skips: false)
    let portion = cursor.take(from: log)
    cursor.putBack(portion, from: sent)
    #expect(cursor.position == position && cursor.isLagging)
    let kept = portion.prefix(upTo: position)
    #expect(kept.range == 0..<position && kept.pieces(from: sent).reduce(0) { $0 + $1.bytes.count } == position - sent)
  }
}
