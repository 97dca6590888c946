import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

private let web: ServiceType = "_http._tcp"
private let taken = DiscoveryError(.nameTaken, "another host has it")
private let away = DiscoveryError(.unavailable, "gone")

@Suite(.timeLimit(.minutes(1))) struct RenamingTests {
  let backend: FakeBackend
  let time = ManualTime()
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.clock)
  }

  private func wish(_ name: InstanceName, _ txt: TXTRecord = [:]) -> Registration {
    Registration(name, type: web, domain: .local, port: 80, txt: txt)
  }

  /// Publishes "Ada", and calls a closure.
  private func withAda<Result: Sendable>(_ body: @Sendable (PublishedService) async throws -> Result) async throws -> Result {
    async let result = bonjour.withPublishedService(named: "Ada", type: web, port: 80) { try await body($0) }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada"))
    return try await result
  }

  @Test func `the former name is withdrawn when the new one is established`() async throws {
    let events = try await withAda { service in
      var events = service.events.makeAsyncIterator()
      async let renamed: Void = service.rename(to: "Bob")
      await backend.commands { $0.last == .publish(wish("Bob")) }
      #expect(backend.commands == [.publish(wish("Ada")), .publish(wish("Bob"))])
      #expect(await service.name == "Ada")
      await backend.say(.established("Bob"), toPublishersOf: "Bob")
      try await renamed
      #expect(backend.commands.last == .endPublish(wish("Ada")))
      #expect(await service.name == "Bob")
      // A new subscriber is told nothing: the service has the name that is wanted.
      try await service.update(txt: ["v": "1"])
      await backend.say(.interrupted(away), toPublishersOf: "Bob")
      return try await events.next()
    }
    #expect(events == .interrupted(away))
    #expect(backend.commands.suffix(2) == [.update(["v": "1"]), .endPublish(wish("Bob"))])
  }

  @Test func `a renaming is an event`() async throws {
    let event = try await withAda { service in
      async let event = {
        var events = service.events.makeAsyncIterator()
        return try await events.next()
      }()
      // The subscriber waits when it has no event.
      for _ in 0..<10 { await backend.drain() }
      async let renamed: Void = service.rename(to: "Bob")
      await backend.commands { $0.count == 2 }
      await backend.say(.renamed(from: "Bob", to: "Bob #2"), .established("Bob #2"), toPublishersOf: "Bob")
      try await renamed
      return try await event
    }
    #expect(event == .renamed(from: "Ada", to: "Bob #2") || event == .renamed(from: "Bob", to: "Bob #2"))
  }

  @Test func `a name that cannot be had leaves the former one`() async throws {
    try await withAda { service in
      let renamed = Task { try await service.rename(to: "Bob") }
      await backend.commands { $0.count == 2 }
      let second = await #expect(throws: DiscoveryError.self) { try await service.rename(to: "Eve") }
      #expect(second?.code == .refused)
      await backend.say(.failed(taken), toPublishersOf: "Bob")
      await #expect(throws: taken) { try await renamed.value }
      #expect(backend.commands == [.publish(wish("Ada")), .publish(wish("Bob")), .endPublish(wish("Bob"))])
      #expect(await service.name == "Ada")
      #expect(await service.interruption == nil)
    }
  }

  @Test func `an engine that is away for five seconds leaves the former name`() async throws {
    try await withAda { service in
      let renamed = Task { try await service.rename(to: "Bob") }
      await backend.commands { $0.count == 2 }
      await backend.sayToPublishers(.interrupted(away))
      await time.advance(to: .seconds(5))
      await #expect(throws: away) { try await renamed.value }
      #expect(backend.commands.last == .endPublish(wish("Bob")))
    }
    #expect(backend.commands.last == .endPublish(wish("Ada")))
  }

  @Test func `cancellation leaves the former name`() async throws {
    try await withAda { service in
      let renamed = Task { try await service.rename(to: "Bob") }
      await backend.commands { $0.count == 2 }
      renamed.cancel()
      let error = await #expect(throws: DiscoveryError.self) { try await renamed.value }
      #expect(error?.code == .cancelled)
      #expect(backend.commands.last == .endPublish(wish("Bob")))
      #expect(await service.name == "Ada")
    }
  }

  @Test func `the end of the scope ends a renaming`() async throws {
    let renamed = try await withAda { service in
      let renamed = Task { try await service.rename(to: "Bob") }
      await backend.commands { $0.count == 2 }
      return renamed
    }
    let error = await #expect(throws: DiscoveryError.self) { try await renamed.value }
    #expect(error?.code == .cancelled)
    #expect(Set(backend.commands.suffix(2)) == [.endPublish(wish("Ada")), .endPublish(wish("Bob"))])
  }

  @Test func `a renaming of a service that fails throws why`() async throws {
    try await withAda { service in
      let renamed = Task { try await service.rename(to: "Bob") }
      await backend.commands { $0.count == 2 }
      await backend.say(.failed(taken), toPublishersOf: "Ada")
      await #expect(throws: taken) { try await renamed.value }
      #expect(Set(backend.commands.suffix(2)) == [.endPublish(wish("Ada")), .endPublish(wish("Bob"))])
    }
  }

  @Test func `both names get a new text`() async throws {
    try await withAda { service in
      async let renamed: Void = service.rename(to: "Bob")
      await backend.commands { $0.count == 2 }
      try await service.update(txt: ["v": "1"])
      #expect(backend.commands.suffix(2) == [.update(["v": "1"]), .update(["v": "1"])])
      await backend.say(.established("Bob"), toPublishersOf: "Bob")
      try await renamed
    }
  }

  @Test func `names that differ in case are not published at once`() async throws {
    try await withAda { service in
      async let renamed: Void = service.rename(to: "ADA")
      await backend.commands { $0.count == 3 }
      #expect(backend.commands == [.publish(wish("Ada")), .endPublish(wish("Ada")), .publish(wish("ADA"))])
      await backend.sayToPublishers(.established("ADA"))
      try await renamed
      #expect(await service.name.text == "ADA")
      // The name that it has needs nothing.
      try await service.rename(to: "ADA")
      #expect(backend.commands.count == 3)
      let failed = Task { try await service.rename(to: "ada") }
      await backend.commands { $0.count == 5 }
      await backend.sayToPublishers(.failed(taken))
      await #expect(throws: taken) { try await failed.value }
      #expect(backend.commands.suffix(2) == [.endPublish(wish("ada")), .publish(wish("ADA"))])
    }
  }

  @Test func `a new name ends the interruption of the former one`() async throws {
    try await withAda { service in
      var events = service.events.makeAsyncIterator()
      await backend.sayToPublishers(.interrupted(away))
      #expect(try await events.next() == .interrupted(away))
      async let renamed: Void = service.rename(to: "Bob")
      await backend.commands { $0.count == 2 }
      await backend.say(.established("Bob"), toPublishersOf: "Bob")
      try await renamed
      #expect(try await events.next() == .renamed(from: "Ada", to: "Bob"))
      #expect(try await events.next() == .restored)
      #expect(await service.interruption == nil)
    }
  }

  @Test func `the engine has five seconds from the first outage on`() async throws {
    try await withAda { service in
      let renamed = Task { try await service.rename(to: "Bob") }
      await backend.commands { $0.count == 2 }
      await backend.say(.interrupted(away), toPublishersOf: "Bob")
      await time.pass(to: .seconds(3))
      await backend.say(.interrupted(DiscoveryError(.noNetwork, "no")), toPublishersOf: "Bob")
      await time.advance(to: .seconds(5))
      await #expect(throws: away) { try await renamed.value }
    }
  }
}
