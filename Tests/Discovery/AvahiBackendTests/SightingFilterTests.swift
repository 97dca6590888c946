#if Avahi
import _BonjourishDiscovery
import Testing

@testable import _BonjourishAvahiBackend

/// What is told of the things that are found on all interfaces.
@Suite struct SightingFilterTests {
  private let eth0 = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)
  private let docker0 = Link(NetworkInterface(index: 3, name: "docker0"), .ipv4)
  private var filter = SightingFilter<String>()

  @Test mutating func `what is found on a link that does not count is not told`() {
    let appearances = [
      filter.appeared("Ada", on: eth0, counts: true), filter.appeared("Ada", on: docker0, counts: false),
    ]
    #expect(appearances == [true, false])
    let losses = [filter.vanished("Ada", from: docker0), filter.vanished("Ada", from: eth0)]
    #expect(losses == [false, true])
  }

  @Test mutating func `what is known of a link is told when it begins to count and taken back when it ends`() {
    _ = filter.appeared("Ada", on: eth0, counts: true)
    _ = filter.appeared("Bob", on: docker0, counts: false)
    var changes = filter.refresh { $0 == self.docker0 }
    #expect(changes.appeared.map(\.0) == ["Bob"] && changes.appeared.map(\.1) == [docker0])
    #expect(changes.vanished.map(\.0) == ["Ada"] && changes.vanished.map(\.1) == [eth0])
    changes = filter.refresh { _ in true }
    #expect(changes.appeared.map(\.0) == ["Ada"] && changes.vanished.isEmpty)
  }

  @Test mutating func `what is gone is not told when its link begins to count`() {
    _ = filter.appeared("Bob", on: docker0, counts: false)
    _ = filter.vanished("Bob", from: docker0)
    let changes = filter.refresh { _ in true }
    #expect(changes.appeared.isEmpty && changes.vanished.isEmpty)
    _ = filter.appeared("Bob", on: docker0, counts: true)
    filter.clear()
    let isTold = filter.vanished("Bob", from: docker0)
    #expect(!isTold)
  }
}
#endif
