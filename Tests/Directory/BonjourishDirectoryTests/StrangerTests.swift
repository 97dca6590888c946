import Bonjourish
import Foundation
import TestSupport
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// What others who may write to the directory put there.
@Suite(.timeLimit(.minutes(3))) struct StrangerTests {
  @Test func `false records are bounded, and the real one stays listed, and is found by its name`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    let guest = try await Bonjour(server)
    let applicant = try await Bonjour(server)
    try await host.withPublishedService(named: "Real", type: "_game._tcp", port: 4242) { _ in
      try await guest.withBrowser(for: "_game._tcp") { browser in
        var snapshots = browser.snapshots.makeAsyncIterator()
        while try await snapshots.next()?.services.count != 1 {}
        try flood(server, around: "Real")
        // Of 4,500 false ones in the shard, a browser shows what has room beside the real one.
        let began = ContinuousClock.now
        var shown: [DiscoveredService] = []
        while shown.count < 4_096, let snapshot = try await snapshots.next() { shown = snapshot.services }
        print("4,096 shown after \(ContinuousClock.now - began)")
        #expect(shown.count == 4_096)
        #expect(shown.contains { $0.instance.name == "Real" })
      }
      // Resolving each of them takes a time for each, not for each pair.
      let began = ContinuousClock.now
      let listed = try await applicant.services(of: "_game._tcp", resolving: true, within: .seconds(60))
      #expect(listed.count == 4_096)
      #expect(listed.allSatisfy { $0.endpoint != nil })
      print("4,096 resolved after \(ContinuousClock.now - began)")
      let endpoint = try await applicant.resolve(ServiceInstance("Real", type: "_game._tcp"))
      #expect(endpoint.port == 4242)
    }
  }

  private func flood(_ server: NATSServer, around name: InstanceName) throws {
    let stranger = try Stranger(server)
    let world = Region("world")!
    let real = DirectoryKey(region: world, type: "_game._tcp", name: name)
    let shard = real.text.split(separator: ".")[2]
    // Values that are no records, and a record at the place of another name.
    try stranger.put("world.game_tcp.\(shard).x", [])
    try stranger.put("world.game_tcp.\(shard).y", Array("{\"v\":1}".utf8))
    try stranger.put("world.game_tcp.\(shard).z", [UInt8](repeating: UInt8(ascii: "["), count: 8_000))
    try stranger.put("world.game_tcp.\(shard).w", (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    try stranger.put("world.game_tcp.\(shard).real2", Self.record(name).bytes)
    // Thousands that are well-formed, all in the shard of the real one.
    var count = 0
    for number in 0..<400_000 where count < 4_500 {
      let name = try InstanceName("F\(number)")
      let key = DirectoryKey(region: world, type: "_game._tcp", name: name)
      guard key.shard == real.shard else { continue }
      try stranger.put(key.text, Self.record(name).bytes)
      count += 1
    }
    try stranger.finish()
  }

  private static func record(_ name: InstanceName) -> DirectoryRecord {
    DirectoryRecord(name: name, type: "_game._tcp", port: 666, host: "x", addresses: [.ipv4(0xC000_0201)], txt: [:], owner: 1)
  }

  @Test func `a name that a stranger overwrites is given up, and another is taken`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    try await host.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { service in
      let stranger = try Stranger(server)
      let record = Self.record("Game")
      try stranger.put(record.key(in: Region("world")!).text, record.bytes)
      try stranger.finish()
      // A change of the record is refused by the server, because the revision is another.
      try await service.update(txt: ["a": "1"])
      var events = service.events.makeAsyncIterator()
      #expect(try await events.next() == .renamed(from: "Game", to: "Game #2"))
      let guest = try await Bonjour(server)
      #expect(try await guest.services(of: "_game._tcp").map(\.instance.name) == ["Game", "Game #2"])
    }
  }

  @Test func `a record that nobody renews is gone at the end of its lease, and one that is renewed stays`() async throws {
    let server = try await NATSServer()
    let lease = RecordLease(duration: .seconds(3))
    let host = try await Bonjour(server) { $0.lease = lease }
    let guest = try await Bonjour(server) { $0.lease = lease }
    try await host.withPublishedService(named: "Alive", type: "_game._tcp", port: 1) { _ in
      let stranger = try Stranger(server)
      let record = Self.record("Dead")
      try stranger.put(record.key(in: Region("world")!).text, record.bytes)
      let began = ContinuousClock.now
      try stranger.finish()
      try await guest.withBrowser(for: "_game._tcp") { browser in
        for try await change in browser.changes {
          guard case .lost(let lost) = change else { continue }
          #expect(lost.instance.name == "Dead")
          break
        }
      }
      #expect(ContinuousClock.now - began >= lease.duration - .milliseconds(100))
      #expect(try await guest.services(of: "_game._tcp").map(\.instance.name) == ["Alive"])
    }
  }
}

/// Somebody who writes to the bucket what they like. The library is used directly.
private final class Stranger {
  private let connection: NATSConnection
  private let bucket = Bucket("bonjourish")!

  init(_ server: NATSServer) throws {
    connection = try NATSConnection(DirectorySettings(DirectoryConfiguration(servers: [server.url]))) { _ in }
  }

  func put(_ key: String, _ value: [UInt8]) throws { try connection.publish(value, to: bucket.subject(key)) }

  func finish() throws { connection.flush(milliseconds: 10_000) }
}
