public import Bonjourish
public import Rooms
public import TwentyFour
import _BonjourishConsole

/// The open rooms. A person may choose repeatedly; a program takes the first.
public struct Lobby: Sendable {
  private let invocation: PlayerInvocation
  private let face: Face
  private let bonjour: Bonjour

  /// The time limit for finding a room.
  private static let searchTime: Duration = .seconds(10)
  /// The time that the local network has before rooms of a directory are tried, and the time between two looks at the list of these.
  private static let localTime: Duration = .seconds(1)
  private static let lookTime: Duration = .milliseconds(100)
  /// The time that a room of a directory has to accept a connection.
  private static let answerTime: Duration = .seconds(2)

  public init(_ invocation: PlayerInvocation, _ face: Face, on bonjour: Bonjour) {
    self.invocation = invocation
    self.face = face
    self.bonjour = bonjour
  }

  /// The first room with a free place that answers; nil if the task is cancelled.
  ///
  /// - Throws: ``Failure`` if none is found within 10 s.
  public func firstWithRoom() async throws -> DiscoveredRoom? {
    typealias Ending = (isDone: Bool, room: DiscoveredRoom?)
    let trial = RoomTrial()
    let (found, reason) = try await withThrowingTaskGroup(of: Ending.self) { group -> (DiscoveredRoom?, String?) in
      if case .screen(let screen) = face {
        group.addTask {
          for await sentence in invocation.status.changes {
            screen.tell(sentence ?? Phrases.going(Phrases.lookingForRoom, screen.glyphs))
          }
          return (false, nil)
        }
      }
      group.addTask {
        let found = try await looking { rooms in
          let open = rooms.filter(invocation.canEnter)
          invocation.status.note(open.isEmpty && !rooms.isEmpty ? Phrases.noRoomIsFree : nil, from: .rooms)
          return trial.see(open)
        }
        return (true, found)
      }
      if invocation.usesDirectory { group.addTask { (true, await firstAnswering(of: trial)) } }
      group.addTask {
        try? await Task.sleep(for: Self.searchTime)
        return (true, nil)
      }
      defer { group.cancelAll() }
      for try await ending in group where ending.isDone {
        invocation.status.note(nil, from: .rooms)
        // Now, because the reason is that of a search which goes on.
        return (ending.room, invocation.status.sentence)
      }
      return (nil, nil)
    }
    guard found != nil || Task.isCancelled else {
      throw Failure(.unavailable, reason.map(Phrases.noRoomFound) ?? Phrases.noRoomToJoin)
    }
    return found
  }

  /// The first room of the directory that answers, or the only one; nil if the task is cancelled.
  private func firstAnswering(of trial: RoomTrial) async -> DiscoveredRoom? {
    var generator = invocation.generator
    let origin = ContinuousClock.now
    try? await Task.sleep(for: invocation.usesLocalNetwork ? Self.localTime : .zero)
    while !Task.isCancelled {
      if let only = trial.only {
        // Others may just be coming.
        try? await Task.sleep(for: Self.lookTime)
        if trial.only?.id == only.id { return only }
      }
      let found = await RoomTrial.firstAnswering(of: trial.next(at: ContinuousClock.now - origin, using: &generator)) { room in
        await room.answers(on: bonjour, interfaces: invocation.interfaces, within: Self.answerTime)
      }
      if let found { return found }
      try? await Task.sleep(for: Self.lookTime)
    }
    return nil
  }

  /// Lets a player choose rooms and play in them: repeatedly at a terminal, once if a program writes the lines.
  public func visit(as name: PlayerName) async throws {
    switch face {
    case .screen(let screen):
      try await visit(screen, as: name)
    case .json(let lines?), .lines(let lines?):
      let rooms = RoomLines(json: invocation.json)
      repeat {
        guard let wish = try await choice(from: lines, rooms) else { return }
        let session = PlayerSession(invocation, face, as: name)
        do {
          guard let reason = try await fulfil(wish, session) else { return }
          if let failure = Failure(reason) { throw failure }
        } catch let failure as Failure where face.isAtTerminal {
          invocation.diagnostics.error(failure.message)
        }
      } while face.isAtTerminal && !Task.isCancelled
    case .json(nil), .lines(nil):
      guard let room = try await firstWithRoom() else { return }
      try Failure.check(try await PlayerSession(invocation, face, as: name).join(room, on: bonjour))
    }
  }

  // MARK: - On a screen

  private func visit(_ screen: PlayerScreen, as name: PlayerName) async throws {
    var lobby = LobbyState(name: name, usesDirectory: invocation.usesDirectory)
    var generator = invocation.generator
    while !Task.isCancelled {
      var wish = try await screen.choose(&lobby, invocation.status) { changed in
        _ = try await looking { rooms in
          await changed(rooms)
          return nil
        }
      }
      if wish == .anyRoom { wish = lobby.anyRoom(using: &generator, where: invocation.canEnter).map { .join($0) } ?? .anyRoom }
      switch wish {
      case .quit, nil: return
      case .repaint: continue
      case .anyRoom: lobby.notice = Phrases.noFreePlace
      case .rename:
        if let name = await invocation.askName(on: screen, instead: lobby.name) { lobby.name = name }
      case .join(let room)?:
        screen.tell(Phrases.going(Phrases.joining(room.name.escapedForDisplay), screen.glyphs), in: &lobby)
        await play(.join(room), &lobby)
      case .host?:
        await play(.host, &lobby)
      case .practise?: await play(.practise, &lobby)
      }
    }
  }

  /// Plays in a room; the lobby shows an error.
  private func play(_ wish: LobbyState.Wish, _ lobby: inout LobbyState) async {
    lobby.notice = nil
    do {
      let reason = try await fulfil(wish, PlayerSession(invocation, face, as: lobby.name))
      // Of what the player has done, nothing needs to be told.
      if let reason, !isOwnEnd(of: wish, reason) { lobby.notice = Phrases.reason(reason) }
    } catch let failure as Failure {
      lobby.notice = failure.message.escapedForDisplay.asSentence
    } catch {
      lobby.notice = "\(error)".escapedForDisplay.asSentence
    }
  }

  private func isOwnEnd(of wish: LobbyState.Wish, _ reason: RoomReason) -> Bool {
    switch wish {
    case .host, .practise: reason.code == .hostLeft
    case .join, .anyRoom, .rename, .quit, .repaint: reason.code == .left
    }
  }

  private func fulfil(_ wish: LobbyState.Wish, _ session: PlayerSession) async throws -> RoomReason? {
    switch wish {
    case .join(let room): return try await session.join(room, on: bonjour)
    case .host: return try await session.host(try session.roomConfiguration(), on: bonjour)
    case .practise: return await session.practise()
    case .anyRoom, .rename, .quit, .repaint: return nil
    }
  }

  // MARK: - In lines

  /// The room whose number the player types, or another choice; nil if the player quits.
  private func choice(from lines: LineReader, _ shown: RoomLines) async throws -> LobbyState.Wish? {
    await shown.forget()
    return try await withThrowingTaskGroup(of: LobbyState.Wish?.self) { group in
      group.addTask {
        _ = try await looking { rooms in
          await shown.show(rooms)
          return nil
        }
        return nil
      }
      group.addTask {
        var generator = invocation.generator
        for await line in lines {
          guard case .text(let text) = line else { continue }
          switch text.lowercased().filter({ !$0.isWhitespace }) {
          case "": continue
          case "quit", "q", "exit": return nil
          case "h", "host": return .host
          case "p", "practice", "practise": return .practise
          case "?", "help": Output.standard.line(Phrases.lobbyCommands)
          case "r", "random":
            if let room = await shown.rooms.filter(invocation.canEnter).randomElement(using: &generator) {
              return .join(room)
            }
            Output.error.line(Phrases.noFreePlace)
          default:
            if let room = await shown.room(text) { return .join(room) }
            let isNumber = text.allSatisfy { $0.isASCII && $0.isNumber }
            Output.error.line(isNumber ? Phrases.noSuchRoom(text, of: await shown.rooms.count) : Phrases.lobbyCommands)
          }
        }
        guard Task.isCancelled || lines.isTerminal else { throw Failure(.usage, Phrases.inputEnded) }
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Calls a closure with the rooms after each change, until it returns a choice.
  private func looking(_ choose: @escaping @Sendable ([DiscoveredRoom]) async -> DiscoveredRoom?) async throws
    -> DiscoveredRoom?
  {
    do {
      return try await bonjour.withBrowser(for: RoomHost.serviceType, interfaces: invocation.interfaces, resolving: true) {
        browser in
        // The next search tells for itself.
        defer { invocation.status.note(nil, from: .search) }
        async let _: Void = invocation.status.follow(browser)
        for try await snapshot in browser.snapshots {
          if let room = await choose(snapshot.rooms.inOrder) { return room }
        }
        return nil
      }
    } catch let error as DiscoveryError {
      throw Failure(error)
    }
  }
}
