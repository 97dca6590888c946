import CBonjourishNATS
import Testing
import _BonjourishDirectoryProtocol

@testable import BonjourishDirectory

/// What comes from the library's thread is taken in parts, each in a tick of its own.
struct RelayInboxTests {
  /// Messages of the library need it open, as it is where there is a connection.
  init() throws { try #require(nats_Open(-1) == NATS_OK) }

  @Test func `messages without payload are taken a bounded number at a time, in order`() throws {
    let inbox = RelayInbox()
    var pointer: OpaquePointer?
    #expect(natsMsg_Create(&pointer, "relay", nil, "x", 1) == NATS_OK)
    let body = try #require(NATSMessage(pointer))
    let connection = RelayNumber.random()
    for number in 0..<600 {
      inbox.put(RelayMessage(.data, isFromDialer: true, of: connection, offset: UInt64(number)), body)
    }
    inbox.putNobodyListens()
    var taken: [UInt64?] = []
    for expected in [(256, true), (256, true), (89, false), (0, false)] {
      let (arrivals, isMore) = inbox.take(atMost: 256)
      #expect(arrivals.count == expected.0 && isMore == expected.1)
      taken += arrivals.map { if case .message(let message, _) = $0 { message.offset } else { nil } }
    }
    #expect(taken == (0..<600).map { UInt64($0) } + [nil])
  }
}
