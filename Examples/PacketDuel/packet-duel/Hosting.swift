import Bonjourish
import BonjourishTransport
import FramedTransport
import PacketDuel
import _BonjourishConsole
import _BonjourishJSONOutput

/// `packet-duel host`
struct Hosting: Sendable {
  let invocation: DuelInvocation
  let port: UInt16
  /// Whether to play without being advertised.
  let isHidden: Bool

  /// Waits for an opponent and plays; tells the opponent if this ends early.
  func run() async throws {
    let bonjour = isHidden ? nil : try await invocation.bonjour()
    let listener = try await Listener.bind(
      port: port, interface: invocation.interfaces.onlyName, format: .duel, limits: Duel.limits, pending: Duel.pending, on: .one
    )
    let duel = Duel(.host, as: invocation.name) { [invocation] in invocation.diagnostics.warning($0) }
    // Not a child task: cancellation must not end the connections before the opponent was told.
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

  /// Advertises the host until the opponent has joined or the duel is over, then stops listening.
  func advertise(_ listener: Listener, until duel: Duel, on bonjour: Bonjour?) async throws {
    if let bonjour {
      try await bonjour.withPublishedService(
        named: invocation.name, type: Duel.serviceType, listener: listener, interfaces: invocation.interfaces
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
        case .renamed(_, let name): invocation.diagnostics.warning("others see you as \"\(name)\": another host uses your name")
        case .interrupted(let error): invocation.diagnostics.warning("opponents cannot find you: \(error.message)")
        case .restored: invocation.diagnostics.warning("you can be found again")
        @unknown default: break
        }
      }
    } catch {
      if error.code != .cancelled { invocation.diagnostics.warning("opponents cannot find you: \(error.message)") }
    }
  }
}

extension Result where Failure == any Error {
  /// The result or error of a body, kept while something else is done.
  init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
