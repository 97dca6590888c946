import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import BonjourishDirectory
@testable import _BonjourishDirectoryProtocol

/// What follows a directory, and the operations that use it, without a connection.
@Suite(.timeLimit(.minutes(1))) struct DirectoryFollowerTests {
  private static let instance = ServiceInstance("Ada", type: "_game._tcp")
  private static let key = DirectoryKey(region: Region("world")!, type: "_game._tcp", name: "Ada")
  private static let away = DiscoveryError(.unavailable, "it is away")

  private static func settings(shard: Int? = nil) throws -> DirectorySettings {
    var configuration = DirectoryConfiguration(servers: ["nats://127.0.0.1:1"])
    configuration.shard = shard
    return try DirectorySettings(configuration)
  }

  /// What operations were told. Sendable: used on the loop only.
  private final class Told: @unchecked Sendable {
    var events: [LookupEvent] = []

    func lookup() -> DirectoryUser {
      DirectoryUser(question: RecordQuestion(.instance(DirectoryFollowerTests.instance), .srv), key: DirectoryFollowerTests.key)
      {
        [unowned self] in events.append($0)
      }
    }

    func browse() throws -> DirectoryUser {
      DirectoryUser(question: try BrowseQuery("_game._tcp", domain: .local).question(), key: nil) { [unowned self] in
        events.append($0)
      }
    }
  }

  /// A loop that runs a part of a test.
  private actor Runner {
    let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init() throws { loop = try EventLoop(name: "test") }

    func run(_ body: (EventLoop, Told) throws -> Void) throws { try body(loop, Told()) }
  }

  /// Runs a test on a loop, which followers are confined to.
  private func onLoop(_ body: @escaping @Sendable (EventLoop, Told) throws -> Void) async throws {
    let runner = try Runner()
    try await runner.run(body)
    await runner.loop.shutdown()
  }

  private static func metrics(_ count: (inout DiscoveryMetrics) -> Void) -> DiscoveryMetrics {
    var metrics = DiscoveryMetrics()
    count(&metrics)
    return metrics
  }

  @Test func `a lookup is told of the loss, also if it comes later, and counted until it ends`() async throws {
    try await onLoop { loop, told in
      let reader = DirectoryReader(Self.key, try Self.settings(), on: loop) { Issue.record("the bucket is not missing") }
      let (one, other) = (OperationID(), OperationID())
      #expect(reader.isUnused)
      reader.add(told.lookup(), as: one)
      #expect(told.events == [] && !reader.isUnused)
      reader.disconnect(Self.away)
      reader.disconnect(Self.away)
      #expect(told.events == [.interrupted(Self.away)])
      reader.add(told.lookup(), as: other)
      #expect(told.events == [.interrupted(Self.away), .interrupted(Self.away)])
      let counted = Self.metrics { reader.count(in: &$0) }
      #expect(counted.lookups == 2 && counted.browsers == 0 && counted.directory.watches == 1 && counted.directory.records == 0)
      #expect(reader.remove(one) && !reader.remove(one) && !reader.remove(OperationID()) && !reader.isUnused)
      #expect(Self.metrics { reader.count(in: &$0) }.lookups == 1)
      #expect(reader.remove(other) && reader.isUnused && Self.metrics { reader.count(in: &$0) }.lookups == 0)
      reader.add(told.lookup(), as: one)
      reader.stop()
      #expect(reader.isUnused)
    }
  }

  @Test func `a watch counts those who browse and those who look up, and has the lookups of its shard`() async throws {
    try await onLoop { loop, told in
      func makeWatch(_ shard: Int?) throws -> DirectoryWatch {
        DirectoryWatch(
          "_game._tcp", number: 1, try Self.settings(shard: shard), on: loop, limits: Watch.Limits(),
          missing: { Issue.record("the bucket is not missing") }, full: { Issue.record("the bucket is not full") })
      }
      let watch = try makeWatch(nil)
      let (browse, lookup) = (OperationID(), OperationID())
      watch.add(try told.browse(), as: browse)
      watch.add(told.lookup(), as: lookup)
      let counted = Self.metrics { watch.count(in: &$0) }
      #expect(counted.browsers == 1 && counted.lookups == 1)
      watch.disconnect(Self.away)
      #expect(told.events == [.interrupted(Self.away), .interrupted(Self.away)])
      #expect(watch.remove(lookup) && !watch.isUnused && watch.remove(browse) && watch.isUnused && !watch.remove(browse))
      watch.stop()
      let (shard, others) = (Self.key.shard, Self.key.shard == 0 ? 1 : 0)
      #expect(watch.covers(Self.key))
      for (number, isCovered) in [(shard, true), (others, false)] {
        let one = try makeWatch(number)
        #expect(one.covers(Self.key) == isCovered)
        one.stop()
      }
    }
  }

  @Test func `what a watch has counted is added to what was counted before`() {
    var counters = Watch.Counters()
    (counters.messages, counters.renewals, counters.crowdedOut, counters.listings) = (1, 2, 3, 4)
    counters.flaws = [.notJSON: 5, .tooLarge: 6]
    var metrics = DirectoryMetrics()
    for count in 1...2 {
      metrics.add(counters)
      #expect(metrics.messages == count && metrics.renewals == 2 * count && metrics.crowdedOut == 3 * count)
      #expect(metrics.listings == 4 * count && metrics.malformed == 11 * count)
    }
    #expect(metrics.connections == 0 && metrics.watches == 0 && metrics.records == 0)
  }

  @Test func `handlers run in order on their loop, together for each tick`() async throws {
    let (loop, home) = (try EventLoop(name: "test"), try EventLoop(name: "home"))
    let queue = HandlerQueue(to: home, from: loop)
    let (numbers, number) = AsyncStream<Int>.makeStream()
    for tick in 0..<3 {
      await withCheckedContinuation { continuation in
        loop.execute {
          for place in 0..<3 {
            queue.enqueue {
              home.assertIsCurrent()
              number.yield(3 * tick + place)
            }
          }
          continuation.resume()
        }
      }
    }
    var iterator = numbers.makeAsyncIterator()
    for expected in 0..<9 { #expect(await iterator.next() == expected) }
    await loop.shutdown()
    await home.shutdown()
  }
}
