import Bonjourish
import Testing
import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

@testable import _BonjourishMulticastBackend

/// Questions and records of any kind, and the name of the host, as bonjourishd uses them.
@Suite(.timeLimit(.minutes(1))) struct BackendRecordsTests {
  private typealias Event = MulticastBackend.RecordEvent

  private let interfaces = InterfaceSelection.only("lo").over(.ipv4)
  private let name: DNSName
  private let record: DNSRecord
  private let lo: NetworkInterface

  init() throws {
    name = try DNSName("records.local")
    record = DNSRecord(name, .txt([1, 65]), timeToLive: 120, cacheFlush: false)
    lo = try NetworkInterface(named: "lo")
  }

  /// Everything that can become of a record.
  private func changes(on link: MulticastLink) -> [MulticastEngine.AnswerChange] {
    [.added(record, link), .leaving(record, link), .suspect(record, link), .confirmed(record, link), .removed(record, link)]
  }

  @Test func `who asks for records is told of them with the system's number of the interface`() async throws {
    try await ResidentBackend.run { resident in
      let events = Recorder<Event>()
      let id = OperationID()
      resident.backend.ask(name, .txt, on: interfaces, as: id) { events.append($0) }
      let link = await resident.on { [self] backend in
        let (number, link) = (backend.queries.keys.first!, backend.onlyLink)
        for change in changes(on: link) { backend.perform(.answer(number, change)) }
        backend.perform(.settled(number))
        return link
      }
      let seen = MulticastLink(interface: lo.index, family: .ipv4)
      #expect(
        events.take() == [.cacheExhausted, .added(record, seen, isOwn: false), .removed(record, seen), .settled] as [Event])
      #expect(link.family == .ipv4)
      resident.backend.end(id)
      let isEmpty = await resident.on { [self] backend in
        for change in changes(on: link) { backend.perform(.answer(.init(1), change)) }
        return backend.queries.isEmpty && backend.operations.isEmpty
      }
      #expect(isEmpty && events.values == [])
    }
  }

  @Test func `a lookup is told of records and of doubts`() async throws {
    try await ResidentBackend.run { resident in
      let events = Recorder<LookupEvent>()
      resident.backend.lookUp(RecordQuestion(.domain("records.local"), .txt, interfaces: interfaces), as: OperationID()) {
        events.append($0)
      }
      await resident.on { [self] backend in
        let (number, link) = (backend.queries.keys.first!, backend.onlyLink)
        for change in changes(on: link) { backend.perform(.answer(number, change)) }
        // On a link that has just ended.
        backend.perform(.answer(number, .added(record, MulticastLink(interface: 99, family: .ipv4))))
        backend.perform(.cacheExhausted(number))
      }
      let seen = try #require(ResourceRecord(record, on: Link(lo, .ipv4)))
      #expect(
        events.values == [
          .cacheExhausted, .added(seen), .doubted(seen, .leaving), .doubted(seen, .suspect), .doubted(seen, .present),
          .removed(seen), .cacheExhausted,
        ])
    }
  }

  @Test func `a record lives as long as it says`() async throws {
    try await ResidentBackend.run { resident in
      resident.backend.ask(name, .txt, on: interfaces, as: OperationID()) { _ in }
      let lifetimes = await resident.on { [record] backend in
        var message = DNSMessage(isResponse: true)
        message.answers = [record]
        let source = MulticastSource(.ipv4(0x7F4D_0009), port: 5353, link: backend.onlyLink)
        backend.handle(.received(message.written(), from: source, to: .multicast))
        return [backend.remainingLifetimes(of: "records.local"), backend.remainingLifetimes(of: "others.local")]
      }
      let seen = try #require(ResourceRecord(record, on: Link(lo, .ipv4)))
      #expect(lifetimes[0].keys.map(\.self) == [seen.id] && lifetimes[1].isEmpty)
      #expect(lifetimes[0].values.allSatisfy { .seconds(110)...(.seconds(120)) ~= $0 })
    }
  }

  @Test func `records are counted as registrations, are updated, and end`() async throws {
    try await ResidentBackend.run { resident in
      let events = Recorder<MulticastEngine.RegistrationChange>()
      let (asked, published) = (OperationID(), OperationID())
      resident.backend.ask(name, .txt, on: interfaces, as: asked) { _ in }
      let records = [PublishedRecord(name, .data(.txt([0])), .shared), PublishedRecord(name, .data(.txt([1, 66])), .shared)]
      resident.backend.publish([records[0]], on: interfaces, as: published) { events.append($0) }
      // Who asks has no records.
      resident.backend.update([], of: asked)
      resident.backend.update(records, of: published)
      let (metrics, isForHost) = await resident.on { [interfaces, name] backend in
        let number = backend.registrations.keys.first!
        backend.perform(.registration(number, .conflict(name)))
        return (backend.metrics, backend.scopes[interfaces]?.isForHost)
      }
      #expect(metrics.registrations == 1 && metrics.lookups == 0 && metrics.backend == "builtin" && metrics.builtin.links == 1)
      #expect(events.values.contains(.conflict(name)) && isForHost == false)
      resident.backend.end(published)
      #expect(await resident.on { $0.registrations.isEmpty && $0.operations.count == 1 })
    }
  }

  @Test func `a service of this host claims the name of this machine, and follows it`() async throws {
    try await ResidentBackend.run { resident in
      let service = PublishedRecord(name, .serviceOfThisHost(port: 1), .unique)
      resident.backend.publish([service], on: interfaces, as: OperationID()) { _ in }
      let (isForHost, hasName, hasMonitor) = await resident.on { [interfaces] backend in
        (backend.scopes[interfaces]?.isForHost, backend.hasHostName, backend.hostNameMonitor != nil)
      }
      #expect(isForHost == true && hasName && hasMonitor)
      // A name that a program sets is not replaced by that of the machine.
      resident.backend.setHostName(try DNSName("ada.local"))
      #expect(await resident.on { $0.hostNameMonitor == nil && $0.hasHostName })
    }
  }

  @Test func `whoever publishes the host is told what it is called`() async throws {
    try await ResidentBackend.run { resident in
      let events = Recorder<MulticastEngine.HostNameChange>()
      let names = [try DNSName("ada.local"), try DNSName("ada-2.local")]
      resident.backend.publishHost(on: interfaces, named: names[0], withAddresses: false, as: OperationID()) {
        events.append($0)
      }
      let (told, log, isForHost) = await resident.on { [interfaces] backend in
        (_, _) = (events.take(), resident.log.take())
        backend.perform(.hostName(.renamed(from: names[0], to: names[1])))
        backend.perform(.hostName(.established(names[1])))
        let isForHost =
          backend.scopes[interfaces]?.isForHost == true && backend.hostNameMonitor == nil && !backend.hasHostAddresses
        return (events.take(), resident.log.take(), isForHost)
      }
      #expect(told == [.renamed(from: names[0], to: names[1]), .established(names[1])] && isForHost)
      #expect(
        log.map(\.text) == [
          "another host has the name ada.local; this host tries ada-2.local", "the name of this host is ada-2.local",
        ])
      #expect(log.map(\.level) == [.warning, .info])
      #expect(log.map(\.metadata) == [["host": "ada-2.local", "formerHost": "ada.local"], ["host": "ada-2.local"]])
    }
  }

  @Test func `the links of an operation that has ended are given up`() async throws {
    try await ResidentBackend.run { resident in
      let ids = [OperationID(), OperationID()]
      resident.backend.ask(name, .txt, on: interfaces, as: ids[0]) { _ in }
      resident.backend.ask(name, .txt, on: "nonexistent0", as: ids[1]) { _ in }
      let scopes = await resident.on { backend in backend.scopes.mapValues { $0.links.count } }
      #expect(scopes == [interfaces: 1, "nonexistent0": 0])
      resident.backend.end(ids[0])
      let (left, links) = await resident.on { backend in
        backend.refreshLinks()
        return (Array(backend.scopes.keys), backend.links.count)
      }
      #expect(left == ["nonexistent0"] && links == 0)
    }
  }
}
