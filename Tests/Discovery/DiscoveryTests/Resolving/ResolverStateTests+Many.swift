import TestSupport
import Testing

@testable import _BonjourishDiscovery

/// Many instances, and questions that fail.
extension ResolverStateTests {
  @Test mutating func `instances on one host share its questions`() {
    resolve(ada, at: adaHost)
    #expect(want(bob) == [.ask(srv(bob)), .ask(txt(bob))])
    _ = handle(.added(text(["v": "1"])), to: txt(bob))
    let shared = endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1), v6(1))
    #expect(handle(.added(server(adaHost)), to: srv(bob)) == [.resolved(bob, shared)], "known already")
    let changed = endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1))
    #expect(handle(.removed(address(v6(1))), to: aaaa(adaHost)) == [.resolved(ada, changed), .resolved(bob, changed)])
    #expect(forget(ada) == [.endAsking(srv(ada)), .endAsking(txt(ada))], "the other still wants the addresses")
    #expect(
      forget(bob) == [.endAsking(srv(bob)), .endAsking(txt(bob)), .endAsking(a(adaHost)), .endAsking(aaaa(adaHost))])
  }

  private func limits(inFlight: Int, kept: Int) -> ResolverState.Limits {
    var limits = ResolverState.Limits()
    limits.inFlight = inFlight
    limits.kept = kept
    return limits
  }

  @Test mutating func `the number of instances in flight is limited`() {
    var limits = limits(inFlight: 2, kept: 10)
    limits.turn = .seconds(60)
    resolver = ResolverState(limits: limits)
    #expect(want(ada) == [.ask(srv(ada)), .ask(txt(ada))])
    #expect(want(bob) == [.ask(srv(bob)), .ask(txt(bob))])
    #expect(want(cyd) == [])
    #expect(resolver.isBusy)
    #expect(advance(to: .seconds(1)) == [])
    #expect(forget(ada, at: .seconds(1)) == [.endAsking(srv(ada)), .endAsking(txt(ada)), .ask(srv(cyd)), .ask(txt(cyd))])
    #expect(want(ada, at: .seconds(2)) == [])
    #expect(forget(ada, at: .seconds(2)) == [], "it waited for its turn")
    #expect(want(ada, at: .seconds(2)) == [])
    #expect(advance(to: .seconds(5)) == [.resolved(bob, nil), .ask(srv(ada)), .ask(txt(ada))])
    #expect(deadline == .seconds(6), "the timeout for cyd began when it was asked for")
  }

  @Test mutating func `an instance without an answer makes room for waiting ones`() {
    resolver = ResolverState(limits: limits(inFlight: 1, kept: 10))
    #expect(want(ada) == [.ask(srv(ada)), .ask(txt(ada))])
    #expect(want(bob, at: .milliseconds(500)) == [])
    #expect(deadline == .seconds(1))
    #expect(
      advance(to: .seconds(1)) == [.endAsking(srv(ada)), .endAsking(txt(ada)), .ask(srv(bob)), .ask(txt(bob))])
    #expect(
      advance(to: .seconds(2)) == [.endAsking(srv(bob)), .endAsking(txt(bob)), .ask(srv(ada)), .ask(txt(ada))])
    #expect(forget(bob, at: .seconds(2)) == [])
    // Nobody waits, and of the 5 s that it may take one has passed before.
    #expect(deadline == .seconds(6))
    #expect(want(cyd, at: .seconds(4)) == [.endAsking(srv(ada)), .endAsking(txt(ada)), .ask(srv(cyd)), .ask(txt(cyd))])
    #expect(resolver.isBusy)
  }

  @Test mutating func `every instance gets its turn among thousands and in a steady stream`() {
    var queue = TurnQueue()
    let names = (0..<1000).map { ServiceInstance(InstanceName(received: "\($0)")!, type: "_x._tcp", domain: .local) }
    for name in names { queue.append(name, hadTurn: false) }
    queue.append(ada, hadTurn: true)
    queue.append(bob, hadTurn: false)
    queue.remove(names[0])
    var served: [ServiceInstance] = []
    for _ in 0..<6 { served.append(queue.popNext()!) }
    #expect(served == [bob, ada, names[1], names[999], names[2], names[998]])
    var rest: Set<ServiceInstance> = []
    while let next = queue.popNext() { #expect(rest.insert(next).inserted) }
    #expect(rest.count == 995 && queue.isEmpty && queue.unaskedBound == 0)
    // Without a turn so far, in their order.
    for name in names.prefix(3) { queue.append(name, hadTurn: name == names[1]) }
    queue.append(ada, hadTurn: false)
    queue.remove(names[0])
    var unasked: [ServiceInstance] = []
    while let next = queue.popUnasked() { unasked.append(next) }
    #expect(unasked == [names[2], ada] && !queue.isEmpty)
    #expect(queue.popNext() == names[1] && queue.popNext() == nil)
    // What was removed is not counted once the queue is empty.
    for _ in 0..<3 {
      for name in names.prefix(2) { queue.append(name, hadTurn: false) }
      queue.remove(names[1])
      while queue.popNext() != nil {}
      #expect(queue.unaskedBound == 0)
    }
  }

  @Test mutating func `a known instance is found among many without an answer`() {
    let crowd = crowd(200)
    let known = crowd[70]
    var effects = crowd.flatMap { want($0) }
    var isFound = false
    // The engine says at once what it knows, and then that this was all.
    while !effects.isEmpty, !isFound {
      var answers: [Effect] = []
      for case .ask(let question) in effects {
        if question == srv(known) { answers += handle(.added(server(adaHost)), to: question) }
        if question == txt(known) { answers += handle(.added(text(["v": "1"])), to: question) }
        if question == a(adaHost) { answers += handle(.added(address(v4(10, 0, 0, 1))), to: question) }
        if question == aaaa(adaHost) { answers += handle(.added(address(v6(1))), to: question) }
        answers += handle(.cacheExhausted, to: question)
      }
      isFound = answers.contains(.resolved(known, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1), v6(1))))
      effects = answers
    }
    #expect(isFound, "without any time")
  }

  private func crowd(_ count: Int) -> [ServiceInstance] {
    (0..<count).map { ServiceInstance(InstanceName(received: "\($0)")!, type: "_x._tcp", domain: .local) }
  }

  @Test mutating func `of a hundred instances 32 are asked for, and 8 more that may be known already`() {
    let instances = crowd(100)
    // Only when more wait than are asked for.
    #expect(instances.prefix(64).flatMap { want($0) }.count == 2 * 32)
    #expect(want(instances[64]).count == 2)
    #expect(instances.dropFirst(65).flatMap { want($0) }.count == 2 * 7)
  }

  @Test mutating func `two hundred instances are followed, and the next ones are not`() {
    let instances = crowd(202)
    let ended = instances.map { instance in
      resolve(instance, at: adaHost).contains { if case .endAsking = $0 { true } else { false } }
    }
    #expect(ended == [Bool](repeating: false, count: 200) + [true, true])
    #expect(advance(to: .milliseconds(1_999)) == [])
    #expect(advance(to: .seconds(2)) == [.ask(srv(instances[200])), .ask(txt(instances[200]))])
    _ = forget(instances[0], at: .seconds(3))
    _ = forget(instances[200], at: .seconds(3))
    #expect(advance(to: .seconds(4)) == [.ask(srv(instances[201])), .ask(txt(instances[201]))])
  }

  @Test mutating func `instances beyond the limit rest and are refreshed in turn`() {
    resolver = ResolverState(limits: limits(inFlight: 2, kept: 1))
    resolve(ada, at: adaHost)
    let effects = resolve(bob, at: bobHost)
    #expect(
      effects.suffix(5)
        == [
          .resolved(bob, endpoint(bobHost, 4242, ["v": "1"], v4(10, 0, 0, 1), v6(1))), .endAsking(srv(bob)),
          .endAsking(txt(bob)),
          .endAsking(a(bobHost)), .endAsking(aaaa(bobHost)),
        ])
    #expect(resolver.endpoint(of: bob) != nil)
    #expect(deadline == .seconds(2))
    resolve(cyd, at: adaHost, time: .seconds(1))
    #expect(deadline == .seconds(2))

    #expect(advance(to: .seconds(2)) == [.ask(srv(bob)), .ask(txt(bob))])
    #expect(!resolver.isBusy, "it has been reported")
    #expect(deadline == .seconds(4))
    _ = handle(.added(server(bobHost)), to: srv(bob), at: .seconds(2))
    for question in [a(bobHost), aaaa(bobHost)] { _ = handle(.settled, to: question, at: .seconds(2)) }
    _ = handle(.added(address(v4(10, 0, 0, 1))), to: a(bobHost), at: .seconds(2))
    #expect(
      handle(.added(text(["v": "2"])), to: txt(bob), at: .seconds(3)).first
        == .resolved(bob, endpoint(bobHost, 4242, ["v": "2"], v4(10, 0, 0, 1))))

    #expect(advance(to: .seconds(4)) == [.ask(srv(cyd)), .ask(txt(cyd))])
    #expect(advance(to: .seconds(6)) == [.ask(srv(bob)), .ask(txt(bob))])
    #expect(deadline == .seconds(9), "nobody rests")
    let ended: [Effect] = [.endAsking(srv(cyd)), .endAsking(txt(cyd))]
    #expect(advance(to: .seconds(9)) == ended, "nobody answered, and the endpoint that it had stays")
    #expect(resolver.endpoint(of: cyd) != nil)
    #expect(deadline == .seconds(11))
    #expect(forget(cyd, at: .seconds(9)) == [])
    #expect(deadline == .seconds(11), "bob is in flight until then")
    #expect(forget(bob, at: .seconds(9)) == [.endAsking(srv(bob)), .endAsking(txt(bob))])
    #expect(deadline == nil)
  }

  @Test mutating func `a resting instance is followed when there is room`() {
    resolver = ResolverState(limits: limits(inFlight: 2, kept: 1))
    resolve(ada, at: adaHost)
    resolve(bob, at: bobHost)
    _ = forget(ada)
    #expect(advance(to: .seconds(2)) == [.ask(srv(bob)), .ask(txt(bob))])
    #expect(advance(to: .seconds(7)) == [])
    #expect(deadline == nil, "its questions stay open")
    #expect(forget(bob) == [.endAsking(srv(bob)), .endAsking(txt(bob))])
  }

  @Test mutating func `a refresh waits for room`() {
    resolver = ResolverState(limits: limits(inFlight: 1, kept: 0))
    resolve(ada, at: adaHost)
    _ = want(bob, at: .seconds(1))
    #expect(advance(to: .seconds(2)) == [])
    #expect(deadline == .seconds(4))
    #expect(advance(to: .seconds(4)) == [])
    #expect(
      advance(to: .seconds(6)) == [
        .resolved(bob, nil), .endAsking(srv(bob)), .endAsking(txt(bob)), .ask(srv(ada)), .ask(txt(ada)),
      ])
    #expect(deadline == .seconds(8))
  }

  // MARK: - Questions that fail

  @Test mutating func `an instance with a failed question gets another turn`() {
    _ = want(ada)
    _ = handle(.added(server(adaHost)), to: srv(ada))
    for question in [a(adaHost), aaaa(adaHost)] {
      _ = handle(.added(address(v4(10, 0, 0, 1))), to: question)
      _ = handle(.settled, to: question)
    }
    #expect(handle(.failed(noRoom), to: txt(ada)) == [], "text that nobody could ask for is not empty")
    #expect(
      advance(to: .seconds(5))
        == [
          .resolved(ada, nil), .endAsking(srv(ada)), .endAsking(txt(ada)), .endAsking(a(adaHost)), .endAsking(aaaa(adaHost)),
        ])
    #expect(deadline == .seconds(7))
    #expect(advance(to: .seconds(7)) == [.ask(srv(ada)), .ask(txt(ada))])
  }

  @Test mutating func `a failed address family is not waited for`() {
    _ = want(ada)
    _ = handle(.added(server(adaHost)), to: srv(ada))
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.failed(noRoom), to: aaaa(adaHost))
    _ = handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost))
    #expect(
      handle(.cacheExhausted, to: a(adaHost)).first == .resolved(ada, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1))))
    #expect(deadline == .seconds(2))
  }

  @Test mutating func `a shared question that failed is asked again for all`() {
    resolve(ada, at: adaHost)
    _ = handle(.failed(noRoom), to: aaaa(adaHost))
    _ = want(bob)
    #expect(handle(.added(server(adaHost)), to: srv(bob)) == [.endAsking(aaaa(adaHost)), .ask(aaaa(adaHost))])
    _ = handle(.added(text(["v": "1"])), to: txt(bob))
    let changed = endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1), v6(2))
    #expect(handle(.added(address(v6(2))), to: aaaa(adaHost)) == [.resolved(ada, changed)])
    #expect(handle(.settled, to: aaaa(adaHost)) == [.resolved(bob, changed)])
  }

  // MARK: - Mischief

  @Test mutating func `the records of one question are bounded`() {
    _ = want(ada)
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.added(server(adaHost)), to: srv(ada))
    for number in 0..<1_000 {
      _ = handle(.added(address(v4(10, 0, UInt8(number / 256), UInt8(number % 256)))), to: a(adaHost))
    }
    _ = advance(to: .seconds(1))
    #expect(resolver.endpoint(of: ada)?.addresses.count == 64)
    #expect(resolver.endpoint(of: ada)?.addresses.contains(v4(10, 0, 3, 231)) == true, "the newest are kept")
  }
}
