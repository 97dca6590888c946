import Bonjourish
import _BonjourishConsole
import _BonjourishDoctor
import _BonjourishExplorer
import _BonjourishTerminal

/// Does what an ``Explorer`` wants, each thing in a task of its own.
struct ExplorerTasks: Sendable {
  private let screen: ExplorerScreen
  private let session: TerminalSession
  private let bonjour: Bonjour
  private let interfaces: InterfaceSelection

  /// The interval at which is shown how long records are still believed.
  private static let tick: Duration = .seconds(1)
  /// How long a service is selected before it is asked for: not while the cursor passes it.
  private static let rest: Duration = .milliseconds(150)

  init(_ screen: ExplorerScreen, _ session: TerminalSession, _ bonjour: Bonjour, _ interfaces: InterfaceSelection) {
    (self.screen, self.session, self.bonjour, self.interfaces) = (screen, session, bonjour, interfaces)
  }

  /// Carries out effects until one is to quit, or the task is cancelled; returns when all that was begun has ended.
  func carryOut(_ effects: AsyncStream<ExplorerEffect>) async {
    await withDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      var following: AsyncStream<Never>.Continuation?
      var published: [Int: AsyncStream<Never>.Continuation] = [:]
      for await effect in effects {
        switch effect {
        case .quit: return
        case .repaint: session.forget()
        case .reportMouse(let isWanted): session.reportMouse(isWanted)
        case .copy(let text):
          if !session.copy(text) {
            // A report is there to be read; a line is shown for who copies it by hand.
            let shown = text.contains("\n") ? "" : ": \(text)"
            screen.handle(.note("this terminal takes no text for its clipboard from programs\(shown)"))
          }
        case .follow(let instance):
          following?.finish()
          following = nil
          guard let instance else { break }
          let (stop, stopper) = AsyncStream<Never>.makeStream()
          following = stopper
          group.addTask { await until(stop) { await follow(instance) } }
        case .resolve(let instance): group.addTask { await resolve(instance, follows: false) }
        case .publish(let number, let words):
          let (stop, stopper) = AsyncStream<Never>.makeStream()
          published[number] = stopper
          group.addTask { await publish(words, as: number, until: stop) }
        case .withdraw(let number): published.removeValue(forKey: number)?.finish()
        case .open(let opening): group.addTask { await open(opening) }
        case .examine(let columns):
          group.addTask {
            let lines = await screen.examination.lines(columns: columns)
            screen.handle(.examined(lines))
          }
        }
      }
    }
  }

  /// Runs a body until it returns or something is finished.
  private func until(_ stop: AsyncStream<Never>, _ body: @escaping @Sendable () async -> Void) async {
    await withTaskGroup { group in
      group.addTask { await body() }
      group.addTask { for await _ in stop {} }
      await group.next()
      group.cancelAll()
    }
  }

  // MARK: - The selected service

  private func follow(_ instance: ServiceInstance) async {
    try? await Task.sleep(for: Self.rest)
    if Task.isCancelled { return }
    await withDiscardingTaskGroup { group in
      group.addTask { await resolve(instance, follows: true) }
      guard instance.domain == .local else { return }
      // Records are shown where they can be had; a directory has none.
      group.addTask { try? await followRecords(of: instance) }
      group.addTask {
        guard let name = try? instance.fullName else { return }
        while !Task.isCancelled {
          screen.handle(.lifetimes(of: instance, await bonjour.remainingLifetimes(of: name)))
          try? await Task.sleep(for: Self.tick)
        }
      }
    }
  }

  /// Resolves a service once, or follows what it resolves to.
  private func resolve(_ instance: ServiceInstance, follows: Bool) async {
    do {
      try await bonjour.withResolution(of: instance, interfaces: interfaces) { resolution in
        for try await change in resolution.changes {
          switch change {
          case .resolved(let endpoint): screen.handle(.resolved(instance, endpoint))
          case .lost: screen.handle(.resolved(instance, nil, refusing: await resolution.refusedAddresses))
          case .interrupted, .restored: continue
          }
          if !follows { return }
        }
      }
    } catch {
      // What cannot be resolved is shown as one that does not answer.
      if !Task.isCancelled { screen.handle(.resolved(instance, nil)) }
    }
  }

  /// Follows the records of a service: where it is, and its text.
  private func followRecords(of instance: ServiceInstance) async throws {
    try await bonjour.withRecords(of: instance.fullName, type: .srv, interfaces: interfaces) { servers in
      try await bonjour.withRecords(of: instance.fullName, type: .txt, interfaces: interfaces) { texts in
        let records = SharedRecords(instance, screen)
        try await withThrowingDiscardingTaskGroup { group in
          for lookup in [servers, texts] {
            group.addTask { for try await change in lookup.changes { await records.apply(change) } }
          }
        }
      }
    }
  }

  // MARK: - Publishing

  /// Publishes what words describe, as `publish` does, until it is withdrawn.
  private func publish(_ words: [String], as number: Int, until stop: AsyncStream<Never>) async {
    do {
      // No word is an option: `publish` has many that concern a whole program.
      let plan = try await PublishPlan(try Commands.publish.arguments(of: ["--"] + words))
      guard let service = plan.services.first else { return }
      try await bonjour.withPublishedServices([service], interfaces: interfaces) { services in
        let published = services[0]
        let name = await published.name
        screen.handle(.publication(number, .published(ServiceInstance(name, type: service.type, domain: service.domain))))
        try await withThrowingTaskGroup { group in
          group.addTask { for await _ in stop {} }
          group.addTask {
            for try await event in published.events {
              switch event {
              case .renamed(_, let name):
                let instance = ServiceInstance(name, type: service.type, domain: service.domain)
                screen.handle(.publication(number, .published(instance)))
              case .interrupted(let error): screen.handle(.note(error.message.escapedForDisplay))
              case .restored: screen.handle(.note("\(await published.name) can be found again"))
              }
            }
          }
          try await group.next()
          group.cancelAll()
        }
      }
      screen.handle(.publication(number, .withdrawn))
    } catch {
      screen.handle(.publication(number, .failed(Self.message(of: error))))
    }
  }

  private static func message(of error: any Error) -> String {
    switch error {
    case let error as DiscoveryError: error.message
    case let error as Failure: error.message
    case let error as UsageError: error.description
    default: "\(error)"
    }
  }

  // MARK: - Opening

  private func open(_ opening: Opening) async {
    let problem: String?
    if opening.needsTerminal {
      problem = await screen.lending {
        // Ctrl-C is for the program that has the terminal.
        await Program.offeringInterrupts(to: { true }) {
          await session.lend { await ChildProgram.run(opening) }
        }
      }
    } else {
      screen.handle(.note("opening \(opening.line)"))
      problem = await ChildProgram.run(opening)
    }
    if let problem { screen.handle(.note(problem)) }
  }
}

/// The records of a service that several lookups follow.
private actor SharedRecords {
  private let instance: ServiceInstance
  private let screen: ExplorerScreen
  private var records: [ResourceRecord.ID: ResourceRecord] = [:]

  init(_ instance: ServiceInstance, _ screen: ExplorerScreen) { (self.instance, self.screen) = (instance, screen) }

  func apply(_ change: DiscoveryChange<ResourceRecord>) {
    switch change {
    case .found(let record), .updated(let record): records[record.id] = record
    case .lost(let record): records[record.id] = nil
    case .settled, .interrupted, .restored: return
    }
    let sorted = records.values.sorted { ($0.type.rawValue, $0.link, "\($0.data)") > ($1.type.rawValue, $1.link, "\($1.data)") }
    screen.handle(.records(of: instance, sorted))
  }
}
