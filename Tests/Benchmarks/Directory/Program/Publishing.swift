import Bonjourish
import BonjourishDirectory
import Foundation
import _BonjourishBase
import _BonjourishConsole

/// Many rooms of one process, over few connections.
enum Publishing {
  /// The number of rooms that are being claimed at a time. More would wait for each other longer than a claim waits for an answer.
  private static let concurrency = 256

  static func run(_ arguments: [String]) async throws {
    guard let count = Int(arguments[3]), let connections = Int(arguments[4]) else { fatalError(usage) }
    let type = try ServiceType(arguments[2])
    var directories: [Bonjour] = []
    for _ in 0..<connections { directories.append(try await Bonjour(benchDirectory: arguments[1])) }
    let began = ContinuousClock.now
    await withThrowingTaskGroup(of: Void.self) { group in
      let (established, report) = AsyncStream<Void>.makeStream()
      func publish(_ number: Int) {
        let directory = directories[number % connections]
        group.addTask {
          let room = try InstanceName("Room \(number) of somebody")
          try await directory.withPublishedService(
            named: room, type: type, port: 4242, txt: ["players": "3", "of": "8", "game": "twentyfour", "number": "\(number)"]
          ) { service in
            report.yield()
            // Ends when the task is cancelled.
            try await tell(service.events)
          }
        }
      }
      for number in 0..<min(concurrency, count) { publish(number) }
      var awaited = established.makeAsyncIterator()
      for number in 0..<count {
        await awaited.next()
        if number + concurrency < count { publish(number + concurrency) }
      }
      Output.standard.line("established \((ContinuousClock.now - began).milliseconds)")
      while readLine() != nil {}
      group.cancelAll()
      try? await group.waitForAll()
    }
    Output.standard.line("withdrawn")
  }

  /// One room by its name, from before it is established. Each line of the input is its state from then on.
  static func name(_ arguments: [String]) async throws {
    let directory = try await Bonjour(benchDirectory: arguments[1])
    try await directory.withPublishedService(
      named: try InstanceName(arguments[3]), type: try ServiceType(arguments[2]), port: 4242
    ) { service in
      Output.standard.line("established as \(await service.name.text.escapedForDisplay)")
      let (states, input) = AsyncStream<String>.makeStream()
      Thread.detachNewThread {
        while let line = readLine() { input.yield(line) }
        input.finish()
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await tell(service.events) }
        for await state in states { try await service.update(txt: ["state": "\(state)"]) }
        group.cancelAll()
      }
    }
  }

  private static func tell(_ events: some AsyncSequence<ServiceEvent, DiscoveryError>) async throws {
    for try await event in events {
      switch event {
      case .interrupted(let error): Output.standard.line("interrupted: \(error.message)")
      case .restored: Output.standard.line("restored")
      case .renamed(_, let name): Output.standard.line("renamed \(name.text.escapedForDisplay)")
      }
    }
  }
}

extension Bonjour {
  /// Discovery by a directory alone.
  ///
  /// - Parameter place: Where it is, with `#` and the bucket unless it is the usual one; `-` for what the environment says.
  convenience init(benchDirectory place: String) async throws {
    let parts = place.split(separator: "#", maxSplits: 1).map(String.init)
    var configuration =
      place == "-" ? try DirectoryConfiguration.ofEnvironment() : DirectoryConfiguration(servers: [parts[0]])
    if parts.count == 2 { configuration.bucket = parts[1] }
    configuration.allowsLoopback = true
    configuration.replicas = min(configuration.servers.count, 3)
    try await self.init(directory: configuration, local: nil)
  }
}

extension Duration {
  var milliseconds: Int { Int(self / .milliseconds(1)) }
  var microseconds: Int { Int(self / .microseconds(1)) }
}
