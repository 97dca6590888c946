#if Avahi
import CBonjourishAvahi.Common
import _BonjourishDiscovery
import Testing

@testable import _BonjourishAvahiBackend

struct EntryTests {
  private func service(subtypes count: Int) throws -> Registration {
    let subtypes = try (0..<count).map { try ServiceSubtype("_s\($0)") }
    return Registration("Ada", type: "_x._tcp", subtypes: Set(subtypes), domain: .local, port: 1, txt: [:])
  }

  @Test(arguments: [(0, [1]), (31, [32]), (32, [32, 1]), (100, [32, 32, 32, 5])])
  func `a service with many subtypes needs several groups`(count: Int, sizes: [Int]) throws {
    let service = try service(subtypes: count)
    let groups = service.entryGroups
    #expect(groups.map(\.count) == sizes)
    #expect(Set(groups.joined()).count == count + 1)
    guard case .service("Ada", let content, "local")? = groups.first?.first else {
      Issue.record("the service must come first")
      return
    }
    #expect(content == service.service)
  }

  @Test func `a service with a random suffix is four shared records`() throws {
    let service = try service(subtypes: 30).assured(by: "k7f3x2q9")
    #expect(service.entryGroups.map(\.count) == [29, 2])
    guard case .sharedService(let name, let content, let domain)? = service.entryGroups.first?.first else {
      Issue.record("the service must come first")
      return
    }
    let records = try CustomRecord.shared(of: content, as: name, in: domain, on: "ada.local")
    #expect(records.allSatisfy { !$0.isUnique })
    #expect(
      records.map(\.name.text) == [
        "_x._tcp.local", "Ada #k7f3x2q9._x._tcp.local", "Ada #k7f3x2q9._x._tcp.local", "_services._dns-sd._udp.local",
      ])
    #expect(records.map(\.type) == [.ptr, .srv, .txt, .ptr])
    #expect(records[1].data == [0, 0, 0, 0, 0, 1, 3] + Array("ada".utf8) + [5] + Array("local".utf8) + [0])
    #expect(records[2].data == [0])
  }

  @Test func `addresses of a host are unique records that may be several`() throws {
    let addresses = try ["192.0.2.7", "192.0.2.8", "2001:db8::7"].map { try #require(IPAddress($0)) }
    let host = try #require(Registration(host: "wiki.local", addresses: addresses, onConflict: .fail))
    #expect(
      host.entryGroups == [
        [
          .record(try CustomRecord("wiki.local", type: .a, data: [192, 0, 2, 7], isUnique: true), isAlone: false),
          .record(try CustomRecord("wiki.local", type: .a, data: [192, 0, 2, 8], isUnique: true), isAlone: false),
          .record(try CustomRecord("wiki.local", type: .aaaa, data: addresses[2].bytes, isUnique: true), isAlone: true),
        ]
      ])
  }

  @Test func `records of host names live for two minutes`() throws {
    for (type, seconds) in [(.a, 120), (.aaaa, 120), (.srv, 120), (.hinfo, 120), (.ptr, 4_500), (.txt, 4_500), (.https, 4_500)]
      as [(RecordType, UInt32)]
    {
      #expect(try CustomRecord("x.local", type: type, data: [], isUnique: true).timeToLive == seconds)
    }
  }

  /// 10,000 records in all.
  @Test(arguments: 1...10 as ClosedRange<UInt64>) func `any text survives Avahi's string list byte for byte`(seed: UInt64)
    throws
  {
    var random = SeededNumbers(seed: seed)
    for _ in 1...1_000 {
      let strings = (0..<random.number(below: 7)).map { _ in
        (0...random.number(below: random.number(below: 20) == 0 ? 200 : 40)).map { _ in UInt8(random.number(below: 256)) }
      }
      let txt = try TXTRecord(strings: strings)
      let data = txt.withStringList { list in
        return [UInt8](unsafeUninitializedCapacity: 2_000) { buffer, count in
          count = avahi_string_list_serialize(list, buffer.baseAddress, buffer.count)
        }
      }
      let read = TXTRecord(data: data)
      guard data == txt.data, read.strings == strings else {
        Issue.record("\(strings) became \(data)")
        return
      }
    }
  }

  /// The numbers of a seed.
  private struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func number(below end: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(end))
    }
  }
}
#endif
