import Testing
import _BonjourishMulticastDNS

/// When a browser has heard from all that answer at once, and how much is missing then if datagrams are lost.
@Suite struct SettlingTests {
  private static let services = 20

  /// The mean number of services that are known when the question settles, and the longest time that takes.
  private func figures(loss: Double, seeds: Range<UInt64>) -> (found: Double, longest: Duration) {
    var found = 0
    var times: [Duration] = []
    for seed in seeds {
      let network = VirtualNetwork(seed: seed)
      for number in 0..<Self.services { _ = network.addHost("host-\(number).local").publish("service \(number)") }
      network.run(for: .seconds(10))
      let browser = network.addHost()
      network.conditions.loss = loss
      let start = network.now
      let browse = browser.ask("_x._tcp.local", .ptr)
      while !browser.was(.settled(browse)) { network.run(for: .milliseconds(50)) }
      found += browser.pointers(browse).count
      times.append(network.now - start)
    }
    return (Double(found) / Double(times.count), times.max()!)
  }

  @Test func `a question waits for the answers to its repetition even on a busy machine`() {
    let pointer = DNSRecord("_x._tcp.local", .ptr("a._x._tcp.local"), timeToLive: 4500)
    let engine = LoneEngine()
    engine.do(.ask(.init(1), "_x._tcp.local", .ptr))
    engine.run(for: .milliseconds(900))
    #expect(engine.questions("_x._tcp.local", .ptr).count == 1)
    // The program gets no time while both the repetition and the settling come due.
    engine.stall(for: .seconds(1))
    engine.run(for: .milliseconds(300))
    #expect(engine.questions("_x._tcp.local", .ptr).count == 2)
    engine.hear(pointer)
    #expect(engine.effects == [.cacheExhausted(.init(1)), .answer(.init(1), .added(pointer, engine.link))])
    engine.run(for: .seconds(8))
    #expect(engine.effects.last == .settled(.init(1)))
  }

  @Test func `an answer to the repetition may take as long as one to the first query`() {
    for delay in [20, 120, 350] {
      let pointer = DNSRecord("_x._tcp.local", .ptr("a._x._tcp.local"), timeToLive: 4500)
      let engine = LoneEngine()
      engine.do(.ask(.init(1), "_x._tcp.local", .ptr))
      while engine.questions("_x._tcp.local", .ptr).count < 2 { engine.run(for: .milliseconds(1)) }
      engine.run(for: .milliseconds(delay))
      #expect(!engine.effects.contains(.settled(.init(1))))
      engine.hear(pointer)
      engine.run(for: .seconds(8))
      #expect(engine.effects.contains(.settled(.init(1))))
    }
  }

  // avahi-daemon counts what one program knows for all of its host.
  @Test(arguments: [
    // Milliseconds since the repetition; of the last query before it is settled.
    (-650, true, 3), (-100, true, 3), (100, true, 3), (-750, true, 2), (100, false, 2),
  ]) func `a question that a program of this host keeps from being answered is repeated`(
    delay: Int, isOfThisHost: Bool, queries: Int
  ) {
    let pointer = DNSRecord("_x._tcp.local", .ptr("a._x._tcp.local"), timeToLive: 4500)
    let engine = LoneEngine()
    func count() -> Int { engine.questions("_x._tcp.local", .ptr).count }
    engine.do(.ask(.init(1), "_x._tcp.local", .ptr))
    while count() < 1 { engine.run(for: .milliseconds(1)) }
    engine.run(for: .milliseconds(1000 + delay))
    engine.hear(question: "_x._tcp.local", .ptr, knowing: [pointer], from: isOfThisHost ? 1 : 2)
    while !engine.effects.contains(.settled(.init(1))) {
      engine.run(for: .milliseconds(1))
      // Then it is answered, and the news is no sign of loss.
      if count() == 3, !engine.effects.contains(.answer(.init(1), .added(pointer, engine.link))) { engine.hear(pointer) }
    }
    #expect(count() == queries)
  }

  @Test func `without loss a question settles after the first repetition`() {
    let (found, longest) = figures(loss: 0, seeds: 0..<5)
    #expect(found == Double(Self.services))
    #expect(longest <= .milliseconds(1570))
  }

  @Test(arguments: [(0.3, 16.5), (0.5, 11.5)]) func `with loss settling waits while repetitions bring news`(
    loss: Double, least: Double
  ) {
    // At the first repetition it would be 14.8 and 8.8.
    let (found, longest) = figures(loss: loss, seeds: 0..<5)
    #expect(found >= least)
    #expect(longest <= .milliseconds(7570))
  }
}
