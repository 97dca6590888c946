import TestSupport
import Testing

@testable import _BonjourishDiscovery

/// Changes of what is known.
extension ResolverStateTests {
  @Test mutating func `the newest TXT record is reported`() {
    resolve(ada, at: adaHost)
    let new = endpoint(adaHost, 4242, ["v": "2"], v4(10, 0, 0, 1), v6(1))
    #expect(handle(.added(text(["v": "2"])), to: txt(ada)) == [.resolved(ada, new)])
    #expect(handle(.removed(text(["v": "1"])), to: txt(ada)) == [])
    #expect(handle(.added(text(["v": "2"], on: wlan0v4)), to: txt(ada)) == [], "the same on another link")
    let old = endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1), v6(1))
    #expect(handle(.added(text(["v": "1"])), to: txt(ada)) == [.resolved(ada, old)], "what comes again is new")
  }

  @Test mutating func `the endpoint stays after a goodbye`() {
    resolve(ada, at: adaHost)
    _ = handle(.settled, to: txt(ada))
    let known = resolver.endpoint(of: ada)
    #expect(handle(.removed(text(["v": "1"])), to: txt(ada)) == [])
    #expect(handle(.added(server(adaHost)), to: srv(ada)) == [], "the text that was reported last stands")
    #expect(handle(.removed(server(adaHost)), to: srv(ada)) == [])
    #expect(handle(.removed(address(v4(10, 0, 0, 1))), to: a(adaHost)) == [])
    #expect(resolver.endpoint(of: ada) == known)
    #expect(deadline == nil)
  }

  @Test mutating func `addresses go and come`() {
    resolve(ada, at: adaHost)
    #expect(
      handle(.removed(address(v6(1))), to: aaaa(adaHost)) == [
        .resolved(ada, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 1)))
      ])
    #expect(handle(.removed(address(v4(10, 0, 0, 1))), to: a(adaHost)) == [], "the last stays")
    #expect(
      handle(.added(address(v4(10, 0, 0, 2))), to: a(adaHost)) == [
        .resolved(ada, endpoint(adaHost, 4242, ["v": "1"], v4(10, 0, 0, 2)))
      ])
  }

  @Test mutating func `a new host is asked for, and the former one no longer`() {
    resolve(ada, at: adaHost)
    #expect(
      handle(.added(server(bobHost, 1)), to: srv(ada))
        == [.ask(a(bobHost)), .ask(aaaa(bobHost)), .endAsking(a(adaHost)), .endAsking(aaaa(adaHost))])
    #expect(handle(.added(address(v4(10, 0, 0, 7))), to: a(adaHost)) == [])
    #expect(
      handle(.added(address(v4(10, 0, 0, 2))), to: a(bobHost)) == [
        .resolved(ada, endpoint(bobHost, 1, ["v": "1"], v4(10, 0, 0, 2)))
      ])
    #expect(handle(.removed(server(adaHost)), to: srv(ada)) == [])
    #expect(forget(ada) == [.endAsking(srv(ada)), .endAsking(txt(ada)), .endAsking(a(bobHost)), .endAsking(aaaa(bobHost))])
  }

  @Test mutating func `a host name in other case is the same host`() {
    resolve(ada, at: adaHost)
    #expect(handle(.added(server("ADA.local")), to: srv(ada)) == [])
  }

  @Test mutating func `restarted keeps the endpoint and takes new records`() {
    resolve(ada, at: adaHost)
    for question in [srv(ada), txt(ada), a(adaHost), aaaa(adaHost)] { #expect(handle(.restarted, to: question) == []) }
    #expect(resolver.endpoint(of: ada) != nil)
    #expect(deadline == nil)
    #expect(handle(.added(server(adaHost)), to: srv(ada)) == [])
    #expect(handle(.added(text(["v": "2"])), to: txt(ada)) == [], "no address so far")
    #expect(handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost)) == [], "more addresses may come")
    #expect(handle(.settled, to: aaaa(adaHost)) == [], "the other family may have more")
    #expect(
      handle(.settled, to: a(adaHost)) == [.resolved(ada, endpoint(adaHost, 4242, ["v": "2"], v4(10, 0, 0, 1)))])
  }

  @Test mutating func `restarted in flight begins anew`() {
    _ = want(ada)
    _ = handle(.added(server(adaHost)), to: srv(ada))
    _ = handle(.added(text(["v": "1"])), to: txt(ada))
    _ = handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost))
    #expect(deadline == .milliseconds(150))
    _ = handle(.restarted, to: a(adaHost))
    #expect(deadline == .seconds(5))
    #expect(handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost), at: .seconds(1)) == [])
    #expect(deadline == .milliseconds(1_150))
  }

  @Test mutating func `the text of another host counts when there is no time left to wait`() {
    _ = want(ada)
    let server = RecordData.server(host: adaHost, port: 80, priority: 0, weight: 0)
    _ = handle(sent(server, by: 1), to: srv(ada), at: .seconds(4))
    _ = handle(.added(address(v4(10, 0, 0, 1))), to: a(adaHost), at: .seconds(4))
    for question in [a(adaHost), aaaa(adaHost)] { _ = handle(.settled, to: question, at: .seconds(4)) }
    #expect(handle(sent(.text(["a": "3"]), by: 3), to: txt(ada), at: .seconds(4)) == [])
    #expect(advance(to: .milliseconds(4_999)) == [] && deadline == .seconds(5))
    #expect(advance(to: .seconds(5)) == [.resolved(ada, endpoint(adaHost, 80, ["a": "3"], v4(10, 0, 0, 1)))])
  }
}
