import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

private let lan = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)
private let far = Link(.directory("world"), .ipv4)
private let lost = DiscoveryError(.unavailable, "lost")
private let game = ServiceInstance("Game", type: "_game._tcp")
private let other = ServiceInstance("Other", type: "_game._tcp")

private func pointer(_ instance: ServiceInstance, _ link: Link) -> ResourceRecord {
  ResourceRecord(name: "_game._tcp.local", type: .ptr, bytes: try! instance.fullName.wire, on: link)
}
private func appeared(_ instance: ServiceInstance, _ link: Link) -> LookupEvent { .added(pointer(instance, link)) }
private func vanished(_ instance: ServiceInstance, _ link: Link) -> LookupEvent { .removed(pointer(instance, link)) }

@Suite struct CombinedBrowseTests {
  private let start = ContinuousClock.now
  private var browse = CombinedBrowse()

  private mutating func hear(_ event: LookupEvent, _ side: CombinedSide, after seconds: Int = 0) -> [LookupEvent] {
    browse.handle(event, from: side, at: start + .seconds(seconds))
  }

  @Test mutating func `an instance of both sides has both links, and all is settled when both are`() {
    #expect(hear(appeared(game, far), .directory) == [appeared(game, far)])
    #expect(hear(.settled, .directory).isEmpty)
    #expect(hear(appeared(game, lan), .local) == [appeared(game, lan)])
    #expect(hear(.settled, .local) == [.settled])
    #expect(hear(vanished(game, lan), .local) == [vanished(game, lan)])
  }

  @Test mutating func `a lost directory takes its own instances away after five seconds, and no others`() {
    _ = hear(appeared(game, lan), .local)
    _ = hear(appeared(other, far), .directory)
    _ = hear(.settled, .local)
    #expect(hear(.interrupted(lost), .directory) == [.settled])
    #expect(browse.nextDeadline == start + .seconds(5))
    #expect(browse.advance(to: start + .seconds(5)) == [vanished(other, far)])
    #expect(hear(.restarted, .directory, after: 6).isEmpty)
    #expect(hear(appeared(other, far), .directory, after: 6) == [appeared(other, far)])
    #expect(hear(.settled, .directory, after: 6) == [.settled])
  }

  /// The directory is back after a second, and settles with one of the two that it had.
  private mutating func loseDirectory() {
    _ = hear(.settled, .local)
    for instance in [game, other] { _ = hear(appeared(instance, far), .directory) }
    _ = hear(.settled, .directory)
    _ = hear(.interrupted(lost), .directory, after: 1)
    _ = hear(.restarted, .directory, after: 2)
    _ = hear(appeared(game, far), .directory, after: 2)
    #expect(hear(.settled, .directory, after: 2).isEmpty)
  }

  @Test mutating func `a directory that is back soon takes nothing away but what is gone`() {
    loseDirectory()
    #expect(browse.advance(to: start + .seconds(7)) == [vanished(other, far), .settled])
  }

  @Test mutating func `a side that is back is settled when the last of what is missing is seen`() {
    loseDirectory()
    #expect(hear(appeared(other, far), .directory, after: 3) == [appeared(other, far), .settled])
  }

  @Test mutating func `only when both are away it is an interruption`() {
    #expect(hear(.interrupted(lost), .directory).isEmpty)
    #expect(hear(.interrupted(lost), .local) == [.interrupted(lost)])
    #expect(hear(.restarted, .local) == [.restarted])
    #expect(hear(.settled, .local) == [.settled])
  }

  @Test mutating func `endpoints and doubts are passed on, and what was not seen does not vanish`() {
    let endpoint = Endpoint(host: "h.local", port: 1, txt: [:], addresses: [])
    let described = LookupEvent.described(game, endpoint, .directory("world"))
    let doubted = LookupEvent.doubted(pointer(game, lan), .suspect)
    #expect(hear(described, .directory) == [described] && hear(doubted, .local) == [doubted])
    #expect(hear(.cacheExhausted, .local) == [] && hear(vanished(game, far), .directory) == [])
    _ = hear(appeared(game, far), .directory)
    // Each side has what it has seen itself.
    #expect(hear(vanished(game, far), .local) == [])
    #expect(hear(vanished(game, far), .directory) == [vanished(game, far)])
  }

  @Test mutating func `what vanishes together is told in order`() {
    let far6 = Link(.directory("world"), .ipv6)
    for (instance, link) in [(other, far), (game, far6), (game, far)] { _ = hear(appeared(instance, link), .directory) }
    #expect(hear(.failed(lost), .directory) == [vanished(game, far), vanished(game, far6), vanished(other, far)])
  }

  @Test mutating func `a side that fails while the other is away is an interruption, once`() {
    #expect(hear(.interrupted(lost), .local).isEmpty)
    #expect(hear(.failed(lost), .directory) == [.interrupted(lost)])
    #expect(hear(.interrupted(lost), .local).isEmpty)
    #expect(hear(.restarted, .local, after: 1) == [.restarted])
    #expect(hear(.settled, .local, after: 1) == [.settled] && hear(.settled, .local, after: 1).isEmpty)
  }

  @Test mutating func `a side that cannot have the browse leaves it to the other`() {
    _ = hear(appeared(game, far), .directory)
    #expect(hear(.failed(lost), .directory) == [vanished(game, far)])
    #expect(hear(.settled, .local) == [.settled])
    #expect(hear(.failed(lost), .local) == [.failed(lost)])
  }
}

@Suite struct CombinedLookupTests {
  fileprivate var lookup = CombinedLookup()

  fileprivate func record(_ link: Link, _ text: String) -> ResourceRecord {
    ResourceRecord(
      name: .local, type: .txt, bytes: [UInt8(text.utf8.count)] + text.utf8, on: link)
  }

  fileprivate mutating func hear(_ event: LookupEvent, _ side: CombinedSide) -> [LookupEvent] {
    lookup.handle(event, from: side, at: .now)
  }

  @Test mutating func `the directory answers while the local network does not`() {
    let (here, there) = (record(lan, "here"), record(far, "there"))
    #expect(hear(.added(there), .directory) == [.added(there)])
    #expect(hear(.settled, .directory).isEmpty)
    #expect(hear(.added(here), .local) == [.removed(there), .added(here)])
    #expect(hear(.settled, .local) == [.cacheExhausted, .settled])
    // An imitation in the directory stays unseen.
    let imitation = record(far, "elsewhere")
    #expect(hear(.added(imitation), .directory).isEmpty)
    #expect(hear(.removed(imitation), .directory).isEmpty)
    #expect(hear(.removed(here), .local) == [.removed(here), .added(there)])
  }

  @Test mutating func `a question that the directory cannot answer is one of the local network`() {
    let here = record(lan, "here")
    #expect(hear(.failed(lost), .directory).isEmpty)
    #expect(hear(.added(here), .local) == [.added(here)])
    #expect(hear(.cacheExhausted, .local) == [.cacheExhausted])
    #expect(hear(.interrupted(lost), .local) == [.interrupted(lost)])
    #expect(hear(.restarted, .local) == [.restarted])
    #expect(hear(.added(here), .local) == [.added(here)])
  }

  @Test mutating func `an answer that is told again is passed on if it counts, and doubts are not told`() {
    let (here, there) = (record(lan, "here"), record(far, "there"))
    for _ in 0..<2 { #expect(hear(.added(there), .directory) == [.added(there)]) }
    #expect(hear(.doubted(there, .suspect), .directory).isEmpty)
    _ = hear(.added(here), .local)
    #expect(hear(.added(there), .directory).isEmpty && hear(.added(here), .local) == [.added(here)])
    // Two answers of one side are both told.
    let second = record(lan, "second")
    #expect(hear(.added(second), .local) == [.added(second)])
    #expect(hear(.removed(here), .local) == [.removed(here)])
  }

  @Test mutating func `all that was known is told when both have told it, or are away`() {
    #expect(hear(.cacheExhausted, .local).isEmpty)
    #expect(hear(.cacheExhausted, .directory) == [.cacheExhausted])
    #expect(hear(.settled, .local).isEmpty && hear(.failed(lost), .directory) == [.settled])
    #expect(hear(.failed(lost), .local) == [.failed(lost)])
  }

  @Test mutating func `a restart of one side removes its answers only`() {
    let there = record(far, "there")
    _ = hear(.added(there), .directory)
    #expect(hear(.interrupted(lost), .directory).isEmpty)
    #expect(hear(.restarted, .directory) == [.removed(there)])
    #expect(hear(.added(there), .directory) == [.added(there)])
  }
}

extension CombinedLookupTests {
  @Test mutating func `answers of a side that is away count for five seconds`() {
    let start = ContinuousClock.now
    var lookup = CombinedLookup()
    let (here, there) = (record(lan, "here"), record(far, "there"))
    _ = lookup.handle(.added(here), from: .local, at: start)
    #expect(lookup.handle(.added(there), from: .directory, at: start).isEmpty)
    #expect(lookup.handle(.interrupted(lost), from: .local, at: start).isEmpty)
    #expect(lookup.nextDeadline == start + .seconds(5))
    // Told again, it is not kept for longer.
    #expect(lookup.handle(.interrupted(lost), from: .local, at: start + .seconds(3)).isEmpty)
    #expect(lookup.advance(to: start + .seconds(4)).isEmpty)
    #expect(lookup.advance(to: start + .seconds(5)) == [.removed(here), .added(there)])
    #expect(lookup.nextDeadline == nil)
    #expect(lookup.handle(.restarted, from: .local, at: start + .seconds(6)).isEmpty)
    #expect(lookup.handle(.added(here), from: .local, at: start + .seconds(6)) == [.removed(there), .added(here)])
  }

  @Test mutating func `while both sides are away nothing is dropped`() {
    let start = ContinuousClock.now
    var lookup = CombinedLookup()
    let here = record(lan, "here")
    _ = lookup.handle(.added(here), from: .local, at: start)
    _ = lookup.handle(.interrupted(lost), from: .local, at: start)
    #expect(lookup.handle(.interrupted(lost), from: .directory, at: start) == [.interrupted(lost)])
    #expect(lookup.advance(to: start + .seconds(5)).isEmpty && lookup.nextDeadline == nil)
  }

  @Test mutating func `a side that fails while the other is away interrupts, and settles nothing`() {
    _ = hear(.interrupted(lost), .local)
    #expect(hear(.failed(lost), .directory) == [.interrupted(lost)])
    #expect(hear(.restarted, .local) == [.restarted])
    #expect(hear(.settled, .local) == [.cacheExhausted, .settled])
  }
}

@Suite struct CombinedPublicationTests {
  private let service = Registration("Game", type: "_game._tcp", domain: .local, port: 1, txt: [:])
  private var publication = CombinedPublication(
    Registration("Game", type: "_game._tcp", domain: .local, port: 1, txt: [:]), on: [.local, .directory])

  @Test mutating func `it is established when both sides have it`() {
    #expect(publication.start() == [.publish(.local, service), .publish(.directory, service)])
    #expect(publication.handle(.established("Game"), from: .directory).isEmpty)
    #expect(publication.handle(.established("Game"), from: .local) == [.report(.established("Game"))])
    #expect(publication.update(["a": "1"]) == [.update(.local, ["a": "1"]), .update(.directory, ["a": "1"])])
  }

  @Test mutating func `a new name on one side is the name on both`() {
    _ = publication.start()
    _ = publication.handle(.established("Game"), from: .local)
    let renamed = service.renamed(to: "Game #2")
    #expect(
      publication.handle(.renamed(from: "Game", to: "Game #2"), from: .directory) == [
        .report(.renamed(from: "Game", to: "Game #2")), .end(.local), .publish(.local, renamed),
      ])
    #expect(publication.handle(.established("Game #2"), from: .directory).isEmpty)
    #expect(publication.handle(.established("Game #2"), from: .local) == [.report(.established("Game #2"))])
  }

  @Test mutating func `one side is enough while the other is away`() {
    _ = publication.start()
    #expect(publication.handle(.interrupted(lost), from: .directory).isEmpty)
    #expect(publication.handle(.established("Game"), from: .local) == [.report(.established("Game"))])
    #expect(publication.handle(.established("Game"), from: .directory).isEmpty)
    #expect(publication.handle(.interrupted(lost), from: .local).isEmpty)
    #expect(publication.handle(.interrupted(lost), from: .directory) == [.report(.interrupted(lost))])
    #expect(publication.handle(.established("Game"), from: .directory) == [.report(.established("Game"))])
  }

  @Test mutating func `each interruption is told, also one that follows another that is over`() {
    _ = publication.start()
    _ = publication.handle(.interrupted(lost), from: .local)
    for _ in 1...2 {
      #expect(publication.handle(.established("Game"), from: .directory) == [.report(.established("Game"))])
      #expect(publication.handle(.interrupted(lost), from: .directory) == [.report(.interrupted(lost))])
    }
  }

  @Test mutating func `a failure on one side ends it on both`() {
    _ = publication.start()
    #expect(publication.handle(.failed(lost), from: .directory) == [.end(.local), .report(.failed(lost))])
    #expect(publication.handle(.established("Game"), from: .local).isEmpty)
  }
}
