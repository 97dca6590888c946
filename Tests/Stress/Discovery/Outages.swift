import Bonjourish
import FoundationEssentials
import _BonjourishConsole
import _BonjourishJSONOutput

/// Publishes and browses, and tells what works.
struct Outages {
  let published: Int
  let bonjour: Bonjour

  init(published: Int, on bonjour: Bonjour) {
    self.published = published
    self.bonjour = bonjour
  }

  private enum News {
    case service(number: Int, works: Bool)
    case browser(BrowseSnapshot)
  }

  /// A line of output.
  private struct State: Encodable, Equatable {
    var published = 0
    var found = 0
    var browses = false
  }

  func run() async throws {
    let (news, report) = AsyncStream<News>.makeStream()
    try await withThrowingTaskGroup { group in
      for number in 1...published { group.addTask { try await publish(number, report) } }
      group.addTask {
        try await bonjour.withBrowser(for: "_stress._tcp") { browser in
          for try await snapshot in browser.snapshots { report.yield(.browser(snapshot)) }
        }
      }
      group.addTask { await tell(news) }
      for await _ in LineReader.standardInput {}
      group.cancelAll()
      report.finish()
      try await group.waitForAll()
    }
  }

  private func publish(_ number: Int, _ report: AsyncStream<News>.Continuation) async throws {
    let name = try InstanceName("Own \(number)")
    try await bonjour.withPublishedService(named: name, type: "_stress._tcp", port: 4242) { service in
      report.yield(.service(number: number, works: await service.interruption == nil))
      for try await event in service.events {
        switch event {
        case .interrupted: report.yield(.service(number: number, works: false))
        case .restored: report.yield(.service(number: number, works: true))
        case .renamed(let former, let new): fatalError("\(former) was renamed to \(new)")
        }
      }
    }
  }

  private func tell(_ news: AsyncStream<News>) async {
    var working: Set<Int> = []
    var state = State(), told = State()
    for await item in news {
      switch item {
      case .service(let number, true): working.insert(number)
      case .service(let number, false): working.remove(number)
      case .browser(let snapshot): (state.found, state.browses) = (snapshot.services.count, snapshot.interruption == nil)
      }
      state.published = working.count
      guard state != told else { continue }
      told = state
      Output.standard.json(state)
    }
  }
}
