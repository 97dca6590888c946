public import Bonjourish
import FramedTransport
public import Rooms
public import TwentyFour
public import _BonjourishConsole

/// A player, person or bot, with their user interface.
public struct PlayerSession: Sendable {
  let invocation: PlayerInvocation
  let face: Face
  public let name: PlayerName

  /// The time for finding out which rooms are open, when the wanted one is not.
  private static let listingTime: Duration = .seconds(1)

  public init(_ invocation: PlayerInvocation, _ face: Face, as name: PlayerName) {
    self.invocation = invocation
    self.face = face
    self.name = name
  }

  /// Plays until the room is closed for this player or for all.
  ///
  /// - Parameters:
  ///   - place: The room's name on the network and its port, if they are known.
  ///   - title: The name to show if there is no place.
  ///   - isPlaintext: Whether everybody on the network can read along.
  /// - Returns: The reason why the room was closed; nil if the task was cancelled before.
  private func play(
    in seat: any Seat, at place: RoomPlace? = nil, called title: String = "", isPlaintext: Bool = false
  ) async -> RoomReason? {
    let bot = invocation.isBot ? BotPlayer(strength: invocation.strength, generator: invocation.generator) : nil
    let isHost = !(seat is RoomPlayer)
    switch face {
    case .json(let lines):
      let player = PlayerLines(invocation: invocation, name: name, place: place, isHost: isHost, isJSON: true, lines: lines)
      return await player.play(in: seat, bot: bot)
    case .lines(let lines):
      let player = PlayerLines(invocation: invocation, name: name, place: place, isHost: isHost, isJSON: false, lines: lines)
      return await player.play(in: seat, bot: bot)
    case .screen(let screen):
      let title = place.map(Phrases.place) ?? title.escapedForDisplay
      return await screen.play(
        in: seat, as: name, called: isPlaintext ? Phrases.unprotected(title) : title,
        passcode: place?.passcode, web: place?.web, status: isHost ? invocation.status : nil, bot: bot)
    }
  }

  /// Joins a room that was found on the network, and plays until the room is closed.
  ///
  /// - Parameters:
  ///   - instance: The room.
  ///   - lock: How it is protected, as it is advertised; nil if that is not known.
  ///   - link: A link to it.
  ///   - bonjour: The discovery that resolves it.
  public func join(
    _ instance: ServiceInstance, lock: RoomLock? = nil, link: RoomLink? = nil, on bonjour: Bonjour
  ) async throws -> RoomReason? {
    let destination = Destination(name: instance.name.text, lock: lock, link: link, pinName: PlayerSecurity.name(of: instance))
    do {
      return try await enter(destination) { security in
        try await RoomPlayer.withRoom(instance, as: entry, security: security, interfaces: invocation.interfaces, on: bonjour) {
          player in
          await play(
            in: player, at: RoomPlace(name: instance.name.text, port: player.peer.port), isPlaintext: security.isPlaintext)
        }
      }
    } catch let error as RoomError where error.code == .unavailable && lock == nil {
      // The name was typed, and not chosen from a list.
      let (wanted, open) = (instance.name.text, await openRooms(on: bonjour))
      // A room that is still listed is gone, or cannot be reached.
      throw open.contains(wanted) ? Failure(error) : Failure(.unavailable, Phrases.noSuchRoom(wanted, of: open))
    } catch let error as RoomError {
      throw Failure(error)
    }
  }

  /// The names of the rooms that are open now.
  private func openRooms(on bonjour: Bonjour) async -> [String] {
    let names = try? await bonjour.withBrowser(for: RoomHost.serviceType, interfaces: invocation.interfaces, resolving: true) {
      browser in
      try await Task.sleep(for: Self.listingTime)
      for try await snapshot in browser.snapshots { return snapshot.rooms.inOrder.map(\.name) }
      return []
    }
    return names ?? []
  }

  /// Joins a room of the lobby, and plays until the room is closed.
  public func join(_ room: DiscoveredRoom, on bonjour: Bonjour) async throws -> RoomReason? {
    try await join(room.instance, lock: room.advertisement.lock, on: bonjour)
  }

  /// Joins the room at an address, and plays until the room is closed.
  public func join(at place: HostPort) async throws -> RoomReason? {
    let destination = Destination(name: place.description, pinName: PlayerSecurity.name(ofRoomAt: place.description))
    do {
      let addresses = try await SocketAddress.resolve(host: place.host, port: place.port)
      return try await enter(destination) { security in
        try await RoomPlayer.withRoom(at: addresses, called: place.description, as: entry, security: security) { player in
          await play(in: player, called: place.description, isPlaintext: security.isPlaintext)
        }
      }
    } catch let error as TransportError {
      throw Failure(.unavailable, error.description)
    } catch let error as RoomError {
      throw Failure(error)
    }
  }

  private var entry: PlayerEntry {
    var entry = PlayerEntry(name: name)
    entry.spectates = invocation.spectates
    entry.players = invocation.players
    return entry
  }

  /// Opens a room, and plays until the room is closed.
  public func host(_ configuration: RoomHost.Configuration, on bonjour: Bonjour) async throws -> RoomReason? {
    do {
      return try await telling(on: bonjour) { isOpen in
        try await RoomHost.withRoom(configuration, on: bonjour) { host, service in
          await isOpen(service)
          return try await play(in: host, service)
        }
      }
    } catch let error as RoomError {
      throw Failure(error)
    }
  }

  private func play(in host: RoomHost, _ service: PublishedService) async throws -> RoomReason? {
    var place = RoomPlace(name: await service.name.text, port: host.port)
    (place.passcode, place.link, place.web) = (host.passcode, host.link(named: place.name), host.webAddresses)
    // Afterwards there is no room that somebody could look for.
    defer { invocation.status.note(nil, from: .room) }
    async let _: Void = tell(service.events)
    return await play(in: host, at: place, isPlaintext: place.link == nil)
  }

  /// Tells why others may not be found while a room is opened: on a screen, that it is being opened, too.
  private func telling<Result: Sendable>(
    on bonjour: Bonjour, _ body: (_ isOpen: @escaping @Sendable (PublishedService?) async -> Void) async throws -> Result
  ) async throws -> Result {
    let (status, face) = (invocation.status, face)
    return try await status.telling(
      on: bonjour, interfaces: invocation.interfaces,
      {
        guard case .screen(let screen) = face else { return }
        screen.tell(Phrases.going(Phrases.opening, screen.glyphs))
        for await case let sentence? in status.changes { screen.tell(sentence) }
      }, opening: body)
  }

  /// The configuration of a room opened by this player, from the common options.
  ///
  /// - Parameter protection: The protection of the room; nil for an open one, encrypted unless `--insecure` is given.
  /// - Throws: ``Failure`` if the user's key cannot be used.
  public func roomConfiguration(_ protection: HostProtection? = nil) throws(Failure) -> RoomHost.Configuration {
    let chosen: HostProtection = if let protection { protection } else { try invocation.protection(passcode: nil) }
    var configuration = RoomHost.Configuration(name: name, chosen, generator: invocation.generator)
    configuration.interfaces = invocation.interfaces
    configuration.rules = Match.Rules(time: invocation.time, gathering: .seconds(10), difficulty: invocation.difficulty)
    (configuration.web, configuration.opensWeb) = (face.isAtTerminal ? WebEntrance(port: nil) : nil, false)
    // A person decides whether there is another match; a program would not know that it has to.
    configuration.staysOpen = face.isAtTerminal && !invocation.isBot
    // Nor would it know whom it waits for.
    configuration.waitsForCompany = face.isAtTerminal && !invocation.isBot
    return configuration
  }

  /// Plays alone.
  public func practise() async -> RoomReason? {
    let rules = Match.Rules(time: invocation.time, pause: .seconds(5), difficulty: invocation.difficulty)
    return await play(in: await PracticeRoom(as: name, rules: rules, generator: invocation.generator), called: Phrases.practice)
  }

  /// Shows the host the events of the room's advertisement.
  private func tell(_ events: ServiceEvents) async {
    let status = invocation.status
    do {
      for try await event in events {
        switch event {
        case .renamed(_, let name): invocation.diagnostics.warning(Phrases.renamed(name))
        case .interrupted(let error): status.note(Phrases.hidden(error.message), from: .room)
        case .restored: status.note(nil, from: .room, restored: Phrases.visibleAgain)
        @unknown default: break
        }
      }
    } catch {
      status.note(Phrases.hidden(error.message), from: .room)
    }
  }
}
