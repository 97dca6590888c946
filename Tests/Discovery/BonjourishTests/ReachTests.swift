import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

/// Where a browser says that it reaches the network.
@Suite(.timeLimit(.minutes(1))) struct ReachTests {
  private let backend: FakeBackend
  private let bonjour: Bonjour
  private let link = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: ManualTime().clock)
  }

  private func reach(_ state: Reach.State) -> Reach { Reach([Reach.Item(link, state)]) }

  @Test func `the reach is followed from the first question to the end of the scope`() async throws {
    try await bonjour.withBrowser(for: "_x._tcp", interfaces: "eth0") { browser in
      #expect(backend.followedReaches.isEmpty)
      var changes = browser.reachChanges.makeAsyncIterator()
      async let first = changes.next()
      await backend.follows { $0 == ["eth0"] }
      await backend.sayReach(reach(.unproven))
      #expect(await first == reach(.unproven))
      // One that is asked later knows it at once.
      #expect(await browser.reach == reach(.unproven))
      await backend.sayReach(reach(.unproven))
      await backend.sayReach(reach(.works))
      #expect(await browser.reach == reach(.works))
    }
    #expect(backend.followedReaches.isEmpty)
  }

  @Test func `a slow consumer gets the latest reach and the sequence ends with the scope`() async throws {
    let changes = try await bonjour.withBrowser(for: "_x._tcp") { browser in
      var changes = browser.reachChanges.makeAsyncIterator()
      async let first = changes.next()
      await backend.follows { $0 == [.all] }
      await backend.sayReach(reach(.unproven))
      _ = await first
      await backend.sayReach(reach(.unproven))
      await backend.sayReach(reach(.works))
      #expect(await changes.next() == reach(.works))
      return browser.reachChanges
    }
    for await _ in changes { Issue.record("the browser has ended") }
  }

  @Test func `the reach is followed without an operation, and ends with the closure`() async throws {
    struct Oops: Error {}
    for fails in [false, true] {
      var ended: ReachChanges?
      do {
        let first = try await bonjour.withReach(of: "eth0") { changes in
          ended = changes
          var iterator = changes.makeAsyncIterator()
          async let first = iterator.next()
          await backend.follows { $0 == ["eth0"] }
          await backend.sayReach(reach(.unproven))
          let reach = await first
          if fails { throw Oops() }
          return reach
        }
        #expect(first == reach(.unproven) && !fails)
      } catch is Oops {
        #expect(fails)
      }
      #expect(backend.followedReaches.isEmpty)
      var rest = ended?.makeAsyncIterator()
      #expect(await rest?.next() == nil)
    }
  }
}
