import Bonjourish
import Synchronization
import _BonjourishConsole
import _BonjourishExplorer
import _BonjourishTerminal

/// Messages, which wait while there is a screen.
let notices = Notices(program: "bonjourish")

/// The explorer of `browse` on a terminal: hands events to an ``Explorer``, draws it, and has done what it wants.
final class ExplorerScreen: Sendable {
  /// How the doctor is to examine this machine.
  let examination: Examination
  private let explorer: Mutex<Explorer>
  private let origin = ContinuousClock.now
  private let updates: AsyncStream<Void>
  private let updater: AsyncStream<Void>.Continuation
  private let effects: AsyncStream<ExplorerEffect>
  private let effector: AsyncStream<ExplorerEffect>.Continuation
  /// Whether another program has the terminal.
  private let isLent = Atomic(false)
  private let interrupts: AsyncStream<Void>
  private let interrupter: AsyncStream<Void>.Continuation
  /// Whether the next Ctrl-C is for the explorer. Another one is not, so that it helps against an explorer that hangs.
  private let takesInterrupt = Atomic(false)

  /// The shortest time between two pictures.
  private static let pause: Duration = .milliseconds(50)
  /// The interval at which the clock is shown.
  private static let tick: Duration = .seconds(1)

  init(_ settings: ExplorerSettings, _ examination: Examination) {
    self.examination = examination
    explorer = Mutex(Explorer(settings))
    (updates, updater) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    // No effect may be lost; they are few, because keys and services that are resolved cause them.
    (effects, effector) = AsyncStream.makeStream()
    (interrupts, interrupter) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Whether the arguments leave it to the terminal to show the explorer, and there is one that can.
  static func isWanted(_ arguments: Arguments) -> Bool {
    let asksForLines =
      arguments[Commands.json] || arguments[Commands.plain] || arguments[Commands.once] || arguments[Commands.verbose]
      || arguments[Commands.stats]
    return !asksForLines && TerminalSession.isPossible
  }

  /// Takes a change, see ``Explorer``.
  func show(_ change: BrowseChange, of type: ServiceType?) { handle(.changed(change, of: type)) }

  /// Notes that all that is there has answered.
  func settle() { handle(.settled) }

  /// The services that are listed, in their order.
  var shown: [DiscoveredService] { explorer.withLock { $0.shown } }

  /// Hands an event to the explorer, and what it wants to the task that does it.
  func handle(_ event: ExplorerEvent) {
    explorer.withLock { explorer in
      // Within the lock: effects of events that come on several threads stay in their order.
      for effect in explorer.handle(event, at: ContinuousClock.now - origin) { effector.yield(effect) }
      takesInterrupt.store(explorer.isAsking, ordering: .relaxed)
    }
    updater.yield()
  }

  /// Runs a body that gives the terminal to a program. While it does, further ones do nothing: a key that was pressed twice starts one.
  ///
  /// - Returns: What the body returns.
  func lending(_ body: () async -> String?) async -> String? {
    guard !isLent.exchange(true, ordering: .relaxed) else { return nil }
    defer { isLent.store(false, ordering: .relaxed) }
    return await body()
  }

  /// Shows the explorer until a body returns, the person quits, or the task is cancelled. What was published is withdrawn then.
  ///
  /// - Returns: Whether the body has returned: whoever quits has seen what there is.
  func run(
    on bonjour: Bonjour, _ interfaces: InterfaceSelection, _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> Bool {
    notices.beginScreen()
    defer { notices.endScreen() }
    return try await Program.offeringInterrupts(to: { self.takeInterrupt() }) {
      try await TerminalSession.run { session in
        session.reportMouse(true)
        return try await withThrowingTaskGroup(of: Bool.self) { group in
          defer { group.cancelAll() }
          group.addTask {
            try await body()
            return !Task.isCancelled
          }
          group.addTask {
            await self.read(session)
            return false
          }
          group.addTask {
            await ExplorerTasks(self, session, bonjour, interfaces).carryOut(self.effects)
            return false
          }
          // These end with the group.
          group.addTask {
            await self.draw(on: session)
            return false
          }
          group.addTask {
            for await _ in self.interrupts { self.handle(.key(.control("c"))) }
            return false
          }
          group.addTask {
            try await self.follow(bonjour, interfaces)
            return false
          }
          return try await group.next() ?? false
        }
      }
    }
  }

  /// Takes Ctrl-C while a line is written or something is chosen; returns whether it does.
  private func takeInterrupt() -> Bool {
    guard takesInterrupt.exchange(false, ordering: .relaxed) else { return false }
    interrupter.yield()
    return true
  }

  // MARK: - The tasks

  /// Draws after changes, until the task is cancelled.
  private func draw(on session: TerminalSession) async {
    for await _ in updates {
      let size = session.size
      let canvas = explorer.withLock { $0.draw(size, session.appearance, at: ContinuousClock.now - origin) }
      session.show(canvas)
      try? await Task.sleep(for: Self.pause)
    }
  }

  /// Reads keys until the terminal is gone or the task is cancelled.
  private func read(_ session: TerminalSession) async {
    for await input in session.inputs {
      switch input {
      case .ended: return
      case .key(let key): handle(.key(key))
      case .resized: updater.yield()
      }
    }
  }

  /// Keeps the clock, the messages, and what is known of the network.
  private func follow(_ bonjour: Bonjour, _ interfaces: InterfaceSelection) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask {
        await bonjour.withReach(of: interfaces) { for await reach in $0 { self.handle(.reach(reach)) } }
      }
      group.addTask {
        while let message = await notices.next() { self.handle(.message(message)) }
      }
      group.addTask {
        while true {
          self.handle(.backend(await bonjour.metrics.backend))
          self.handle(.addresses(LocalAddresses.all()))
          try await Task.sleep(for: Self.tick)
        }
      }
      while true {
        handle(.tick)
        try await Task.sleep(for: Self.tick)
      }
    }
  }
}
