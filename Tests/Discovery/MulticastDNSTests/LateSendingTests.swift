import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// What is sent late, because the machine is busy, puts off what follows (RFC 6762 §6, §8.1).
@Suite struct LateSendingTests {
  private let type: DNSName = "_x._tcp.local"

  /// The shortest time from when a record was really sent to when it is sent again.
  private func shortestGap(_ sent: [LoneEngine.Sent], late: Duration) -> Duration? {
    var last: [RecordIdentity: Duration] = [:]
    var shortest: Duration?
    for datagram in sent where datagram.message.isResponse && datagram.destination == .multicast {
      for record in Set((datagram.message.answers + datagram.message.additionals).map { RecordIdentity($0) }) {
        guard let former = last.updateValue(datagram.time + late, forKey: record) else { continue }
        shortest = min(shortest ?? .seconds(3600), datagram.time - former)
      }
    }
    return shortest
  }

  @Test(arguments: [1, 120, 700]) func `a record is multicast again a second after it was really sent`(milliseconds: Int) throws
  {
    let engine = LoneEngine(hostName: "me.local")
    for number in 0..<5 { engine.establish(VirtualHost.service("mine \(number)"), as: UInt64(number)) }
    engine.sendingTime = .milliseconds(milliseconds)
    for number in 0..<200 {
      switch number % 3 {
      case 0: engine.hear(question: type, .ptr)
      case 1: engine.hear(question: DNSName(literal: "mine \(number % 5)._x._tcp.local"), .srv)
      default: engine.hear(question: "me.local", .any)
      }
      engine.run(for: .milliseconds(37))
    }
    let gap = try #require(shortestGap(engine.sent, late: engine.sendingTime))
    #expect(gap >= .seconds(1) && gap < .milliseconds(1200))
  }

  @Test func `announcements and goodbyes that are sent late are all sent`() throws {
    let engine = LoneEngine(hostName: "me.local")
    engine.sendingTime = .milliseconds(130)
    engine.do(.publish(.init(1), VirtualHost.service("mine")))
    engine.run(for: .seconds(10))
    let service: DNSName = "mine._x._tcp.local"
    let announced = engine.responses.filter { $0.message.answers.contains { $0.name == service && $0.type == .srv } }
    #expect(announced.count == 3)
    for sent in announced { #expect(sent.message.answers.count == 4) }
    engine.do(.withdraw(.init(1)))
    engine.run(for: .seconds(10))
    let goodbyes = engine.responses.filter { $0.message.answers.contains { $0.timeToLive == 0 } }
    #expect(goodbyes.count == 3)
    let others = engine.responses.filter { $0.message.answers.allSatisfy { $0.timeToLive > 0 } }
    for sent in [others, goodbyes] {
      #expect(try #require(shortestGap(sent, late: engine.sendingTime)) >= .seconds(1))
    }
  }

  @Test func `probes that are sent late wait for their answers all the same`() {
    let engine = LoneEngine(hostName: "me.local")
    engine.sendingTime = .milliseconds(200)
    engine.do(.publish(.init(1), VirtualHost.service("mine")))
    engine.run(for: .seconds(2))
    let probes = engine.sent.filter { !$0.message.authorities.isEmpty }.map(\.time)
    #expect(probes.count == 3)
    let announced = engine.responses.first!.time
    for (next, former) in zip(probes.dropFirst() + [announced], probes) { #expect(next - former == .milliseconds(450)) }
  }

  @Test func `what is sent at once puts nothing off`() {
    let (one, other) = (LoneEngine(hostName: "me.local"), LoneEngine(hostName: "me.local"))
    other.sendingTime = .nanoseconds(1)
    for engine in [one, other] {
      engine.do(.publish(.init(1), VirtualHost.service("mine")))
      engine.run(for: .seconds(10))
    }
    #expect(one.sent.count == other.sent.count)
    for (one, other) in zip(one.sent, other.sent) { #expect(abs((one.time - other.time).microseconds) < 20) }
  }
}
