import Bonjourish
import BonjourishTransport
import CBonjourishLinux
import FramedTransport

/// Measures: connects both ways, and prints medians as JSON, one line for each figure.
struct BenchGuest {
  private let url: String
  private let server, host: pid_t
  private let runs: Int

  /// - Parameters:
  ///   - server: The process of the NATS server, whose processor time is measured.
  ///   - host: The other program.
  init(_ url: String, server: pid_t, host: pid_t, runs: Int) {
    self.url = url
    self.host = host
    self.server = server
    self.runs = runs
  }

  func run() async throws {
    let bonjour = try await RelayBench.bonjour(url)
    for isRelayed in [false, true] {
      // The host may still be starting.
      for attempt in 0... {
        do {
          let connection = try await connect(bonjour, isRelayed)
          await connection.close()
          break
        } catch {
          guard attempt < 50 else { throw error }
          try await Task.sleep(for: .milliseconds(100))
        }
      }
    }
    for size in [64, 1_024] {
      try await compare("round trip of \(size) bytes", "µs") { try await roundTrips(bonjour, $0, size: size) }
    }
    for size in [1_024, 16_384] {
      try await compare("frames of \(size) bytes in one direction", "MB/s") { try await stream(bonjour, $0, size: size) }
    }
    for size in [100, 1_000] {
      try await broadcast(bonjour, size: size)
    }
  }

  private func connect(_ bonjour: Bonjour, _ isRelayed: Bool) async throws -> Connection {
    guard isRelayed else {
      let connection = try await Connection.connect(to: RelayBench.service, using: bonjour, limits: RelayBench.limits)
      precondition(!connection.isRelayed, "the direct connection must be direct")
      return connection
    }
    guard let relaying = bonjour.backend as? any RelayingBackend else { fatalError("the directory relays") }
    let loop = try TransportLoops.one.chosen()
    let service = try await relaying.dial(RelayBench.service, interfaces: .all, within: .seconds(5), on: loop)
    return try await Connection.connect(
      over: service.stream, format: .standard, limits: RelayBench.limits, security: .plaintext, within: .seconds(5), on: loop)
  }

  private func compare(_ name: String, _ unit: String, _ measure: (Bool) async throws -> Double) async throws {
    var figures: [Bool: [Double]] = [:]
    for _ in 0..<runs {
      for isRelayed in [false, true] { figures[isRelayed, default: []].append(try await measure(isRelayed)) }
    }
    let (direct, relayed) = (median(figures[false]!), median(figures[true]!))
    print("{\"name\": \"\(name)\", \"unit\": \"\(unit)\", \"direct\": \(direct), \"relayed\": \(relayed)}")
  }

  /// The median of the times of round trips, in microseconds.
  private func roundTrips(_ bonjour: Bonjour, _ isRelayed: Bool, size: Int) async throws -> Double {
    let connection = try await connect(bonjour, isRelayed)
    try await connection.send([UInt8(ascii: "e")])
    let body = [UInt8](repeating: 1, count: size)
    var frames = connection.frames.makeAsyncIterator()
    var times: [Double] = []
    for _ in 0..<2_000 {
      let start = ContinuousClock.now
      try await connection.send(body)
      guard try await frames.next() != nil else { fatalError("the host has gone") }
      times.append((ContinuousClock.now - start) / .microseconds(1))
    }
    await connection.close()
    return median(times)
  }

  /// The speed of one direction, in megabytes (10^6 bytes) a second.
  private func stream(_ bonjour: Bonjour, _ isRelayed: Bool, size: Int) async throws -> Double {
    let connection = try await connect(bonjour, isRelayed)
    try await connection.send([UInt8(ascii: "s")])
    let body = [UInt8](repeating: 1, count: size)
    let count = 128_000_000 / size / (isRelayed ? 2 : 1)
    let start = ContinuousClock.now
    for _ in 0..<count { try await connection.send(body) }
    connection.finishSending()
    var frames = connection.frames.makeAsyncIterator()
    guard try await frames.next() != nil else { fatalError("the host has gone") }
    let speed = Double(count * size) / 1e6 / ((ContinuousClock.now - start) / .seconds(1))
    await connection.close()
    return speed
  }

  /// A broadcast to 100 members: frames that arrive in a second, and processor time for each in the host and in the server.
  private func broadcast(_ bonjour: Bonjour, size: Int) async throws {
    // So few that nobody lags so far behind that the host gives up on it.
    let (members, count) = (100, 200_000 / size)
    for isRelayed in [false, true] {
      var figures: [[Double]] = [[], [], []]
      for _ in 0..<runs {
        let caller = try await connect(bonjour, false)
        try await caller.send([UInt8(ascii: "b")])
        var connections: [Connection] = []
        for _ in 0..<members {
          let connection = try await connect(bonjour, isRelayed)
          try await connection.send([UInt8(ascii: "m")])
          connections.append(connection)
        }
        try await Task.sleep(for: .milliseconds(500))
        let before = (Processes.seconds(of: host), Processes.seconds(of: server))
        let start = ContinuousClock.now
        let order = [count, size].flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        try await caller.send(order)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for connection in connections {
            group.addTask {
              var left = count
              while left > 0 { left -= try await connection.receiveFrames { _ in } ?? left }
            }
          }
          try await group.waitForAll()
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let after = (Processes.seconds(of: host), Processes.seconds(of: server))
        let frames = Double(members * count)
        for (place, figure) in [
          frames / seconds, (after.0 - before.0) * 1e6 / frames, (after.1 - before.1) * 1e6 / frames,
        ].enumerated() {
          figures[place].append(figure)
        }
        for connection in connections { connection.abort() }
        await caller.close()
        try await Task.sleep(for: .milliseconds(300))
      }
      let name = "broadcast of \(size) bytes to \(members) \(isRelayed ? "relayed" : "direct") members"
      for (unit, values) in zip(["frames/s", "µs of the host each", "µs of the server each"], figures) {
        print("{\"name\": \"\(name)\", \"unit\": \"\(unit)\", \"value\": \(median(values))}")
      }
    }
  }

  private func median(_ values: [Double]) -> Double { (values.sorted()[values.count / 2] * 100).rounded() / 100 }
}
