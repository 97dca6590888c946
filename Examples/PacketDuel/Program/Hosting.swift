import Bonjourish
import BonjourishTransport
import Console
import FramedTransport
import PacketDuel

/// `packet-duel host`
struct Hosting: Sendable {
  let invocation: DuelInvocation
  let port: UInt16
  /// Whether nobody is told that somebody waits here.
  let isHidden: Bool

  /// Waits for an opponent and plays against him; the other side is told when this ends before its time.
  func run() async throws {
    let bonjour = isHidden ? nil : try await invocation.bonjour()
    let listener = try await Listener.bind(
      port: port, interface: invocation.interface?.name, format: .duel, limits: Duel.limits, newcomers: Duel.strangers, on: .one
    )
    let duel = Duel(.host, as: invocation.name) { [invocation] in invocation.diagnostics.warning($0) }
    // Not a child task: cancellation must not end the connections before the other side has been told.
    let serving = Task { await listener.serve { await duel.serve($0) } }
    let result = await Result { try await play(in: duel, advertising: listener, on: bonjour) }
    await duel.leave()
    await listener.close()
    await serving.value
    try result.get()
  }

  private func play(in duel: Duel, advertising listener: Listener, on bonjour: Bonjour?) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { tasks in
      tasks.addTask {
        try await advertise(listener, until: duel, on: bonjour)
        return false
      }
      tasks.addTask {
        try await DuelSession(invocation, in: duel).play()
        return true
      }
      defer { tasks.cancelAll() }
      while let isOver = try await tasks.next(), !isOver {}
    }
  }

  /// Can be found until the opponent is there, or nobody is waited for any more.
  private func advertise(_ listener: Listener, until duel: Duel, on bonjour: Bonjour?) async throws {
    if let bonjour {
      try await bonjour.withPublishedService(
        named: invocation.name, type: Duel.serviceType, listener: listener, interface: invocation.interface
      ) { service in
        await tell(service.name, port: listener.port)
        async let _: Void = tell(service.events)
        await duel.untilWithdrawn()
      }
    } else {
      tell(invocation.name, port: listener.port)
      await duel.untilWithdrawn()
    }
    await listener.close()
  }

  private func tell(_ name: InstanceName, port: UInt16) {
    if invocation.json { return Output.standard.json(DuelRecord.open(name: name.text, port: port)) }
    Output.standard.line("You wait for an opponent as \(name), port \(port). Type quit to give up.")
  }

  private func tell(_ events: ServiceEvents) async {
    do throws(DiscoveryError) {
      for try await event in events {
        switch event {
        case .renamed(_, let name): invocation.diagnostics.warning("you are found as \"\(name)\": somebody else has your name")
        case .interrupted(let error): invocation.diagnostics.warning("nobody can find you: \(error.message)")
        case .restored: invocation.diagnostics.warning("you can be found again")
        }
      }
    } catch {
      if error.code != .cancelled { invocation.diagnostics.warning("nobody can find you: \(error.message)") }
    }
  }
}

extension Result where Failure == any Error {
  /// What a body returns or throws, so that something can be done before it is passed on.
  init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
