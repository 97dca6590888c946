import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// A daemon with its engine on one link, and peers that say what the test has them say.
struct DaemonOnLink {
  var bench: Bench
  var engine: MulticastEngine
  /// The datagrams that were sent, and where to.
  var sent: [(message: DNSMessage, destination: MulticastEngine.Destination)] = []
  private let link = Bench.link
  private var origin: Duration { .seconds(1_000) }

  init(_ settings: DaemonSettings = DaemonSettings()) {
    bench = Bench(settings)
    engine = MulticastEngine(seed: 1)
    take(engine.handle(.linkUp(link, addresses: [InterfaceAddress(.ipv4(0x0A4D_0001), prefixLength: 24)]), at: now))
    take(engine.handle(.setHostName(bench.machine.hostName), at: now))
    run(for: .seconds(10))
    sent = []
  }

  private var now: Duration { origin + bench.now }

  /// Carries out what the daemon wants of the engine, until neither has anything to do.
  mutating func settle() {
    while !bench.effects.isEmpty || bench.machine.hasChanges {
      if bench.effects.isEmpty { bench.send(.tickEnded) }
      let effects = bench.effects
      bench.effects = []
      for effect in effects {
        switch effect {
        case .ask(let id, let name, let type, _): take(engine.handle(.ask(id, name, type), at: now))
        case .endAsking(let id): take(engine.handle(.endAsking(id), at: now))
        case .publish(let id, let records, _): take(engine.handle(.publish(id, records, sharingNames: true), at: now))
        case .update(let id, let records): take(engine.handle(.update(id, records), at: now))
        case .withdraw(let id): take(engine.handle(.withdraw(id), at: now))
        case .setHostName(let name): take(engine.handle(.setHostName(name), at: now))
        case .send, .foundAddress, .foundName, .refused, .ready, .log: break
        }
      }
    }
  }

  private mutating func take(_ effects: [MulticastEngine.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let bytes, _, let destination):
        guard let message = try? DNSMessage(parsing: bytes) else {
          Issue.record("the daemon sends what is no message")
          continue
        }
        sent.append((message, destination))
      case .answer(let id, .added(let record, let link)):
        bench.send(.answered(id, .added(record, link, isOwn: engine.isOwn(record, on: link))))
      case .answer(let id, .removed(let record, let link)): bench.send(.answered(id, .removed(record, link)))
      case .answer: break
      case .cacheExhausted(let id): bench.send(.answered(id, .cacheExhausted))
      case .settled(let id): bench.send(.answered(id, .settled))
      case .registration(let id, let change): bench.send(.published(id, change))
      case .hostName(let change): bench.send(.host(change))
      }
    }
  }

  mutating func run(for duration: Duration) {
    let end = bench.now + duration
    settle()
    while let deadline = [engine.nextDeadline.map { $0 - origin }, bench.machine.nextDeadline].compactMap(\.self).min(),
      deadline <= end
    {
      bench.now = max(bench.now, deadline)
      bench.send(.timePassed)
      take(engine.handle(.timePassed, at: now))
      settle()
    }
    bench.now = end
  }

  /// Hears a response with these records.
  mutating func hear(_ records: DNSRecord...) {
    var message = DNSMessage(isResponse: true)
    message.answers = records
    let source = MulticastSource(.ipv4(0x0A4D_0002), port: 5353, link: link)
    take(engine.handle(.received(message.written(), from: source, to: .multicast), at: now))
    settle()
  }

  /// Makes an object that is started.
  mutating func make(_ member: String, _ values: [BusValue]) -> String {
    let path = bench.make(member, values)
    settle()
    return path
  }
}
