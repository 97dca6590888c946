import Bonjourish
import FramedSecurity
import TestSupport
import Testing
import TwentyFour

@testable import MatchServer
@testable import Rooms

/// The matches of a server, each as an instance of its own, as a directory lists them.
@Suite(.timeLimit(.minutes(1))) struct MatchAdvertisingTests {
  private let backend = try! FakeBackend()

  /// What was published under a name, when it is.
  private func published(_ name: InstanceName) async throws -> Registration {
    await backend.commands {
      $0.contains { if case .publish(let registration) = $0 { registration.name == name } else { false } }
    }
    for case .publish(let registration) in backend.commands where registration.name == name { return registration }
    throw CancellationError()
  }

  private func content(_ registration: Registration) throws -> Registration.ServiceContent {
    guard case .service(let content) = registration.content else { throw CancellationError() }
    return content
  }

  @Test func `a match is listed with its players and the key of the host, and withdrawn when it is over`() async throws {
    let identity = try Identity.ephemeral()
    var configuration = MatchServer.Configuration(
      name: "TwentyFour", .open(identity), generator: TwentyFour.SeededGenerator(seed: 24))
    configuration.port = 0
    configuration.rules = Match.Rules(pause: .zero, gathering: .zero, rounds: 1, minimumPlayers: 2, maximumPlayers: 2)
    configuration.interfaces = "lo"
    configuration.advertising = "lo"
    let bonjour = Bonjour(backend: backend, time: ManualTime().clock)
    let network = Task {
      _ = try await published("TwentyFour")
      await backend.sayToPublishers(.established("TwentyFour"))
    }
    defer { network.cancel() }
    let whole = try await MatchServer.withServer(configuration, on: bonjour) { server, service in
      #expect(await service?.name == "TwentyFour")
      let ada = try await Guest("Ada", at: server.port)
      let welcome = try #require(try await ada.untilWelcome())
      let name = try InstanceName(try #require(welcome.place))
      let registration = try await published(name)
      #expect(registration.interfaces == "lo" && registration.conflictPolicy == .fail && registration.succession != nil)
      let first = try content(registration)
      #expect(first.type == RoomHost.serviceType && first.port == server.port)
      let listed = try RoomAdvertisement(txt: first.txt)
      #expect(
        listed
          == RoomAdvertisement(
            room: welcome.room, players: 1, maximumPlayers: 2, state: .waiting, lock: .open, key: identity.fingerprint.short))
      await backend.say(.established(name), toPublishersOf: name)
      let bob = try await Guest("Bob", at: server.port)
      let players = [ada, bob]
      await backend.commands { commands in
        commands.contains {
          guard case .update(let txt) = $0, let match = try? RoomAdvertisement(txt: txt) else { return false }
          return match.room == welcome.room && match.players == 2 && match.state == .playing && match.lock == .open
        }
      }
      for player in players { try await player.solve() }
      #expect(try await ada.ending() == .finished)
      await backend.commands { $0.contains(.endPublish(registration)) }
      return try await published("TwentyFour")
    }
    #expect(backend.commands.contains(.endPublish(whole)))
    // The server's own looks like one large room.
    #expect(try content(whole).txt.text("limit") == "100" && content(whole).txt.text("max") == "128")
  }

  @Test func `a server that closes withdraws its matches`() async throws {
    var configuration = MatchServer.Configuration(
      name: "TwentyFour", .plaintext, generator: TwentyFour.SeededGenerator(seed: 24))
    configuration.port = 0
    configuration.advertising = "lo"
    let bonjour = Bonjour(backend: backend, time: ManualTime().clock)
    let network = Task {
      _ = try await published("TwentyFour")
      await backend.sayToPublishers(.established("TwentyFour"))
    }
    defer { network.cancel() }
    let match = try await MatchServer.withServer(configuration, on: bonjour) { server, _ in
      await server.shell.handle(.connected(ConnectionID(rawValue: 1_000), Peer(address: Origin(rawValue: "10.0.0.2"))))
      await server.shell.handle(.received(ConnectionID(rawValue: 1_000), .hello(.init(name: "Ada"))))
      let room = try #require(await server.overview.first?.room)
      return try await published(try InstanceName("TwentyFour · match 1-\(room.prefix(4))"))
    }
    #expect(backend.commands.contains(.endPublish(match)))
  }
}
