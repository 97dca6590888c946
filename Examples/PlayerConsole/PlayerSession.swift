package import Bonjourish
package import Console
import FramedTransport
package import Rooms
package import TwentyFour

/// One who plays: a person, or a bot, and how the program speaks with him.
package struct PlayerSession: Sendable {
  private let invocation: PlayerInvocation
  private let face: Face
  package let name: PlayerName

  package init(_ invocation: PlayerInvocation, _ face: Face, as name: PlayerName) {
    self.invocation = invocation
    self.face = face
    self.name = name
  }

  /// Plays until the room is closed, for us or for all.
  ///
  /// - Parameters:
  ///   - place: What the room is called on the network, and its port, if that is known.
  ///   - title: What to call the room otherwise.
  /// - Returns: Why it was closed; nil when the task was cancelled before.
  private func play(in seat: any Seat, at place: RoomPlace? = nil, called title: String = "") async -> RoomReason? {
    let bot = invocation.isBot ? BotPlayer(strength: invocation.strength, generator: invocation.generator) : nil
    switch face {
    case .json(let lines):
      return await PlayerLines(invocation: invocation, name: name, place: place, isJSON: true, lines: lines)
        .play(in: seat, bot: bot)
    case .lines(let lines):
      return await PlayerLines(invocation: invocation, name: name, place: place, isJSON: false, lines: lines)
        .play(in: seat, bot: bot)
    case .screen(let screen):
      return await screen.play(in: seat, as: name, called: place.map(Phrases.place) ?? title.visible, bot: bot)
    }
  }

  /// Enters a room that was found on the network, and plays in it until it is closed.
  package func join(_ instance: ServiceInstance, on bonjour: Bonjour) async throws -> RoomReason? {
    do {
      return try await RoomPlayer.withRoom(instance, as: entry, interface: invocation.interface, on: bonjour) { player in
        await play(in: player, at: RoomPlace(name: instance.name.text, port: player.peer.port))
      }
    } catch let error as RoomError {
      throw Failure(error)
    }
  }

  /// Enters the room at an address, and plays in it until it is closed.
  package func join(at place: HostPort) async throws -> RoomReason? {
    do {
      let addresses = try await SocketAddress.resolve(host: place.host, port: place.port)
      return try await RoomPlayer.withRoom(at: addresses, called: place.description, as: entry) { player in
        await play(in: player, called: place.description)
      }
    } catch let error as TransportError {
      throw Failure(.unavailable, error.description)
    } catch let error as RoomError {
      throw Failure(error)
    }
  }

  private var entry: PlayerEntry {
    var entry = PlayerEntry(name: name)
    entry.watches = invocation.watches
    entry.players = invocation.players
    return entry
  }

  /// Opens a room, and plays in it until it is closed.
  package func host(_ configuration: RoomHost.Configuration, on bonjour: Bonjour) async throws -> RoomReason? {
    do {
      return try await RoomHost.withRoom(configuration, on: bonjour) { host, service in
        let place = RoomPlace(name: await service.name.text, port: host.port)
        async let _: Void = tell(service.events)
        return await play(in: host, at: place)
      }
    } catch let error as RoomError {
      throw Failure(error)
    }
  }

  /// What a room of this player's is like, as far as the common options say.
  package func roomConfiguration() -> RoomHost.Configuration {
    var configuration = RoomHost.Configuration(name: name, generator: invocation.generator)
    configuration.interface = invocation.interface
    configuration.rules = Match.Rules(gathering: .seconds(10), difficulty: invocation.difficulty)
    return configuration
  }

  /// Plays alone.
  package func practise() async -> RoomReason? {
    let rules = Match.Rules(pause: .seconds(5), difficulty: invocation.difficulty)
    return await play(in: await PracticeRoom(as: name, rules: rules, generator: invocation.generator), called: Phrases.practice)
  }

  /// Tells the host's person what happens to the room's advertisement while it is open.
  private func tell(_ events: ServiceEvents) async {
    let diagnostics = invocation.diagnostics
    do {
      for try await event in events {
        switch event {
        case .renamed(_, let name): diagnostics.warning(Phrases.renamed(name.text))
        case .interrupted(let error): diagnostics.warning(Phrases.hidden(error.message))
        case .restored: diagnostics.warning(Phrases.visibleAgain)
        }
      }
    } catch {
      diagnostics.warning(Phrases.hidden(error.message))
    }
  }
}
