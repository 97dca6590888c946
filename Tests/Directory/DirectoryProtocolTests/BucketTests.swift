import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDiscovery

@testable import _BonjourishDirectoryProtocol

/// What is asked of NATS, byte by byte, and how its answers are read.
@Suite struct BucketTests {
  @Test func `requests have the subjects and the settings that NATS documents`() throws {
    let buckets = [
      try #require(Bucket("b")), try #require(Bucket("A-1_z", api: "$JS.hub.API", lease: RecordLease(duration: .seconds(3)))),
    ]
    var text = ""
    for bucket in buckets {
      text +=
        "\(bucket.stream) \(bucket.subject("k")) \(bucket.infoRequest) \(bucket.updateRequest) \(bucket.creationRequest)\n"
      text += "\(bucket.watchRequest) \(bucket.readRequest("a.b"))\n"
      for settings in [
        bucket.settings(replicas: 3, maximumByteCount: 7), bucket.watch("world.>", deliverTo: "_INBOX.x"),
        bucket.settings(replicas: 1, maximumByteCount: 8, maximumValueSize: 9, storage: .file, limitsWatches: false),
        bucket.watch("world.*", deliverTo: "y", headersOnly: true),
      ] {
        text += String(decoding: settings, as: UTF8.self) + "\n"
      }
    }
    try Transcript("buckets").compare(text)
    #expect(buckets[0].key("$KV.b.a.b") == "a.b" && buckets[0].key("$KV.c.a") == nil)
  }

  @Test(arguments: [
    ("", false), ("a", true), (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
    ("azAZ09-_", true), ("a.b", false), ("a b", false), ("\u{E9}", false), ("a@", false), ("a[", false), ("a/", false),
    ("a:", false), ("a`", false), ("a{", false),
  ])
  func `a bucket's name is of letters, digits, hyphens and underscores`(name: String, isAllowed: Bool) {
    #expect((Bucket(name) != nil) == isAllowed)
  }

  @Test func `a limit of watches is added where there is none`() throws {
    let bucket = try #require(Bucket("b"))
    func limited(_ config: JSONValue?) -> String? {
      bucket.withLimitOfWatches(config).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(limited(["max_consumers": -1, "x": 2]) == #"{"max_consumers":1000000,"x":2}"#)
    #expect(limited(["max_consumers": 0]) == #"{"max_consumers":1000000}"#)
    #expect(limited(["max_consumers": 1]) == nil && limited([:]) == nil && limited(nil) == nil && limited(7) == nil)
  }

  @Test func `answers to writes and reads are told apart`() throws {
    func message(_ text: String, status: Int? = nil, headers: [String: String] = [:]) -> DirectoryMessage {
      DirectoryMessage(status: status, headers: headers, data: Array(text.utf8))
    }
    var text = ""
    for body in [
      #"{"seq":7,"stream":"KV_b"}"#, #"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#,
      #"{"error":{"code":400}}"#, #"{"error":{}}"#, #"{"error":{"err_code":1}}"#, "{}", "[]", "", "x", #"{"seq":-1}"#,
      #"{"seq":"1"}"#,
      #"{"type":"x","error":null}"#,
    ] {
      text += "\(body): \(JetStreamAnswer(message(body)))\n"
    }
    for (body, status, headers) in [
      (#"{"owner":"0000000000000abc"}"#, nil, ["Nats-Sequence": "7"]), ("{}", nil, [:]), ("", 404, [:]), ("", 408, [:]),
      ("", nil, ["Nats-Sequence": "8", "KV-Operation": "DEL"]), ("", nil, ["Nats-Sequence": "8", "KV-Operation": "PURGE"]),
      ("", nil, ["Nats-Sequence": "x"]), (#"{"owner":"abc"}"#, nil, ["Nats-Sequence": "9"]),
      (#"{"owner":"0000000000000abc","relay":"0000000000000001000000000000000f"}"#, nil, ["Nats-Sequence": "10"]),
    ] as [(String, Int?, [String: String])] {
      let answer = DirectAnswer(message(body, status: status, headers: headers))
      text +=
        "\(body) \(status ?? 0) \(headers.sorted { $0.key < $1.key }): \(Claim.Reading(answer)), \(Ownership.Reading(answer))\n"
    }
    try Transcript("answers").compare(text)
  }
}
