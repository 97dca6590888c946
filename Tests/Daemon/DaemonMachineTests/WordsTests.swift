import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// The names, numbers and texts that programs know from avahi-daemon.
@Suite struct WordsTests {
  @Test func `the interfaces of all objects are described as programs rely on it, and errors have Avahi's names`() throws {
    let interfaces: [BusInterface] = [
      .server, .server2, .entryGroup, .domainBrowser, .serviceTypeBrowser, .serviceBrowser, .recordBrowser, .serviceResolver,
      .hostNameResolver, .addressResolver,
    ]
    let errors = AvahiError.allCases.map { "\($0.name): \($0.text)\n" }.joined()
    try Transcript("avahi").compare(BusInterface.description(of: interfaces) + errors)
  }

  @Test func `a name is written as Avahi does`() {
    let odd = Array("aZ09-_ @[`{/:.\\".utf8) + [7, 99, 127, 200]
    #expect(
      DNSName.avahiText([odd, Array("local".utf8)])
        == #"aZ09-_\032\064\091\096\123\047\058\.\\\007c\127\200.local"#)
  }

  @Test(arguments: [
    ("_http._tcp", true, true), ("_HTTP._Udp", true, true), ("_sub._http._tcp", false, true),
    ("_printer._sub._http._tcp", false, true), ("_http._sctp", false, false), ("http._tcp", false, false),
    ("_h._tcp", false, false), ("_hh._tcp", true, true), ("_x._http._tcp", false, false),
    ("printer._sub._http._tcp", false, false),
    ("_tcp", false, false), ("_http._tcp.local", false, false), ("", false, false), (".", false, false), ("a..b", false, false),
  ])
  func `a type has two labels, and a subtype more, that begin with an underscore`(text: String, isType: Bool, isAny: Bool) {
    let labels = DNSName(client: text)?.labels
    #expect(DNSName.typeLabels(text) == (isType ? labels : nil))
    #expect(DNSName.anyTypeLabels(text) == (isAny ? labels : nil))
  }

  @Test func `the names of instances and types are taken apart`() throws {
    func instance(_ name: DNSName) -> [String]? { name.instance.map { [$0.name, $0.type, $0.domain] } }
    func type(_ name: DNSName) -> [String]? { name.serviceType.map { [$0.type, $0.domain] } }
    #expect(instance(name("Ada's pages._http._tcp.a b.example")) == ["Ada's pages", "_http._tcp", "a\\032b.example"])
    for text in ["Ada._http._tcp", "Ada._http._sctp.local", "Ada.http._tcp.local"] { #expect(instance(name(text)) == nil) }
    for label in [[0x61, 0], [0xFF]] as [[UInt8]] {
      #expect(instance(try DNSName(labels: [label] + name("_http._tcp.local").labels)) == nil)
    }
    #expect(type(name("_http._tcp.local")) == ["_http._tcp", "local"])
    for text in ["_http._tcp", "http._tcp.local"] { #expect(type(name(text)) == nil) }
  }

  @Test(arguments: [
    (true, String(repeating: "a", count: 63), String(repeating: "a", count: 61) + "-2"), (true, "a-9", "a-10"),
    (true, "a-1-2", "a-1-3"), (true, "a-x", "a-x-2"), (true, "a-", "a--2"), (false, "Ada #02", "Ada #02 #2"),
    (false, "Ada #", "Ada # #2"), (false, "Ada #9:", "Ada #9: #2"), (false, "Ada #9/", "Ada #9/ #2"),
    (false, "Ada #1 #2", "Ada #1 #3"),
    (false, "Ada #4294967294", "Ada #4294967295"), (false, "Ada #4294967295", "Ada #4294967295 #2"),
    (false, String(repeating: "a", count: 61) + " #9", String(repeating: "a", count: 59) + " #10"),
    (false, String(repeating: "ä", count: 30) + "ab", String(repeating: "ä", count: 30) + " #2"),
    (false, String(repeating: "a", count: 60), String(repeating: "a", count: 60) + " #2"),
  ])
  func `the next name counts on from the last number, within 63 bytes`(isHost: Bool, name: String, next: String) {
    #expect((isHost ? AlternativeName.host(after: name) : AlternativeName.service(after: name)) == next)
  }

  @Test func `the strings of a text are told without empty ones, the last first, as far as they are whole`() {
    for (bytes, strings) in [
      ([], []), ([0], []), ([2, 97, 98], [[97, 98]]), ([1, 97, 0, 2, 98, 99], [[98, 99], [97]]), ([1, 97, 3, 98], [[97]]),
    ] as [([UInt8], [[UInt8]])] {
      #expect(DNSData.txt(bytes).strings == strings)
    }
    #expect(DNSData.address(.ipv4(1)).strings == [])
  }

  @Test func `the limits are those of the article about the daemon`() {
    let limits = DaemonLimits()
    let counts: [Int] = [
      limits.clients, limits.objectsPerClient, limits.objects, limits.callsPerClient, limits.entriesPerGroup, limits.entries,
      limits.linksPerGroup, limits.uniqueRecordsPerSet,
    ]
    #expect(counts == [4_096, 100_000, 200_000, 4_096, 100_000, 400_000, 256, 256])
    let bytes: [Int] = [
      limits.bytesHeld, limits.bytesPerClient, limits.bytes, limits.bytesUnread, limits.bytesUnreadInAll,
    ]
    #expect(bytes == [16, 64, 256, 16, 48].map { $0 << 20 })
  }

  @Test func `deadlines are due in order, however many there are`() {
    var list = DeadlineList()
    var due: [UInt64] = []
    for number in 0..<300 as Range<UInt64> {
      list.append(number, at: .seconds(Int(number) + 10))
      #expect(list.first == .seconds(due.count + 10))
      if number > 20 { while let id = list.popDue(at: .seconds(Int(number))) { due.append(id) } }
    }
    #expect(due == Array(0...289) && list.popDue(at: .milliseconds(299_999)) == nil)
    while let id = list.popDue(at: .seconds(1_000)) { due.append(id) }
    #expect(due == Array(0..<300) && list.first == nil)
  }
}
