import Bonjourish
import BonjourishTransport
import FramedTransport
import PacketDuel
import _BonjourishConsole
import _BonjourishJSONOutput

/// `packet-duel join`
struct Joining: Sendable {
  let invocation: DuelInvocation
  let destination: HostPort?
  let takesAny: Bool

  /// The time limit for connecting.
  private static let connectTime: Duration = .seconds(5)
  /// The time limit for finding a host.
  private static let searchTime: Duration = .seconds(10)

  /// Finds an opponent and plays; tells the opponent if this ends early.
  func run() async throws {
    guard let connection = try await connection() else { return }
    let duel = Duel(.guest, as: invocation.name) { [invocation] in invocation.diagnostics.warning($0) }
    // Not a child task: cancellation must not end the connection before the opponent was told.
    let serving = Task {
      await duel.serve(connection)
      await connection.close()
    }
    let result = await Result { try await DuelSession(invocation, in: duel).play() }
    await duel.leave()
    await serving.value
    try result.get()
  }

  /// The connection with a host; nil if the player quits.
  private func connection() async throws -> Connection? {
    if let destination {
      return try await Connection.connect(
        toHost: destination.host, port: destination.port, format: .duel, limits: Duel.limits, within: Self.connectTime)
    }
    let bonjour = try await invocation.bonjour()
    // A program takes the first host.
    if takesAny || invocation.isBot { return try await connectionWithAny(on: bonjour) }
    guard let chosen = try await choice(on: bonjour) else { return nil }
    return try await connect(to: chosen, on: bonjour)
  }

  private func connect(to instance: ServiceInstance, on bonjour: Bonjour) async throws(ServiceConnectionError) -> Connection {
    try await Connection.connect(
      to: instance, using: bonjour, interfaces: invocation.interfaces, format: .duel, limits: Duel.limits,
      within: Self.connectTime)
  }

  /// The connection with the first host that is found and can be reached.
  private func connectionWithAny(on bonjour: Bonjour) async throws -> Connection {
    let found = try await withThrowingTaskGroup(of: Connection?.self) { tasks in
      tasks.addTask {
        try await bonjour.withBrowser(for: Duel.serviceType, interfaces: invocation.interfaces) { browser in
          for try await change in browser.changes {
            guard case .found(let service) = change else { continue }
            do throws(ServiceConnectionError) {
              return try await connect(to: service.instance, on: bonjour)
            } catch {
              // This host is listed but does not answer; try the next one.
              if error.code != .cancelled { invocation.diagnostics.warning(error.description) }
            }
          }
          return nil
        }
      }
      tasks.addTask {
        try? await Task.sleep(for: Self.searchTime)
        return nil
      }
      defer { tasks.cancelAll() }
      return try await tasks.next() ?? nil
    }
    guard let found else {
      throw Failure(.unavailable, "no host waits for an opponent; open a game with packet-duel host --name NAME")
    }
    return found
  }

  // MARK: - Choosing

  /// The host whose number the player types; nil if the player quits.
  private func choice(on bonjour: Bonjour) async throws -> ServiceInstance? {
    let list = HostList(json: invocation.json)
    return try await withThrowingTaskGroup(of: ServiceInstance?.self) { tasks in
      tasks.addTask {
        try await bonjour.withBrowser(for: Duel.serviceType, interfaces: invocation.interfaces) { browser in
          for try await snapshot in browser.snapshots { await list.show(snapshot.services.map(\.instance)) }
        }
        return nil
      }
      tasks.addTask {
        for await line in LineReader.standardInput {
          guard case .text(let text) = line else { continue }
          if text == "quit" { return nil }
          if let chosen = await list.host(text) { return chosen }
          invocation.diagnostics.warning("type the number of an opponent, or quit")
        }
        guard Task.isCancelled || LineReader.standardInput.isTerminal else {
          throw Failure(.usage, "the input ended before an opponent was chosen; give --any or --connect")
        }
        return nil
      }
      defer { tasks.cancelAll() }
      return try await tasks.next() ?? nil
    }
  }
}

/// The hosts as last shown, so that a number means the host that the player saw.
actor HostList {
  private let json: Bool
  private var hosts: [ServiceInstance]?

  init(json: Bool) {
    self.json = json
  }

  func host(_ text: String) -> ServiceInstance? {
    guard let number = Int(text), let hosts, hosts.indices.contains(number &- 1) else { return nil }
    return hosts[number - 1]
  }

  func show(_ hosts: [ServiceInstance]) {
    for line in lines(for: hosts) { Output.standard.line(line) }
  }

  /// The lines that show the hosts; none if they are those that were shown last.
  func lines(for hosts: [ServiceInstance]) -> [String] {
    guard hosts != self.hosts else { return [] }
    self.hosts = hosts
    if json { return [JSONLine.text(of: DuelRecord.hosts(hosts.map(\.name.text)))] }
    return [hosts.isEmpty ? "No host waits yet; hosts will appear here." : "Waiting hosts (type a number, or quit):"]
      + zip(1..., hosts).map { "  \($0)  \($1.name)" }
  }
}
