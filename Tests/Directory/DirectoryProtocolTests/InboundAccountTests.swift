import Testing
import _BonjourishDirectoryProtocol

/// How much a server may send without a whole message.
struct InboundAccountTests {
  private let start = ContinuousClock.now
  private let limit = UInt64(InboundAccount.limit(maximumPayload: 1 << 20))

  private func account(messages: UInt64 = 7) -> InboundAccount {
    var account = InboundAccount(at: start)
    account.connected(messages: messages, at: start)
    return account
  }

  @Test func `a message that never ends is too much, and as large a one that does is not`() {
    var account = account()
    #expect(!account.isExceeded(limit, maximumPayload: 1 << 20))
    #expect(account.isExceeded(limit + 1, maximumPayload: 1 << 20))
    for count in 1...100 as ClosedRange<UInt64> {
      account.note(count << 20, messages: 7 + count, at: start)
      #expect(!account.isExceeded((count << 20) + (1 << 20), maximumPayload: 1 << 20))
    }
    #expect(account.isExceeded((100 << 20) + limit + 1, maximumPayload: 1 << 20))
  }

  @Test func `what a server says it takes counts up to 8 MiB`() {
    #expect(InboundAccount.limit(maximumPayload: 0) == InboundAccount.limit(maximumPayload: 1 << 20))
    #expect(InboundAccount.limit(maximumPayload: .max) == InboundAccount.limit(maximumPayload: 8 << 20))
    #expect(account().isExceeded(9 << 20, maximumPayload: .max))
    #expect(!account().isExceeded(8 << 20, maximumPayload: .max))
  }

  @Test func `answers to pings add up to nothing`() {
    var account = account()
    // 2 bytes a second for 116 days, looked at once an hour.
    for hour in 1...2_777 as ClosedRange<UInt64> {
      account.note(hour * 7_200, messages: 7, at: start + .seconds(Int(hour) * 3_600))
    }
    #expect(!account.isReceiving(20_000_000))
    #expect(!account.isReceiving(2_777 * 7_200 + UInt64(InboundAccount.slack)))
    #expect(account.isReceiving(2_777 * 7_200 + UInt64(InboundAccount.slack) + 1))
    #expect(!account.isExceeded(20_000_000, maximumPayload: 1 << 20))
  }

  @Test(arguments: [29_999, 30_000]) func `without a whole message, counting begins anew after thirty seconds`(
    milliseconds: Int
  ) {
    var account = account()
    account.note(1_000, messages: 7, at: start + .milliseconds(milliseconds))
    let slack = UInt64(InboundAccount.slack)
    let mark: UInt64 = milliseconds < 30_000 ? 0 : 1_000
    #expect(account.isReceiving(mark + slack + 1) && !account.isReceiving(mark + slack))
    // What the system counts less than before is nothing.
    account.disconnected(0)
    #expect(
      !account.isExceeded(mark + limit, maximumPayload: 1 << 20)
        && account.isExceeded(mark + limit + 1, maximumPayload: 1 << 20))
  }

  @Test func `parts of messages on many connections add up`() {
    var account = account()
    for _ in 1...4 {
      account.note(1_000, messages: 8, at: start)
      account.disconnected(251_000)
      account.connected(messages: 8, at: start)
      #expect(!account.isExceeded(0, maximumPayload: 1 << 20))
    }
    #expect(account.isExceeded(limit - 999_999, maximumPayload: 1 << 20))
  }

  @Test func `connections that are lost before they are counted add up slowly`() {
    var account = account()
    for _ in 1...20 { account.missed() }
    #expect(!account.isExceeded(0, maximumPayload: 1 << 20))
    account.missed()
    #expect(account.isExceeded(0, maximumPayload: 1 << 20))
  }

  @Test func `a connection that has lasted an hour begins a new row of cuts`() {
    #expect(InboundAccount.cutsInARow(0, lasted: .zero) == 1)
    #expect(InboundAccount.cutsInARow(6, lasted: .seconds(3_599)) == 7)
    #expect(InboundAccount.cutsInARow(7, lasted: .seconds(3_600)) == 1)
  }

  @Test func `each time costs a longer pause, and the last has no end`() {
    #expect(InboundAccount.pause(after: 1) == .seconds(60))
    #expect(InboundAccount.pause(after: 2) == .seconds(120))
    #expect(InboundAccount.pause(after: InboundAccount.mostCuts - 1) == .seconds(3_840))
    #expect(InboundAccount.pause(after: InboundAccount.mostCuts) == nil)
  }
}
