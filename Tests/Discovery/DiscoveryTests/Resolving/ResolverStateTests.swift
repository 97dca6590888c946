import TestSupport
import Testing

@testable import _BonjourishDiscovery

struct ResolverStateTests {
  typealias Effect = ResolverState.Effect

  let start = ContinuousClock.now
  let adaHost: DomainName = "ada.local"
  let bobHost: DomainName = "bob.local"
  var resolver = ResolverState()

  func srv(_ instance: ServiceInstance) -> RecordQuestion { RecordQuestion(.instance(instance), .srv) }
  func txt(_ instance: ServiceInstance) -> RecordQuestion { RecordQuestion(.instance(instance), .txt) }
  func a(_ host: DomainName) -> RecordQuestion { RecordQuestion(.domain(host), .a) }
  func aaaa(_ host: DomainName) -> RecordQuestion { RecordQuestion(.domain(host), .aaaa) }

  func server(_ host: DomainName, _ port: UInt16 = 4242, priority: UInt16 = 0, on link: Link = eth0v4) -> ResourceRecord {
    ResourceRecord(.server(host: host, port: port, priority: priority, weight: 0), on: link)
  }
  func text(_ txt: TXTRecord, on link: Link = eth0v4) -> ResourceRecord { ResourceRecord(.text(txt), on: link) }
  func address(_ address: IPAddress, on link: Link = eth0v4) -> ResourceRecord {
    ResourceRecord(.address(address), on: link)
  }

  mutating func want(_ instance: ServiceInstance, at time: Duration = .zero) -> [Effect] {
    resolver.want(instance, at: start + time)
  }
  mutating func forget(_ instance: ServiceInstance, at time: Duration = .zero) -> [Effect] {
    resolver.forget(instance, at: start + time)
  }
  mutating func handle(_ event: LookupEvent, to question: RecordQuestion, at time: Duration = .zero) -> [Effect] {
    resolver.handle(event, to: question, at: start + time)
  }
  mutating func advance(to time: Duration) -> [Effect] { resolver.advance(to: start + time) }
  var deadline: Duration? { resolver.nextDeadline.map { $0 - start } }

  func endpoint(_ host: DomainName, _ port: UInt16 = 4242, _ txt: TXTRecord = ["v": "1"], _ addresses: IPAddress...)
    -> Endpoint
  {
    Endpoint(host: host, port: port, txt: txt, addresses: addresses)
  }

  /// Answers everything that is asked for an instance with one address of each family, until it is resolved.
  @discardableResult
  mutating func resolve(_ instance: ServiceInstance, at host: DomainName, time: Duration = .zero) -> [Effect] {
    var effects = want(instance, at: time)
    effects += handle(.added(server(host)), to: srv(instance), at: time)
    effects += handle(.added(text(["v": "1"])), to: txt(instance), at: time)
    for (question, answer) in [(a(host), v4(10, 0, 0, 1)), (aaaa(host), v6(1))] {
      effects += handle(.added(address(answer)), to: question, at: time)
      effects += handle(.cacheExhausted, to: question, at: time)
    }
    return effects
  }

  // MARK: - Two hosts with one name

  /// The host with a last byte of its address, which has sent a record.
  func sent(_ data: RecordData, by last: UInt8?, on link: Link = eth0v4) -> LookupEvent {
    .added(
      ResourceRecord(
        name: "x.local", type: ResourceRecord(data, on: link).type, bytes: ResourceRecord(data, on: link).bytes, on: link,
        sender: last.map { v4(10, 0, 0, $0) }))
  }

  /// Resolves an instance whose records one host has sent.
  private mutating func resolve(_ instance: ServiceInstance, sentBy last: UInt8) {
    _ = want(instance)
    _ = handle(sent(.server(host: adaHost, port: 80, priority: 0, weight: 0), by: last), to: srv(instance))
    _ = handle(sent(.text(["a": "1"]), by: last), to: txt(instance))
    _ = handle(.added(address(v4(10, 0, 0, last))), to: a(adaHost))
    _ = handle(.settled, to: aaaa(adaHost))
    _ = handle(.settled, to: a(adaHost))
  }

  @Test mutating func `the server of one host is never told with the text of another`() {
    resolve(ada, sentBy: 1)
    let first = endpoint(adaHost, 80, ["a": "1"], v4(10, 0, 0, 1))
    #expect(resolver.endpoint(of: ada) == first)
    // Another host with the name answers for the server only, with one of its addresses.
    let server = RecordData.server(host: bobHost, port: 90, priority: 0, weight: 0)
    #expect(
      handle(sent(server, by: 3), to: srv(ada), at: .seconds(1)) == [
        .ask(a(bobHost)), .ask(aaaa(bobHost)), .endAsking(a(adaHost)), .endAsking(aaaa(adaHost)),
      ])
    for event in [LookupEvent.added(address(v4(10, 0, 0, 3))), .settled] {
      #expect(handle(event, to: a(bobHost), at: .seconds(1)) == [])
    }
    #expect(handle(.settled, to: aaaa(bobHost), at: .seconds(1)) == [])
    #expect(resolver.endpoint(of: ada) == first)
    let second = endpoint(bobHost, 90, ["a": "9"], v4(10, 0, 0, 3))
    #expect(handle(sent(.text(["a": "9"]), by: 3), to: txt(ada), at: .seconds(2)) == [.resolved(ada, second)])
    // What the former host repeats changes nothing, for the server is the other one's.
    #expect(handle(sent(.text(["a": "1"]), by: 1), to: txt(ada), at: .seconds(3)) == [])
    #expect(deadline == nil)
  }

  @Test mutating func `the text of another host counts when there is no other for three seconds`() {
    resolve(ada, sentBy: 1)
    let server = RecordData.server(host: adaHost, port: 90, priority: 0, weight: 0)
    #expect(handle(sent(server, by: 3), to: srv(ada), at: .seconds(1)) == [])
    #expect(deadline == .seconds(4))
    #expect(advance(to: .milliseconds(3_999)) == [])
    let whole = endpoint(adaHost, 90, ["a": "1"], v4(10, 0, 0, 1))
    #expect(advance(to: .seconds(4)) == [.resolved(ada, whole)])
    #expect(deadline == nil)
    #expect(handle(sent(.text(["a": "1"]), by: 3), to: txt(ada), at: .seconds(5)) == [])
    #expect(handle(sent(.text(["a": "2"]), by: 3), to: txt(ada), at: .seconds(6)).count == 1)
  }

  @Test mutating func `a host may send from each of its addresses, and from one that is not known`() {
    resolve(ada, sentBy: 1)
    _ = handle(.added(address(v4(10, 0, 0, 51))), to: a(adaHost))
    #expect(handle(sent(.text(["a": "2"]), by: 51), to: txt(ada), at: .seconds(1)).count == 1)
    #expect(handle(sent(.text(["a": "3"]), by: nil), to: txt(ada), at: .seconds(2)).count == 1)
    #expect(handle(sent(.text(["a": "4"]), by: 3), to: txt(ada), at: .seconds(3)) == [])
    #expect(resolver.endpoint(of: ada)?.txt == ["a": "3"])
  }

  // MARK: - One instance

  @Test mutating func `SRV and TXT are asked for, then addresses`() {
    #expect(want(ada) == [.ask(srv(ada)), .ask(txt(ada))])
    #expect(want(ada) == [], "asked already")
    #expect(resolver.isBusy)
    #expect(handle(.added(server(adaHost)), to: srv(ada)) == [.ask(a(adaHost)), .ask(aaaa(adaHost))])
    #expect(handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost)) == [])
    #expect(handle(.cacheExhausted, to: a(adaHost)) == [])
    #expect(handle(.added(address(v6(1))), to: aaaa(adaHost)) == [])
    #expect(handle(.cacheExhausted, to: aaaa(adaHost)) == [], "no text so far")
    let whole = endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1), v6(1))
    #expect(handle(.added(text(["v": "1"])), to: txt(ada)) == [.resolved(ada, whole)])
    #expect(resolver.endpoint(of: ada) == whole)
    #expect(!resolver.isBusy)
    #expect(deadline == nil)
    #expect(handle(.settled, to: aaaa(adaHost)) == [])
  }

  @Test func `questions go to the given interface only`() {
    var resolver = ResolverState(interfaces: .only(wlan0))
    #expect(
      resolver.want(ada, at: start)
        == [
          .ask(RecordQuestion(.instance(ada), .srv, interfaces: .only(wlan0))),
          .ask(RecordQuestion(.instance(ada), .txt, interfaces: .only(wlan0))),
        ])
    #expect(resolver.handle(.added(server(adaHost)), to: srv(ada), at: start) == [], "not its question")
  }

  @Test mutating func `answers to other questions are ignored`() {
    #expect(handle(.added(server(adaHost)), to: srv(ada)) == [])
    _ = want(ada)
    #expect(handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost)) == [])
    #expect(handle(.added(server(bobHost)), to: srv(bob)) == [])
    #expect(handle(.added(text(["v": "1"])), to: srv(ada)) == [], "a record of another kind")
  }

  @Test mutating func `the second address family gets a short time to answer`() {
    _ = want(ada)
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.added(server(adaHost)), to: srv(ada))
    #expect(deadline == .seconds(5))
    #expect(handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost), at: .milliseconds(100)) == [])
    #expect(deadline == .milliseconds(250))
    #expect(handle(.added(address(v4(10, 0, 0, 2))), to: a(adaHost), at: .milliseconds(200)) == [])
    #expect(deadline == .milliseconds(250), "counted from the first")
    #expect(advance(to: .milliseconds(249)) == [])
    #expect(
      advance(to: .milliseconds(250)) == [.resolved(ada, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1), v4(10, 0, 0, 2)))]
    )
    #expect(deadline == nil)
    #expect(
      handle(.added(address(v6(1))), to: aaaa(adaHost), at: .seconds(1))
        == [.resolved(ada, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1), v4(10, 0, 0, 2), v6(1)))], "the rest follows")
  }

  @Test mutating func `a settled address family is not waited for`() {
    _ = want(ada)
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.added(server(adaHost)), to: srv(ada))
    #expect(handle(.settled, to: aaaa(adaHost)) == [])
    #expect(handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost)) == [], "more may be in the cache")
    #expect(
      handle(.cacheExhausted, to: a(adaHost)) == [.resolved(ada, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1)))])
  }

  @Test mutating func `an exhausted cache without addresses is no answer`() {
    _ = want(ada)
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.added(server(adaHost)), to: srv(ada))
    #expect(handle(.cacheExhausted, to: aaaa(adaHost)) == [])
    #expect(handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost)) == [])
    #expect(handle(.cacheExhausted, to: a(adaHost)) == [], "the network may still answer for the other family")
    #expect(
      handle(.added(address(v6(1))), to: aaaa(adaHost)) == [
        .resolved(ada, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1), v6(1)))
      ])
  }

  @Test mutating func `addresses are sorted and reported once`() {
    _ = want(ada)
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.added(server(adaHost)), to: srv(ada))
    for (record, question) in [
      (address(linkLocal(1, on: wlan0), on: wlan0v4), aaaa(adaHost)), (address(linkLocal(1, on: eth0)), aaaa(adaHost)),
      (address(v6(2)), aaaa(adaHost)), (address(v6(2), on: wlan0v4), aaaa(adaHost)), (address(v4(224, 0, 0, 1)), a(adaHost)),
      (address(v4(169, 254, 0, 1)), a(adaHost)), (address(v4(10, 0, 0, 9)), a(adaHost)), (address(v4(0, 0, 0, 0)), a(adaHost)),
    ] { #expect(handle(.added(record), to: question) == []) }
    _ = handle(.settled, to: a(adaHost))
    let all = endpoint(
      adaHost, 4242, ["v": "1"], v4(10, 0, 0, 9), v6(2), v4(169, 254, 0, 1), linkLocal(1, on: eth0), linkLocal(1, on: wlan0))
    #expect(handle(.settled, to: aaaa(adaHost)) == [.resolved(ada, all)])
    #expect(handle(.removed(address(v6(2))), to: aaaa(adaHost)) == [], "seen on the other link still")
  }

  @Test mutating func `group addresses do not count as addresses`() {
    _ = want(ada)
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.added(server(adaHost)), to: srv(ada))
    _ = handle(.added(address(v4(224, 0, 0, 1))), to: a(adaHost))
    #expect(handle(.settled, to: a(adaHost)) == [])
    #expect(handle(.settled, to: aaaa(adaHost)) == [])
    #expect(deadline == .seconds(5))
    #expect(advance(to: .seconds(5)) == [.resolved(ada, nil)])
  }

  @Test mutating func `the newest server of the lowest priority is used`() {
    _ = want(ada)
    _ = handle(.added(server(bobHost, priority: 10)), to: srv(ada))
    #expect(
      handle(.added(server(adaHost, priority: 5)), to: srv(ada))
        == [.ask(a(adaHost)), .ask(aaaa(adaHost)), .endAsking(a(bobHost)), .endAsking(aaaa(bobHost))])
    #expect(handle(.added(server(bobHost, priority: 6)), to: srv(ada)) == [])
    #expect(handle(.added(server("cyd.local", 0, priority: 0)), to: srv(ada)) == [], "port 0 is no server")
    #expect(handle(.added(server(adaHost, 4243, priority: 5)), to: srv(ada)) == [], "the same host")
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost))
    #expect(advance(to: .milliseconds(150)) == [.resolved(ada, endpoint(adaHost, 4243, ["v": "1"], v4(10, 0, 0, 1)))])
  }

  @Test mutating func `the TXT record is empty once no answer is to be expected`() {
    _ = want(ada)
    _ = handle(.added(server(adaHost)), to: srv(ada))
    for question in [a(adaHost), aaaa(adaHost)] {
      _ = handle(.added(address(v4(10, 0, 0, 1))), to: question)
      _ = handle(.settled, to: question)
    }
    #expect(handle(.cacheExhausted, to: txt(ada)) == [])
    #expect(handle(.settled, to: txt(ada)) == [.resolved(ada, endpoint(adaHost, 4242, [:], v4(10, 0, 0, 1)))])
    #expect(
      handle(.added(text(["v": "1"])), to: txt(ada)) == [.resolved(ada, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1)))])
  }

  // MARK: - Giving up

  @Test mutating func `an instance without an answer is reported after five seconds`() {
    _ = want(ada)
    #expect(deadline == .seconds(5))
    #expect(advance(to: .milliseconds(4_999)) == [])
    #expect(resolver.isBusy)
    #expect(advance(to: .seconds(5)) == [.resolved(ada, nil)])
    #expect(!resolver.isBusy)
    #expect(deadline == nil)
    #expect(resolver.endpoint(of: ada) == nil)
    _ = handle(.added(server(adaHost)), to: srv(ada), at: .seconds(6))
    _ = handle(.added(text(["v": "1"])), to: txt(ada), at: .seconds(6))
    #expect(
      handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost), at: .seconds(6))
        == [.resolved(ada, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1)))], "late is better than never")
  }

  @Test mutating func `an answer in the last moment is reported`() {
    _ = want(ada)
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.added(server(adaHost)), to: srv(ada))
    #expect(handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost), at: .milliseconds(4_900)) == [])
    #expect(deadline == .seconds(5), "not longer than timeout lasts")
    #expect(advance(to: .seconds(5)) == [.resolved(ada, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1)))])
    #expect(deadline == nil)
  }

  @Test mutating func `a server that went away leaves no deadline in the past`() {
    _ = want(ada)
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.added(server(adaHost)), to: srv(ada))
    _ = handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost))
    _ = handle(.removed(server(adaHost)), to: srv(ada), at: .milliseconds(100))
    #expect(advance(to: .milliseconds(200)) == [])
    #expect(deadline == .seconds(5))
    #expect(advance(to: .seconds(5)) == [.resolved(ada, nil)])
  }
}
