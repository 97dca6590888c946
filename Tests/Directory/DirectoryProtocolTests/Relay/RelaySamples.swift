import Testing
import _BonjourishDirectoryProtocol

/// Ends of a relayed connection, and messages of the other side.
struct RelaySamples {
  static let beginning = ContinuousClock.now
  static let id = RelayNumber(high: 3, low: 4)
  static let own = RelayNumber(high: 1, low: 1)
  static let other = RelayNumber(high: 2, low: 2)
  let start = beginning

  func message(
    _ kind: RelayMessage.Kind, fromDialer: Bool = false, flags: RelayMessage.Flags = [], reason: RelayMessage.Reason? = nil,
    offset: UInt64 = 0, acknowledged: UInt64 = 0, limit: UInt64 = 1_000_000
  ) -> RelayMessage {
    RelayMessage(
      kind, isFromDialer: fromDialer, of: Self.id, flags: flags, reason: reason, offset: offset, acknowledged: acknowledged,
      limit: limit, address: kind == .dial || kind == .accept ? Self.other : nil)
  }

  func dialer() -> RelayLink { RelayLink(dialing: 9, as: Self.own, connection: Self.id, at: start) }

  func open() -> RelayLink {
    var link = dialer()
    _ = link.start(at: start)
    #expect(link.receive(message(.accept), at: start) == [.opened])
    return link
  }

  func acceptor() -> RelayLink {
    var link = RelayLink(accepting: message(.dial, fromDialer: true, offset: 9), as: Self.own, at: start)
    _ = link.start(at: start)
    return link
  }

  /// The messages in effects.
  func sent(_ effects: [RelayLink.Effect]) -> [RelayMessage] {
    effects.compactMap { effect in
      switch effect {
      case .dial(let bytes), .send(let bytes): RelayMessage(reading: bytes.span)
      case .take, .opened, .ended, .ignored, .gone: nil
      }
    }
  }

  func send(_ count: Int, by link: inout RelayLink, at now: ContinuousClock.Instant) -> [RelayLink.Effect] {
    link.send(link.header(forSending: count) + [UInt8](repeating: 7, count: count), at: now)
  }
}
