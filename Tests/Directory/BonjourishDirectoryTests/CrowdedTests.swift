import Bonjourish
import TestSupport
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// Many services of one program, and many programs at once.
@Suite(.timeLimit(.minutes(1))) struct CrowdedTests {
  @Test func `this machine is asked for its addresses once, however many services there are`() async throws {
    let server = try await NATSServer()
    var configuration = DirectoryConfiguration(servers: [server.url])
    configuration.allowsLoopback = true
    let count = Locked(0)
    let (states, state) = AsyncStream<String>.makeStream()
    let home = try EventLoop(name: "test-home")
    let backend = DirectoryBackend(
      try DirectorySettings(configuration), on: try EventLoop(name: "test-directory"),
      connectingOn: try EventLoop(name: "test-dial"), handlersOn: home,
      ownAddresses: {
        count.withLock { $0 += 1 }
        return [.ipv4(0x7F00_0001)]
      }, stateChanged: { _ in }, log: { _ in })
    let bonjour = Bonjour(backend: backend, time: .system, filter: .kernel)
    await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...40 {
        group.addTask {
          try await bonjour.withPublishedService(named: try InstanceName("Game \(number)"), type: "_game._tcp", port: 1) { _ in
            state.yield("published")
            await untilCancelled()
          }
        }
      }
      var iterator = states.makeAsyncIterator()
      for _ in 1...40 { _ = await iterator.next() }
      group.cancelAll()
      try? await group.waitForAll()
    }
    #expect(count.withLock { $0 } == 1)
  }

  @Test func `a program that finds another making the bucket waits, and is not interrupted`() async throws {
    let server = try await NATSServer()
    let failures = Locked<[String]>([])
    var configuration = DirectoryConfiguration(servers: [server.url])
    configuration.allowsLoopback = true
    configuration.stateChanged = { state in
      if case .unavailable(let error) = state { failures.withLock { $0.append(error.message) } }
    }
    // Its subjects are another stream's, as they are while somebody else makes the bucket.
    let other = try NATSConnection(try DirectorySettings(configuration)) { _ in }
    let (answers, answer) = AsyncStream<Void>.makeStream()
    let (requests, request) = AsyncStream<Void>.makeStream()
    let subscriptions = [
      try other.subscribe("_INBOX.test") { _ in answer.yield() },
      try other.subscribe("$JS.API.STREAM.CREATE.KV_bonjourish") { _ in request.yield() },
    ]
    defer { withExtendedLifetime(subscriptions) {} }
    var answered = answers.makeAsyncIterator()
    var asked = requests.makeAsyncIterator()
    let stream = #"{"name":"OTHER","subjects":["$KV.bonjourish.>"],"storage":"memory"}"#
    try other.publish(Array(stream.utf8), to: "$JS.API.STREAM.CREATE.OTHER", replyTo: "_INBOX.test")
    await answered.next()
    let bonjour = try await Bonjour(directory: configuration, local: nil)
    // Refused once, and asked for again.
    for _ in 1...2 { await asked.next() }
    try other.publish([], to: "$JS.API.STREAM.DELETE.OTHER", replyTo: "_INBOX.test")
    await answered.next()
    try await bonjour.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { service in
      #expect(await service.interruption == nil)
    }
    // All tests connect on one thread, and may wait there for each other.
    #expect(failures.withLock { $0.filter { !$0.hasSuffix("it has not answered yet") } } == [])
  }
}
