import Bonjourish
import FoundationEssentials
import _BonjourishBase
import _BonjourishConsole

/// Operations that are cancelled at random moments.
struct Cancellations {
  let count: Int
  let seed: UInt64
  let bonjour: Bonjour

  init(count: Int, seed: UInt64, on bonjour: Bonjour) {
    self.count = count
    self.seed = seed
    self.bonjour = bonjour
  }

  /// The number of operations at a time.
  private static let width = 64

  func run() async throws {
    var random = SeededGenerator(seed: seed)
    var figures = ProcessFigures()
    let begin = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        if number >= Self.width { try await group.next() }
        let kind = random.next() % 6, delay = Duration.microseconds(Int64(random.next() % 20_000))
        group.addTask { try await cancel(kind, number, after: delay) }
        // What is allocated once has been allocated by then.
        if number == count / 10 { figures = ProcessFigures() }
      }
      try await group.waitForAll()
    }
    let end = ProcessFigures()
    Output.standard.line("cancelled \(count) in \((ContinuousClock.now - begin) / .seconds(1)) s")
    Output.standard.line("descriptors \(figures.descriptors) → \(end.descriptors)")
    Output.standard.line("resident KiB \(figures.resident) → \(end.resident)")
    guard end.descriptors <= figures.descriptors + 1 else { fatalError("descriptors were not closed") }
  }

  private func cancel(_ kind: UInt64, _ number: Int, after delay: Duration) async throws {
    let operation = Task { try await operate(kind, number) }
    try? await Task.sleep(for: delay)
    operation.cancel()
    do {
      try await operation.value
    } catch let error as DiscoveryError where error.code == .cancelled || error.code == .timedOut {
      // As it should be.
    } catch is CancellationError {
    }
  }

  private func operate(_ kind: UInt64, _ number: Int) async throws {
    let name = try InstanceName("Service \(number % 100)")
    switch kind {
    case 0: _ = try await bonjour.services(of: "_stress._tcp", resolving: true)
    case 1: _ = try await bonjour.resolve(ServiceInstance(name, type: "_stress._tcp"))
    case 2:
      try await bonjour.withBrowser(for: "_stress._tcp", resolving: true) { browser in
        for try await _ in browser.changes {}
      }
    case 3:
      try await bonjour.withBrowser(for: "_stress._tcp") { browser in
        for try await _ in browser.snapshots {}
      }
    default:
      try await bonjour.withPublishedService(
        named: try InstanceName("Service \(number)"), type: "_stress._tcp", port: 4242
      ) { service in
        if kind == 4 { try await service.update(txt: ["number": "\(number)"]) }
        for try await _ in service.events {}
      }
    }
  }
}

/// What this process holds.
struct ProcessFigures {
  let descriptors: Int
  /// In KiB.
  let resident: Int

  init() {
    descriptors = (0..<1024).count { descriptor in
      (try? String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)) != nil
    }
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? "0"
    resident = line.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }
}
