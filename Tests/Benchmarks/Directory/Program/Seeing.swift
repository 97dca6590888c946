import Bonjourish
import BonjourishDirectory
import _BonjourishBase
import _BonjourishConsole

/// What those see who look for rooms.
enum Seeing {
  /// Tells for each of some rooms how long it takes from publishing it until another program sees it.
  static func see(_ arguments: [String]) async throws {
    guard let count = Int(arguments[3]), let rate = Double(arguments[4]) else { fatalError(usage) }
    let type = try ServiceType(arguments[2])
    let host = try await Bonjour(benchDirectory: arguments[1])
    let guest = try await Bonjour(benchDirectory: arguments[1])
    try await guest.withBrowser(for: type) { browser in
      var changes = browser.changes.makeAsyncIterator()
      while let change = try await changes.next(), change != .settled {}
      for number in 0..<count {
        try await Task.sleep(for: .seconds(1 / rate))
        let name = try InstanceName("New room \(number)")
        let began = ContinuousClock.now
        try await host.withPublishedService(named: name, type: type, port: 4242) { _ in
          while let change = try await changes.next() {
            if case .found(let found) = change, found.instance.name == name { break }
          }
          Output.standard.line("\((ContinuousClock.now - began).microseconds)")
        }
      }
    }
  }

  /// Tells how many rooms there are and how long it took to list them, by one that knows nothing yet, again and again.
  static func list(_ arguments: [String]) async throws {
    guard let times = Int(arguments[3]) else { fatalError(usage) }
    let type = try ServiceType(arguments[2])
    let bonjour = try await Bonjour(benchDirectory: arguments[1])
    // Connects.
    _ = try await bonjour.services(of: "_nothing._tcp", within: .seconds(20))
    for _ in 0..<times {
      let began = ContinuousClock.now
      let services = try await bonjour.services(of: type, within: .seconds(60))
      Output.standard.line("\(services.count) \((ContinuousClock.now - began).microseconds)")
    }
  }

  static func browse(_ arguments: [String]) async throws {
    let bonjour = try await Bonjour(benchDirectory: arguments[1])
    try await bonjour.withBrowser(for: try ServiceType(arguments[2]), resolving: true) { browser in
      for try await change in browser.changes {
        switch change {
        case .found(let service): Output.standard.line("found \(service.instance.name.text.escapedForDisplay)")
        case .lost(let service): Output.standard.line("lost \(service.instance.name.text.escapedForDisplay)")
        case .settled: Output.standard.line("settled")
        case .interrupted: Output.standard.line("interrupted")
        case .restored: Output.standard.line("restored")
        case .updated(let service):
          let state = service.endpoint?.txt.text("state") ?? ""
          Output.standard.line("updated \(service.instance.name.text.escapedForDisplay) \(state.escapedForDisplay)")
        }
      }
    }
  }

  static func resolve(_ arguments: [String]) async throws {
    let bonjour = try await Bonjour(benchDirectory: arguments[1])
    let instance = ServiceInstance(try InstanceName(arguments[3]), type: try ServiceType(arguments[2]))
    let began = ContinuousClock.now
    let endpoint = try await bonjour.resolve(instance)
    Output.standard.line("\(endpoint.port) \((ContinuousClock.now - began).microseconds)")
  }
}
