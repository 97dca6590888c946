import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishDiscovery

/// Random instances, answers and times: what holds of a resolver whatever happens.
struct ResolverStatePropertyTests {
  private struct Engine {
    var random: SeededGenerator
    var limits: ResolverState.Limits
    var resolver: ResolverState
    var now = ContinuousClock.now
    var wanted: Set<ServiceInstance> = []
    /// The open questions, in the order in which they were asked.
    var asked: [RecordQuestion] = []
    /// Those of them that the engine says nothing more to.
    var silent: Set<RecordQuestion> = []
    var reported: [ServiceInstance: Endpoint?] = [:]
    /// Those that were suspected or lost and not resolved since, and whether they were lost.
    var absent: [ServiceInstance: Bool] = [:]
    let interfaces: InterfaceSelection
    let hosts: [DomainName] = ["ada.local", "bob.local", "cyd.local"]
    let instances: [ServiceInstance]

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      limits = ResolverState.Limits()
      limits.inFlight = random.number(in: 1..<5)
      limits.kept = random.number(in: 0..<5)
      interfaces = random.once(in: 2) ? .only(eth0) : .all
      resolver = ResolverState(interfaces: interfaces, limits: limits)
      var names: [InstanceName] = ["x"]
      for _ in 1..<12 { names.append(names.last!.alternative()) }
      instances = names.map { ServiceInstance($0, type: game) }
    }

    mutating func carryOut(_ effects: [ResolverState.Effect]) {
      for effect in effects {
        switch effect {
        case .ask(let question):
          #expect(!asked.contains(question), "asked twice: \(question)")
          asked.append(question)
          #expect(question.interfaces == interfaces)
          silent.remove(question)
        case .endAsking(let question):
          #expect(asked.contains(question), "ended without being asked: \(question)")
          asked.removeAll { $0 == question }
        case .resolved(let instance, let endpoint):
          #expect(wanted.contains(instance), "nobody wants \(instance)")
          #expect(resolver.endpoint(of: instance) == endpoint)
          if let before = reported.updateValue(endpoint, forKey: instance) {
            #expect(endpoint != nil && (endpoint != before || absent[instance] != nil), "told again of \(instance)")
          }
          absent[instance] = nil
          #expect(endpoint?.addresses.isEmpty != true && endpoint?.port != 0)
        case .suspected(let instance):
          #expect(reported[instance, default: nil] != nil, "suspected without an endpoint: \(instance)")
          #expect(absent.updateValue(false, forKey: instance) != true, "suspected though lost: \(instance)")
        case .lost(let instance):
          #expect(absent.updateValue(true, forKey: instance) == false, "lost without suspicion, or again: \(instance)")
        }
      }
    }

    mutating func want(_ instance: ServiceInstance) {
      wanted.insert(instance)
      carryOut(resolver.want(instance, at: now))
    }

    mutating func forget(_ instance: ServiceInstance) {
      carryOut(resolver.forget(instance, at: now))
      wanted.remove(instance)
      reported[instance] = nil
      absent[instance] = nil
      #expect(resolver.endpoint(of: instance) == nil)
    }

    mutating func advance() {
      let step = Duration.milliseconds(random.number(in: 0..<1_500))
      now = random.once(in: 2) ? max(now, resolver.nextDeadline ?? now) : now + step
      carryOut(resolver.advance(to: now))
      if let deadline = resolver.nextDeadline { #expect(deadline > now, "a deadline in the past") }
    }

    mutating func answer() {
      guard let chosen = asked.filter({ !silent.contains($0) }).randomElement(using: &random) else { return }
      let event: LookupEvent
      switch random.number(in: 0..<20) {
      case 0..<10: event = .added(record(for: chosen))
      case 10..<14: event = .removed(record(for: chosen))
      case 14..<16: event = .cacheExhausted
      case 16..<18: event = .settled
      case 18: event = .restarted
      default:
        event = .failed(noRoom)
        silent.insert(chosen)
      }
      carryOut(resolver.handle(event, to: chosen, at: now))
    }

    mutating func record(for question: RecordQuestion) -> ResourceRecord {
      let link = [eth0v4, wlan0v4][random.number(in: 0..<2)]
      let number = UInt8(random.number(in: 0..<3))
      let data: RecordData =
        switch question.type {
        case .srv:
          .server(
            host: hosts[random.number(in: 0..<hosts.count)], port: UInt16(number), priority: UInt16(random.number(in: 0..<2)),
            weight: 0)
        case .txt: .text(["v": .bytes([number])])
        case .a: .address(random.once(in: 4) ? v4(224, 0, 0, number) : v4(10, 0, 0, number))
        default: .address(random.once(in: 2) ? linkLocal(number, on: link.source.interface!) : v6(number))
        }
      return ResourceRecord(data, on: link)
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>) func `questions and deadlines stay consistent`(seed: UInt64) {
    var engine = Engine(seed: seed)
    for _ in 1...400 {
      let instance = engine.instances[engine.random.number(in: 0..<engine.instances.count)]
      switch engine.random.number(in: 0..<20) {
      case 0..<3: engine.want(instance)
      case 3: engine.forget(instance)
      case 4..<8: engine.advance()
      default: engine.answer()
      }
      // Two questions for each instance, and two for each host of one.
      #expect(engine.asked.count <= 4 * (engine.limits.inFlight + engine.limits.glances + engine.limits.kept))
      #expect(engine.resolver.isBusy == engine.wanted.contains { engine.reported[$0] == nil })
      if engine.resolver.isBusy { #expect(engine.resolver.nextDeadline != nil, "it would never end") }
    }

    // Whoever waits long enough is told of everyone.
    for _ in 1...60 {
      engine.now += .seconds(1)
      engine.carryOut(engine.resolver.advance(to: engine.now))
    }
    #expect(!engine.resolver.isBusy)
    #expect(Set(engine.reported.keys) == engine.wanted)

    for instance in engine.instances { engine.forget(instance) }
    #expect(engine.asked.isEmpty)
    #expect(engine.resolver.nextDeadline == nil)
    #expect(!engine.resolver.isBusy)
  }
}
