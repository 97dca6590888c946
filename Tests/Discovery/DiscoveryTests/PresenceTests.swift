import Testing

@testable import _BonjourishDiscovery

struct PresenceTests {
  private let start = ContinuousClock.now
  private var browser = BrowserState(tellsDoubts: true)

  private mutating func handle(_ events: BrowseEvent...) -> [BrowseChange] {
    events.flatMap { browser.handle($0, at: start) }
  }

  private func doubted(_ presence: DiscoveredService.Presence, on interfaces: NetworkInterface...) -> DiscoveredService {
    DiscoveredService(instance: ada, interfaces: interfaces, presence: presence)
  }

  @Test mutating func `a goodbye is reported once, then the loss`() {
    _ = handle(.appeared(ada, eth0v4))
    #expect(handle(.doubted(ada, eth0v4, .leaving)) == [.updated(doubted(.leaving, on: eth0))])
    #expect(handle(.doubted(ada, eth0v4, .leaving)) == [])
    #expect(handle(.vanished(ada, eth0v4)) == [.lost(doubted(.leaving, on: eth0))])
    #expect(handle(.doubted(ada, eth0v4, .leaving)) == [], "gone already")
    #expect(handle(.appeared(ada, eth0v4)) == [.found(seen(ada, on: eth0))])
  }

  @Test mutating func `an instance seen on another link is not in doubt`() {
    _ = handle(.appeared(ada, eth0v4), .appeared(ada, wlan0v4))
    #expect(handle(.doubted(ada, wlan0v4, .leaving)) == [])
    #expect(handle(.doubted(ada, eth0v4, .suspect)) == [.updated(doubted(.suspect, on: eth0, wlan0))], "the lesser doubt")
    #expect(handle(.doubted(ada, eth0v4, .leaving)) == [.updated(doubted(.leaving, on: eth0, wlan0))])
    #expect(handle(.vanished(ada, wlan0v4)) == [.updated(doubted(.leaving, on: eth0))])
    #expect(handle(.appeared(ada, wlan0v4)) == [.updated(seen(ada, on: eth0, wlan0))])
    #expect(handle(.doubted(ada, eth0v6, .leaving)) == [], "never seen there")
  }

  @Test mutating func `the end of a doubt is reported`() {
    _ = handle(.appeared(ada, eth0v4), .doubted(ada, eth0v4, .suspect))
    #expect(handle(.doubted(ada, eth0v4, .present)) == [.updated(seen(ada, on: eth0))])
    #expect(handle(.doubted(ada, eth0v4, .present)) == [])
    _ = handle(.doubted(ada, eth0v4, .leaving))
    #expect(handle(.appeared(ada, eth0v4)) == [.updated(seen(ada, on: eth0))])
  }

  @Test mutating func `an interruption clears doubts until there are new ones`() {
    _ = handle(.appeared(ada, eth0v4), .doubted(ada, eth0v4, .suspect))
    #expect(handle(.interrupted(daemonIsGone)) == [.interrupted(daemonIsGone), .updated(seen(ada, on: eth0))])
    #expect(handle(.doubted(ada, eth0v4, .leaving), .restored) == [.restored])
    #expect(handle(.appeared(ada, eth0v4)) == [])
    #expect(handle(.doubted(ada, eth0v4, .leaving)) == [.updated(doubted(.leaving, on: eth0))])
  }

  @Test mutating func `hints are not reported without a request`() {
    browser = BrowserState()
    _ = handle(.appeared(ada, eth0v4))
    #expect(handle(.doubted(ada, eth0v4, .leaving), .doubted(ada, eth0v4, .suspect), .doubted(ada, eth0v4, .present)) == [])
    #expect(handle(.vanished(ada, eth0v4)) == [.lost(seen(ada, on: eth0))])
  }

  @Test func `waiting hints take no room of their own`() {
    var pending = PendingChanges<DiscoveredService>()
    pending.append(.found(seen(ada, on: eth0)))
    for presence in [DiscoveredService.Presence.leaving, .present, .suspect] {
      pending.append(.updated(doubted(presence, on: eth0)))
    }
    #expect(pending.count == 1)
    #expect(pending.popFirst() == .found(doubted(.suspect, on: eth0)))
    pending.append(.updated(doubted(.leaving, on: eth0)))
    pending.append(.lost(doubted(.leaving, on: eth0)))
    #expect(pending.popFirst() == .lost(doubted(.leaving, on: eth0)))
    #expect(pending.isEmpty)
  }
}
