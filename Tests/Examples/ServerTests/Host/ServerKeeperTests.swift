import Bonjourish
import CBonjourishLinux
import MatchServer
import TestSupport
import Testing
import _BonjourishConsole
import _BonjourishDiscovery

@testable import Screens
@testable import twentyfour_host

/// What a server that runs tells of itself. Each test is a process of its own, with signals of its own.
@Suite(.timeLimit(.minutes(1))) struct ServerKeeperTests {
  @Test func `what others see of a server is told, and what signals ask for`() async {
    await #expect(processExitsWith: .success) {
      let (stream, continuation) = AsyncStream.makeStream(of: String.self)
      var told = stream.makeAsyncIterator()
      let diagnostics = Diagnostics(level: .notice) { _, text in continuation.yield(text) }
      let arguments = try DedicatedMode.command.arguments(of: ["--dedicated", "--insecure", "--port", "0"])
      let configuration = try DedicatedMode.configuration(arguments, "lo", diagnostics)
      let (backend, keeper) = (try FakeBackend(), try await ServerKeeper(admin: nil, diagnostics))
      let serving = Task {
        try await MatchServer.withServer(configuration, on: Bonjour(backend: backend, time: ManualTime().clock)) {
          await keeper.keep($0, $1)
        }
      }
      await backend.commands { $0.contains { if case .publish = $0 { true } else { false } } }
      await backend.sayToPublishers(.established("TwentyFour"), .interrupted(DiscoveryError(.unavailable, "it is away")))
      #expect(await told.next() == "new players cannot find the server: it is away")
      await backend.sayToPublishers(.established("TwentyFour"))
      #expect(await told.next() == "the server can be found again")
      await backend.sayToPublishers(.renamed(from: "TwentyFour", to: "TwentyFour #2"), .established("TwentyFour #2"))
      #expect(await told.next() == "the server is now named \"TwentyFour #2\": another host uses its name")
      await backend.sayToPublishers(.failed(DiscoveryError(.refused, "refused")))
      #expect(await told.next() == "new players cannot find the server: refused")
      kill(getpid(), SIGUSR1)
      #expect(await told.next()?.hasPrefix("statistics: {") == true)
      kill(getpid(), SIGUSR2)
      #expect(await told.next() == Phrases.Server.drainsBySignal)
      try await serving.value
    }
  }
}
