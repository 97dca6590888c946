import Bonjourish
import Synchronization
import _BonjourishConsole
import _BonjourishTerminal

/// The table of `browse` on a terminal.
final class BrowseScreen: Sendable {

  /// The order of the rows.
  let order: ServiceOrder

  private let table: Mutex<BrowseTable>
  private let origin = ContinuousClock.now
  private let updates: AsyncStream<Void>
  private let updater: AsyncStream<Void>.Continuation

  /// The shortest time between two pictures.
  private static let pause: Duration = .milliseconds(50)
  /// The interval at which the clock is shown.
  private static let tick: Duration = .seconds(1)

  init(_ table: BrowseTable) {
    order = table.order
    self.table = Mutex(table)
    (updates, updater) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Whether the arguments leave it to the terminal to show a table, and there is one that can.
  static func isWanted(_ arguments: Arguments) -> Bool {
    let asksForLines =
      arguments[Commands.json] || arguments[Commands.plain] || arguments[Commands.once] || arguments[Commands.verbose]
      || arguments[Commands.stats]
    return !asksForLines && TerminalSession.isPossible
  }

  /// Takes a change, see ``BrowseTable``.
  func show(_ change: BrowseChange, of type: ServiceType?) {
    update { $0.apply(change, of: type, at: $1) }
  }

  /// Notes that all that is there has answered.
  func settle() {
    update { table, _ in table.settle() }
  }

  /// Shows the table until a body returns, the person quits, or the task is cancelled.
  func run(
    on bonjour: Bonjour, _ interfaces: InterfaceSelection, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    notices.beginScreen()
    defer { notices.endScreen() }
    try await TerminalSession.run { session in
      try await withThrowingTaskGroup { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask { await self.read(session) }
        // These end with the group.
        group.addTask { await self.draw(on: session) }
        group.addTask { try await self.follow(bonjour, interfaces) }
        try await group.next()
      }
    }
  }

  private func update(_ change: (inout BrowseTable, Duration) -> Void) {
    table.withLock { change(&$0, ContinuousClock.now - origin) }
    updater.yield()
  }

  // MARK: - The tasks

  /// Draws after changes, until the task is cancelled.
  private func draw(on session: TerminalSession) async {
    for await _ in updates {
      let canvas = table.withLock { table in
        let now = ContinuousClock.now - origin
        table.advance(to: now)
        return table.draw(session.size, session.appearance, at: now)
      }
      session.show(canvas)
      try? await Task.sleep(for: Self.pause)
    }
  }

  /// Reads keys until the person quits, the terminal is gone or the task is cancelled.
  private func read(_ session: TerminalSession) async {
    for await input in session.inputs {
      switch input {
      case .key(.text("q")), .key(.text("Q")), .key(.control("d")), .key(.escape), .ended: return
      case .key(.control("l")): session.forget()
      case .key(let key):
        guard let movement = BrowseTable.Movement(key) else { continue }
        update { table, _ in table.move(movement) }
      case .resized: break
      }
      updater.yield()
    }
  }

  /// Keeps the clock, the messages, and what is known of the network.
  private func follow(_ bonjour: Bonjour, _ interfaces: InterfaceSelection) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask {
        await bonjour.withReach(of: interfaces) { changes in
          for await reach in changes { self.update { table, _ in table.reach = reach } }
        }
      }
      group.addTask {
        while let message = await notices.next() { self.update { table, _ in table.tell(message) } }
      }
      while true {
        let backend = await bonjour.metrics.backend
        update { table, _ in table.backend = backend }
        try await Task.sleep(for: Self.tick)
      }
    }
  }
}

extension BrowseTable.Movement {
  init?(_ key: Key) {
    switch key {
    case .up, .text("k"): self = .up
    case .down, .text("j"): self = .down
    case .pageUp: self = .pageUp
    case .pageDown, .text(" "): self = .pageDown
    case .home, .text("g"): self = .top
    case .end, .text("G"): self = .bottom
    default: return nil
    }
  }
}
