import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

private let game: ServiceType = "_twentyfour._tcp"
private let broken = DiscoveryError(.unavailable, "gone")

@Suite(.timeLimit(.minutes(1))) struct PublishingTests {
  let backend: FakeBackend
  let time = ManualTime()
  let bonjour: Bonjour

  init() throws {
    backend = try FakeBackend()
    bonjour = Bonjour(backend: backend, time: time.clock)
  }

  private func registration(_ txt: TXTRecord = [:]) -> Registration {
    Registration("Ada", type: game, domain: .local, port: 4242, txt: txt)
  }

  @Test func `the scope begins when the name is established and withdraws it at the end`() async throws {
    async let name = bonjour.withPublishedService(named: "Ada", type: game, port: 4242, txt: ["v": "1"]) { service in
      try await service.update(txt: ["v": "2"])
      return await service.name
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada"))
    #expect(try await name == "Ada")
    #expect(
      backend.commands == [
        .publish(registration(["v": "1"])), .update(["v": "2"]), .endPublish(registration(["v": "1"])),
      ])
  }

  @Test(arguments: [false, true]) func `closing ends the wait for a name, and a supervisor`(isEstablished: Bool) async throws {
    let service = Bonjour.Service("Ada", type: game, port: 4242)
    let run = Task { try await bonjour.publisher(of: [service]).run() }
    await backend.commands { $0.count == 1 }
    if isEstablished { await backend.sayToPublishers(.established("Ada")) }
    await bonjour.close()
    let error = await #expect(throws: DiscoveryError.self) { try await run.value }
    #expect(error?.code == .unavailable)
    #expect(backend.commands == [.publish(registration()), .endPublish(registration()), .close])
  }

  @Test func `a service that has failed is published by no backend that comes later`() async throws {
    let failed = Task {
      try await bonjour.withPublishedService(named: "Ada", type: game, port: 4242, onConflict: .fail) { service in
        for try await _ in service.events {}
      }
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada"))
    await backend.sayToPublishers(.failed(DiscoveryError(.nameTaken, "taken")))
    await backend.commands { $0.count == 2 }
    let error = await #expect(throws: DiscoveryError.self) { try await failed.value }
    #expect(error?.code == .nameTaken)
  }

  @Test func `a renaming before the scope begins is the first event`() async throws {
    async let event = bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { service in
      #expect(await service.name == "Ada #2")
      var events = service.events.makeAsyncIterator()
      return try await events.next()
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.renamed(from: "Ada", to: "Ada #2"), .established("Ada #2"))
    #expect(try await event == .renamed(from: "Ada", to: "Ada #2"))
  }

  @Test func `interruptions and renamings are events`() async throws {
    async let events = bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { service in
      var events: [ServiceEvent] = []
      for try await event in service.events {
        events.append(event)
        switch events.count {
        case 1: await backend.sayToPublishers(.established("Ada"))
        case 2: await backend.sayToPublishers(.renamed(from: "Ada", to: "Ada #2"), .established("Ada #2"))
        default: return events
        }
      }
      return events
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada"))
    // The consumer subscribes when it asks for the first time, and is told then that the service is out of reach.
    await backend.sayToPublishers(.interrupted(broken))
    #expect(try await events == [.interrupted(broken), .restored, .renamed(from: "Ada", to: "Ada #2")])
  }

  @Test func `while the engine is away, the scope begins after five seconds`() async throws {
    async let result = bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { service in
      let interruption = await service.interruption
      #expect(interruption == broken)
      var events: [ServiceEvent] = []
      for try await event in service.events {
        events.append(event)
        if events.count == 2 { break }
        await backend.sayToPublishers(.established("Ada"))
      }
      return (events, await service.interruption)
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.interrupted(broken))
    await time.advance(to: .seconds(5))
    let (events, interruption) = try await result
    #expect(events == [.interrupted(broken), .restored])
    #expect(interruption == nil)
  }

  @Test func `an engine that comes back in time causes no event`() async throws {
    async let event = bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { service in
      await backend.sayToPublishers(.renamed(from: "Ada", to: "Ada #2"))
      var events = service.events.makeAsyncIterator()
      return try await events.next()
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.interrupted(broken), .interrupted(broken), .established("Ada"))
    #expect(try await event == .renamed(from: "Ada", to: "Ada #2"))
  }

  @Test func `a failure before the name is established is thrown`() async throws {
    let result = Task {
      try await bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { _ in
        Issue.record("the service was never established")
      }
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.failed(broken))
    await #expect(throws: broken) { try await result.value }
    #expect(backend.commands.last == .endPublish(registration()))
  }

  @Test func `cancellation before the name is established withdraws the service`() async throws {
    let task = Task { try await bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { _ in } }
    await backend.commands { $0.count == 1 }
    task.cancel()
    let error = await #expect(throws: DiscoveryError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(backend.commands.last == .endPublish(registration()))
  }

  @Test func `a later failure is thrown by events and updates`() async throws {
    async let result: Void = bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { service in
      await backend.sayToPublishers(.failed(broken))
      var events = service.events.makeAsyncIterator()
      await #expect(throws: broken) { try await events.next() }
      await #expect(throws: broken) { try await service.update(txt: [:]) }
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada"))
    try await result
  }

  @Test func `port 0 is refused`() async throws {
    let error = await #expect(throws: DiscoveryError.self) {
      try await bonjour.withPublishedService(named: "Ada", type: game, port: 0) { _ in }
    }
    #expect(error?.code == .invalidPort)
    #expect(backend.commands.isEmpty)
  }

  @Test func `cancellation while the engine is away tells that it is`() async throws {
    let task = Task { try await bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { _ in } }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.interrupted(broken))
    task.cancel()
    let error = await #expect(throws: DiscoveryError.self) { try await task.value }
    #expect(error?.code == .cancelled && error?.message.hasPrefix("gone; ") == true)
    #expect(error?.underlyingError as? DiscoveryError == broken)
  }

  @Test func `what happens after a failure changes nothing`() async throws {
    async let result: Void = bonjour.withPublishedService(named: "Ada", type: game, port: 4242) { service in
      await backend.sayToPublishers(.interrupted(broken), .interrupted(DiscoveryError(.noNetwork, "no")))
      #expect(await service.interruption == broken, "the first one")
      let failed = DiscoveryError(.refused, "no more")
      await backend.sayToPublishers(.failed(failed))
      #expect(await service.interruption == failed)
      await #expect(throws: failed) { try await service.rename(to: "Bob") }
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada"))
    try await result
    #expect(backend.commands == [.publish(registration()), .endPublish(registration())])
  }
}
