import DirectoryModel
import Foundation
import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDirectoryProtocol

@testable import BonjourishDirectory

/// The model of the directory, with which groups are simulated, beside real servers: both get the same, and must answer the same.
@Suite(.timeLimit(.minutes(2))) struct DirectoryModelTests {
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a real server answers and delivers what the model does`(seed: UInt64) async throws {
    var pair = try await ServerAndModel(try await NATSServer(), retention: .seconds(3_600))
    var generator = SeededGenerator(seed: seed)
    var watches: [String] = []
    var revisions: [String: UInt64] = [:]
    for step in 0..<120 {
      let key = "world.\(generator.once(in: 2) ? "value" : "owner").k\(generator.number(in: 0..<4))"
      let expected: UInt64? =
        switch generator.number(in: 0..<4) {
        case 0: nil
        case 1: generator.once(in: 2) ? 0 : UInt64(generator.number(in: 0..<50))
        default: revisions[key] ?? 0
        }
      switch generator.number(in: 0..<12) {
      case 0...5:
        let size = generator.once(in: 12) ? ServerAndModel.largest + 200 : generator.number(in: 0..<300)
        revisions[key] = try await pair.put(key, generator.bytes(count: size), owner: 7, expected) ?? revisions[key]
      case 6: revisions[key] = try await pair.delete(key, expected) ?? revisions[key]
      case 7...8: try await pair.read(key)
      case 9 where watches.count < 4:
        watches.append("watch.\(step)")
        let pattern = ["world.*.*", "world.value.*", key].randomElement(using: &generator)!
        try await pair.watch(pattern, watches.last!, headersOnly: !generator.once(in: 3))
      case 10 where !watches.isEmpty: pair.unwatch(watches.remove(at: generator.number(in: 0..<watches.count)))
      default: try await pair.info()
      }
    }
    #expect(pair.differences == [], "seed \(seed)")
  }

  @Test func `a full bucket takes what replaces as much, and refuses the rest`() async throws {
    var pair = try await ServerAndModel(try await NATSServer(), total: 10_000)
    for number in 0..<12 {
      _ = try await pair.put("world.value.k\(number)", [UInt8](repeating: 1, count: 1_500), owner: 7, nil)
    }
    for (size, key) in [(1_500, "k0"), (1_400, "k1"), (1_600, "k2"), (10, "k20"), (1_500, "k21")] {
      _ = try await pair.put("world.value.\(key)", [UInt8](repeating: 2, count: size), owner: 7, nil)
    }
    _ = try await pair.delete("world.value.k0", nil)
    _ = try await pair.put("world.value.k22", [UInt8](repeating: 2, count: 1_500), owner: 7, nil)
    #expect(pair.differences == [])
  }

  @Test func `a consumer waits until it is told to go on`() async throws {
    var pair = try await ServerAndModel(try await NATSServer(), total: 100 << 20)
    for number in 0..<40 {
      _ = try await pair.put("world.value.k\(number)", [UInt8](repeating: 1, count: 100_000), owner: 7, nil)
    }
    try await pair.watch("world.value.*", "watch.1", headersOnly: false, goesOn: false)
    try await pair.waitForStalling("watch.1")
    try await pair.goOn("watch.1")
    #expect(pair.differences == [])
  }

  @Test func `a heartbeat says what was delivered, and old values are gone without a word`() async throws {
    var pair = try await ServerAndModel(try await NATSServer(), retention: .seconds(2))
    try await pair.watch("world.*.*", "watch.1", headersOnly: true)
    _ = try await pair.put("world.value.k1", [1], owner: 7, nil)
    _ = try await pair.put("world.value.k2", [1], owner: 7, nil)
    try await pair.waitForHeartbeat("watch.1")
    try await pair.waitUntilGone("world.value.k2")
    _ = try await pair.put("world.value.k1", [1], owner: 7, 0)
    #expect(pair.differences == [])
  }

  @Test func `without a bucket both say so`() async throws {
    var pair = try await ServerAndModel(try await NATSServer(), creates: false)
    try await pair.info()
    _ = try await pair.put("world.value.k1", [1], owner: 7, nil)
    try await pair.watch("world.*.*", "watch.1", headersOnly: true)
    #expect(pair.differences == [])
  }

  @Test func `both refuse one consumer more than the bucket permits`() async throws {
    var pair = try await ServerAndModel(try await NATSServer(), consumers: 2)
    for number in 1...3 { try await pair.watch("world.*.*", "watch.\(number)", headersOnly: true) }
    #expect(pair.differences == [])
  }
}
