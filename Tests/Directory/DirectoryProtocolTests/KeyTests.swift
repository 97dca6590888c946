import Testing
import _BonjourishBase
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

@Suite struct KeyTests {
  @Test func `a number is sixteen hexadecimal digits in lower case, and nothing else is one`() {
    for number in [0, 1, 0xAB_CDEF, .max] as [UInt64] { #expect(UInt64(digits: number.digits) == number) }
    #expect(UInt64(0xAB).digits == "00000000000000ab")
    for text in ["", "ab", "00000000000000AB", "+0000000000000ab", "000000000000000ab", "00000000000000 1", "ａ0000000000000"] {
      #expect(UInt64(digits: text) == nil, "\(text)")
    }
  }

  @Test func `a key is region, type, shard and name`() throws {
    let key = DirectoryKey(region: try #require(Region("eu-1")), type: "_twentyfour._tcp", name: "Ada's game.*>")
    let tokens = key.text.split(separator: ".")
    #expect(tokens.count == 4)
    #expect(tokens[0] == "eu-1")
    #expect(tokens[1] == "twentyfour_tcp")
    #expect(tokens[2] == (key.shard < 10 ? "0\(key.shard)" : "\(key.shard)"))
    #expect(tokens[3] == "ada=27s=20game=2E=2A=3E")
    #expect((0..<DirectoryKey.shardCount).contains(key.shard))
  }

  @Test func `names that are one have one key, and others have others`() throws {
    let region = try #require(Region("world"))
    func key(_ name: InstanceName) -> String { DirectoryKey(region: region, type: "_a._tcp", name: name).text }
    #expect(key("GAME") == key("game"))
    #expect(key("game") != key("game "))
    #expect(key("=67ame") != key("game"))
    #expect(key("é") == key("é"))
    #expect(key("É") != key("é"))
    // The shard is part of the format: it must never change.
    #expect(key("game") == "world.a_tcp.07.game")
  }

  @Test func `a pattern is of all shards or one, which the server chooses by`() throws {
    let region = try #require(Region("world"))
    #expect(DirectoryKey.all(of: "_a._tcp", in: region) == "world.a_tcp.*.*")
    #expect(DirectoryKey.all(of: "_a._tcp", in: region, shard: 7) == "world.a_tcp.07.*")
    #expect(DirectoryKey.all(of: "_a._tcp", in: region, shard: 63) == "world.a_tcp.63.*")
  }

  @Test func `a bucket says how many may watch it, and one that does not is changed in this alone`() throws {
    let bucket = try #require(Bucket("rooms"))
    func limit(_ bytes: [UInt8]) throws -> Int64? { try JSONReader.read(bytes)["max_consumers"]?.integer }
    #expect(try limit(bucket.settings(replicas: 1, maximumByteCount: 1)) == 1_000_000)
    #expect(try limit(bucket.settings(replicas: 1, maximumByteCount: 1, limitsWatches: false)) == -1)
    let told: JSONValue = ["name": "KV_rooms", "max_consumers": -1, "metadata": ["a": "b"]]
    let raised = try #require(bucket.withLimitOfWatches(told))
    #expect(raised == Array(#"{"max_consumers":1000000,"metadata":{"a":"b"},"name":"KV_rooms"}"#.utf8))
    // What somebody has chosen is left alone.
    for config: JSONValue? in [nil, "", [:], ["max_consumers": 500], try JSONReader.read(raised)] {
      #expect(bucket.withLimitOfWatches(config) == nil)
    }
  }

  @Test func `regions are short lower-case tokens`() {
    for text in ["", "Eu", "a.b", "a b", "*", ">", "ä", String(repeating: "a", count: 33)] { #expect(Region(text) == nil) }
    #expect(Region(String(repeating: "a", count: 32)) != nil)
  }

  @Test func `keys of a bucket are recognised, and other subjects are not`() throws {
    let bucket = try #require(Bucket("rooms"))
    #expect(bucket.key(bucket.subject("a.b.c.d")) == "a.b.c.d")
    #expect(bucket.key("$KV.room.a") == nil)
    #expect(bucket.key("$KV.roomsx.a") == nil)
    for name in ["", "a.b", "a b", "a>", "é", String(repeating: "a", count: 65)] { #expect(Bucket(name) == nil) }
  }
}
