import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

/// What servers say of times, deliveries and failures, and what programs may ask a directory.
@Suite struct AnswerTests {
  private static let whole = "2026-11-23T00:26:50Z"

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000000001Z", 1), ("1970-03-01T23:59:60Z", 5_184_000),
    ("2199-12-31T23:59:59Z", 7_258_118_399), ("2000-03-01T00:00:00Z", 951_868_800), ("2001-01-31T00:00:00Z", 980_899_200),
    ("2100-03-01T00:00:00Z", 4_107_542_400),
  ])
  func `a time is counted from 1970, with leap days`(text: String, seconds: Int64) {
    #expect(ServerTime.read(text) == (seconds == 1 ? 1 : seconds * 1_000_000_000))
  }

  @Test(arguments: [
    (0, "1969"), (0, "2200"), (5, "00"), (5, "13"), (8, "00"), (8, "32"), (11, "24"), (14, "60"), (17, "61"), (4, "/"),
    (7, "/"),
    (10, "t"), (13, "."), (16, "."), (19, "z"), (0, "20/6"), (0, "20:6"), (5, " 1"), (8, "-1"), (11, "+1"), (14, "1 "),
    (17, "5."),
  ])
  func `a time with one thing wrong is none`(place: Int, part: String) {
    var bytes = Array(Self.whole.utf8)
    bytes.replaceSubrange(place..<place + part.utf8.count, with: part.utf8)
    #expect(ServerTime.read(String(decoding: bytes, as: UTF8.self)) == nil)
  }

  @Test(arguments: [
    ("2026-11-23T23:59:59.999999999Z", true), ("2026-11-23T00:26:50.1Z", true), ("2026-11-23T00:26:50.1234567890Z", false),
    ("2026-11-23T00:26:50.Z", false), ("2026-11-23T00:26:50,5Z", false), ("2026-11-23T00:26:50.5", false),
    ("2026-12-31T00:00:00Z", true), ("2026-01-01T00:00:00Z", true), ("2026-11-23T00:26:500Z", false),
    ("2026-11-23T00:26:5Z", false),
  ])
  func `a part of a second has one to nine digits`(text: String, isTime: Bool) {
    #expect((ServerTime.read(text) != nil) == isTime)
  }

  @Test(arguments: ["", "hub.acc."])
  func `a delivery says where it is from, and how many follow`(prefix: String) throws {
    let suffixes = prefix.isEmpty ? [""] : ["", ".token", ".token.more"]
    for suffix in suffixes {
      let delivery = try #require(Delivery("$JS.ACK.\(prefix)KV_b.c.1.30.2.99.7\(suffix)"))
      #expect(delivery.stream == "KV_b" && delivery.consumer == "c" && delivery.streamSequence == 30)
      #expect(delivery.consumerSequence == 2 && delivery.time == 99 && delivery.pending == 7)
    }
    for wrong in [
      "$JS.ACK.KV_b.c.1.30.2.99.7.8", "$JS.ACK.hub.acc.KV_b.c.1.30.2.99.7.a.b.c", "$JS.NAK.KV_b.c.1.30.2.99.7",
      "$JT.ACK.KV_b.c.1.30.2.99.7", "$JS.ACK.KV_b.c.1.x.2.99.7", "$JS.ACK.KV_b.c.1.30.2.-1.7", "$JS.ACK.KV_b.c.1.30.2.99.",
    ] { #expect(Delivery(wrong) == nil, "\(wrong)") }
    let long = "$JS.ACK." + String(repeating: "s", count: 1_000) + ".c.1.3.2.9.7"
    #expect(
      long.utf8.count == 1_020 && Delivery(long) != nil && Delivery(long + "7777") != nil && Delivery(long + "77777") == nil)
  }

  /// The properties that hold for a failure.
  private static func properties(_ code: Int, _ kind: Int) -> Set<String> {
    let failure = JetStreamFailure(code: code, kind: kind, text: "words")
    let all = [
      "wrong sequence": failure.isWrongSequence, "other stream": failure.isOtherStream, "overlaps": failure.overlaps,
      "missing": failure.isMissing, "full": failure.isFull, "watches": failure.isLimitOfWatches,
      "not permitted": failure.isNotPermitted, "storage": failure.isShortOfStorage, "final": failure.isFinal,
    ]
    return Set(all.filter(\.value).keys)
  }

  @Test(
    arguments: [
      (400, 10_071, ["wrong sequence"]), (400, 10_058, ["other stream", "final"]), (400, 10_065, ["overlaps", "final"]),
      (404, 10_059, ["missing"]), (503, 10_008, ["missing"]), (503, 10_077, ["full"]), (400, 10_026, ["watches"]),
      (403, 0, ["not permitted", "final"]), (500, 10_002, ["full", "storage"]), (500, 10_023, ["full", "storage"]),
      (503, 10_028, ["full", "storage"]), (500, 10_047, ["full", "storage"]), (400, 10_054, ["final"]), (408, 0, []),
      (500, 0, []),
    ] as [(Int, Int, Set<String>)])
  func `a failure of JetStream is known by its code and its kind`(code: Int, kind: Int, properties: Set<String>) {
    #expect(Self.properties(code, kind) == properties)
  }

  @Test func `a failure that is only a status is told in words`() {
    func failure(_ status: Int) -> String { "\(JetStreamFailure(DirectoryMessage(subject: "a.b"), status: status))" }
    #expect(
      failure(403)
        == "JetStream: this user may not publish to a.b; its permissions at the server lack this subject (code 403, kind 0)")
    #expect(failure(503) == "JetStream: nobody answers for the bucket (code 503, kind 0)")
    #expect(failure(408) == "JetStream: status 408 (code 408, kind 0)")
  }

  @Test func `a failure's words are shortened, and two kinds say what to do`() {
    func text(_ kind: Int, _ words: String) -> String? {
      let body = #"{"error":{"code":1,"err_code":\#(kind),"description":"\#(words)"}}"#
      guard case .refused(let failure) = JetStreamAnswer(DirectoryMessage(data: Array(body.utf8))) else { return nil }
      return failure.text
    }
    #expect(text(1, String(repeating: "x", count: 300)) == String(repeating: "x", count: 200))
    #expect(text(10_077, "why") == "the directory is full (why)")
    #expect(
      text(10_026, "why") == "its bucket allows no more watches (why); set max_consumers of its stream to 1000000")
    var message = DirectoryMessage(data: Array(#"{"seq":7}"#.utf8))
    #expect(JetStreamAnswer(message) == .stored(7))
    message.isOversized = true
    #expect(JetStreamAnswer(message) == .refused(.senseless))
    #expect(JetStreamAnswer(DirectoryMessage(data: Array(#"{"seq":0}"#.utf8))) == .done(["seq": 0]))
    #expect(JetStreamAnswer(DirectoryMessage(data: Array(#"{"type":"x","seq":7}"#.utf8))) == .done(["type": "x", "seq": 7]))
    #expect("\(JetStreamFailure.senseless)" == "JetStream: the answer makes no sense (code 0, kind 0)")
  }

  @Test func `a directory is asked for services and their hosts, and for nothing else`() throws {
    let region = Region("world")!
    let record = RecordTests.record("Ada")
    let key = record.key(in: region)
    let instance = ServiceInstance("Ada", type: "_game._tcp")
    let (fullName, host) = (try instance.fullName, try #require(DirectoryRecord.hostName(of: key)))
    #expect(host.text == "Ada._game._tcp.world.directory.alt")
    let types: [RecordType] = [.srv, .txt, .any, .a, .aaaa, .ptr]
    func asked(_ name: RecordQuestion.Name) -> [RecordType] {
      types.filter { DirectoryRecord.key(of: RecordQuestion(name, $0), in: region) == key }
    }
    #expect(asked(.instance(instance)) == [.srv, .txt, .any] && asked(.domain(fullName)) == [.srv, .txt, .any])
    #expect(asked(.domain(host)) == [.any, .a, .aaaa])
    let elsewhere = ServiceInstance("Ada", type: "_game._tcp", domain: "example.com")
    #expect(asked(.instance(elsewhere)) == [])
    for labels in [
      ["Ada", "_game", "_tcp", "world", "directory", "alt", "x"], ["Ada", "_game", "_tcp", "eu", "directory", "alt"],
      ["Ada", "_game", "_sctp", "world", "directory", "alt"], ["Ada", "_game", "_tcp", "world", "directory", "local"],
    ] {
      let name = try #require(DomainName(labels: labels.map { Array($0.utf8) }))
      #expect(DirectoryRecord.key(ofHost: name, in: region) == nil)
    }
    let endpoint = try #require(record.endpoint(in: region))
    #expect(endpoint == Endpoint(host: host, port: 4242, txt: record.txt, addresses: record.addresses))
  }

  @Test func `a record lets readers see it on the families of its addresses`() {
    #expect(RecordTests.record().families == [.ipv4, .ipv6] && RecordTests.record(addresses: ["::2"]).families == [.ipv6])
    #expect(RecordTests.record(addresses: []).families == [.ipv4])
  }
}
