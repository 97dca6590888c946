import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

@testable import BonjourishDirectory

/// What an operation is told when a record of the directory comes, changes or goes.
@Suite struct DirectoryUserTests {
  private static let region = Region("world")!
  private static let over4 = Link(.directory("world"), .ipv4)
  private static let over6 = Link(.directory("world"), .ipv6)

  private static func record(_ addresses: [String] = ["192.0.2.1", "2001:db8::1"], port: UInt16 = 4242) -> DirectoryRecord {
    DirectoryRecord(
      name: "Ada", type: "_game._tcp", subtypes: ["_fast"], port: port, host: "ada",
      addresses: addresses.compactMap { IPAddress($0) },
      txt: ["a": "1"], owner: 7)
  }

  private static func pointer(_ link: Link, _ name: DomainName = "_game._tcp.local") throws -> ResourceRecord {
    ResourceRecord(
      name: name, type: .ptr, bytes: try ServiceInstance("Ada", type: "_game._tcp").fullName.wire, timeToLive: .seconds(60),
      isUnique: false, on: link)
  }

  /// What a browse is told of a change.
  private func browse(
    _ former: DirectoryRecord?, _ record: DirectoryRecord?, subtype: ServiceSubtype? = nil,
    interfaces: InterfaceSelection = .all, wantsEndpoints: Bool = false
  ) throws -> [LookupEvent] {
    let query = BrowseQuery(
      "_game._tcp", subtype: subtype, domain: .local, interfaces: interfaces, wantsEndpoints: wantsEndpoints)
    var events: [LookupEvent] = []
    let user = DirectoryUser(question: try query.question(), key: nil) { events.append($0) }
    user.change(from: former, to: record, in: Self.region)
    return events
  }

  @Test func `a browse is told of a service once, on the first of its families that it uses`() throws {
    let (both, six) = (Self.record(), Self.record(["2001:db8::1"]))
    #expect(try browse(nil, both) == [.added(Self.pointer(Self.over4))])
    #expect(try browse(nil, six) == [.added(Self.pointer(Self.over6))])
    #expect(try browse(nil, both, interfaces: .all.over(.ipv6)) == [.added(Self.pointer(Self.over6))])
    #expect(try browse(nil, six, interfaces: .all.over(.ipv4)) == [])
    // Without an address it is seen nevertheless.
    #expect(try browse(nil, Self.record([])) == [.added(Self.pointer(Self.over4))])
    // It is never gone in between.
    #expect(try browse(both, six) == [.added(Self.pointer(Self.over6)), .removed(Self.pointer(Self.over4))])
    #expect(try browse(both, Self.record(port: 1)) == [])
    #expect(try browse(both, nil) == [.removed(Self.pointer(Self.over4))])
    #expect(try browse(nil, nil) == [])
  }

  @Test func `a browse of a subtype is told of services that have it`() throws {
    let name: DomainName = "_fast._sub._game._tcp.local"
    #expect(try browse(nil, Self.record(), subtype: "_fast") == [.added(Self.pointer(Self.over4, name))])
    #expect(try browse(nil, Self.record(), subtype: "_slow") == [])
    var plain = Self.record()
    plain.subtypes = []
    #expect(try browse(Self.record(), plain, subtype: "_fast") == [.removed(Self.pointer(Self.over4, name))])
  }

  @Test func `a browse that wants endpoints is told of each change of them, before the service itself`() throws {
    let (record, changed) = (Self.record(), Self.record(port: 1))
    func described(_ record: DirectoryRecord, _ link: Link) throws -> LookupEvent {
      .described(
        ServiceInstance("Ada", type: "_game._tcp"), try #require(record.endpoint(in: Self.region)), link.source)
    }
    #expect(
      try browse(nil, record, wantsEndpoints: true) == [described(record, Self.over4), .added(Self.pointer(Self.over4))])
    #expect(try browse(record, changed, wantsEndpoints: true) == [described(changed, Self.over4)])
    #expect(try browse(record, record, wantsEndpoints: true) == [])
    #expect(try browse(record, nil, wantsEndpoints: true) == [.removed(Self.pointer(Self.over4))])
    // Of another subtype before, so that it is new.
    var plain = record
    plain.subtypes = []
    #expect(try browse(plain, record, subtype: "_fast", wantsEndpoints: true).first == described(record, Self.over4))
  }

  /// What a lookup is told of a change.
  private func look(
    _ name: RecordQuestion.Name, _ type: RecordType, _ former: DirectoryRecord?, _ record: DirectoryRecord?,
    over interfaces: InterfaceSelection = .all, about key: DirectoryKey? = Self.record().key(in: Self.region)
  ) -> [LookupEvent] {
    var events: [LookupEvent] = []
    let question = RecordQuestion(name, type, interfaces: interfaces)
    DirectoryUser(question: question, key: key) { events.append($0) }.change(from: former, to: record, in: Self.region)
    return events
  }

  @Test func `a lookup is told of the records that come and go`() throws {
    let (record, changed) = (Self.record(), Self.record(["192.0.2.2", "2001:db8::1"], port: 1))
    let instance = RecordQuestion.Name.instance(ServiceInstance("Ada", type: "_game._tcp"))
    let host = try #require(DirectoryRecord.hostName(of: record.key(in: Self.region)))
    let fullName = try ServiceInstance("Ada", type: "_game._tcp").fullName
    func answer(_ name: DomainName, _ type: RecordType, _ bytes: [UInt8], _ link: Link) -> ResourceRecord {
      ResourceRecord(name: name, type: type, bytes: bytes, timeToLive: .seconds(60), isUnique: true, on: link)
    }
    let service = answer(fullName, .srv, [0, 0, 0, 0, 0x10, 0x92] + host.wire, Self.over4)
    let moved = answer(fullName, .srv, [0, 0, 0, 0, 0, 1] + host.wire, Self.over4)
    let text = answer(fullName, .txt, Array("\u{3}a=1".utf8), Self.over4)
    #expect(look(instance, .srv, nil, record) == [.added(service)])
    #expect(look(instance, .srv, record, changed) == [.removed(service), .added(moved)])
    #expect(look(instance, .txt, record, changed) == [])
    #expect(look(instance, .any, nil, record) == [.added(service), .added(text)])
    #expect(look(instance, .any, record, nil) == [.removed(service), .removed(text)])
    // What is no address is the same over both families.
    #expect(look(instance, .srv, nil, record, over: .all.over(.ipv6)) == [.added(service)])
    let addresses = record.addresses.map {
      answer(host, $0.family == .ipv4 ? .a : .aaaa, $0.bytes, $0.family == .ipv4 ? Self.over4 : Self.over6)
    }
    #expect(look(.domain(host), .any, nil, record) == addresses.map { .added($0) })
    #expect(look(.domain(host), .a, nil, record) == [.added(addresses[0])])
    #expect(look(.domain(host), .aaaa, nil, record) == [.added(addresses[1])])
    #expect(look(.domain(host), .any, nil, record, over: .all.over(.ipv6)) == [.added(addresses[1])])
    #expect(look(.domain(host), .srv, nil, record) == [])
    let other = answer(host, .a, [192, 0, 2, 2], Self.over4)
    #expect(look(.domain(host), .any, record, changed) == [.removed(addresses[0]), .added(other)])
    // Of another service nothing is told.
    let bob = DirectoryKey(region: Self.region, type: "_game._tcp", name: "Bob")
    #expect(look(instance, .srv, nil, record, about: bob) == [] && look(instance, .srv, nil, record, about: nil) == [])
    // A service of IPv6 is told on its link.
    let six = answer(fullName, .srv, [0, 0, 0, 0, 0x10, 0x92] + host.wire, Self.over6)
    #expect(look(instance, .srv, nil, Self.record(["2001:db8::1"])) == [.added(six)])
  }

  @Test func `a user is told of interruptions, and when all is there`() {
    var events: [LookupEvent] = []
    let user = DirectoryUser(
      question: RecordQuestion(.instance(ServiceInstance("Ada", type: "_game._tcp")), .srv), key: nil
    ) { events.append($0) }
    let error = DiscoveryError(.unavailable, "away")
    user.interrupt(error)
    user.restore()
    user.settle()
    #expect(events == [.interrupted(error), .restarted, .cacheExhausted, .settled])
  }
}
