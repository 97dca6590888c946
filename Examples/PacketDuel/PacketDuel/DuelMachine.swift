import FourInARow

/// One side of a duel: the protocol and the game, as a value without sockets.
///
/// The shell passes in the events of its connections and the moves of its player, and carries out the effects in order. A guest
/// has one connection. A host may have several, until a guest has sent its name and becomes the opponent. All other guests are
/// turned away; a violation by one of them ends only its own connection.
public struct DuelMachine: Sendable {
  public enum Role: Hashable, Sendable {
    case host
    case guest
  }

  /// Identifies a connection of the shell.
  public struct PeerID: Hashable, Sendable {
    let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
  }

  public enum Event: Hashable, Sendable {
    case connected(PeerID)
    case received(PeerID, DuelMessage)
    /// A frame arrived that cannot be read.
    case violated(PeerID, Violation)
    /// The connection has ended.
    case disconnected(PeerID)
    /// This side's player leaves, or stops waiting.
    case leave
  }

  public enum Effect: Hashable, Sendable {
    case send(DuelMessage, to: PeerID)
    /// The connection is no longer pending.
    case admit(PeerID)
    /// Close the connection, after everything has been sent.
    case disconnect(PeerID)
    /// Stop advertising and accepting connections: the opponent has joined, or the host has stopped waiting.
    case withdraw
    case report(DuelEvent)
    /// A peer that is not the opponent broke the protocol.
    case warn(PeerID, Violation)
  }

  private enum State {
    /// The host has sent the proof to these peers, and waits for a name. Goes to `playing`, `over`.
    case waiting(Set<PeerID>)
    /// The guest waits for the proof. Goes to `asking`, `over`.
    case unproven(PeerID?)
    /// The guest has sent its name. Goes to `playing`, `over`.
    case asking(PeerID)
    /// Goes to `over`.
    case playing(PeerID, Game)
    case over
  }

  private struct Game {
    let own: Disc
    var board = Board()
  }

  private let role: Role
  private let name: String
  private var state: State

  /// Makes a side that has no connection yet.
  ///
  /// - Parameter name: The player's name, 1–63 bytes.
  public init(_ role: Role, name: String) {
    precondition((1...DuelMessage.longestName).contains(name.utf8.count), "name must have 1 to 63 bytes")
    self.role = role
    self.name = name
    state =
      switch role {
      case .host: .waiting([])
      case .guest: .unproven(nil)
      }
  }

  /// Handles an event, and returns what to do, in order.
  ///
  /// Events of unknown or former connections have no effect.
  public mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .connected(let peer): connected(peer)
    case .received(let peer, let message): received(message, from: peer)
    case .violated(let peer, let violation): violated(violation, by: peer)
    case .disconnected(let peer): disconnected(peer)
    case .leave: leave()
    }
  }

  /// Makes a move of this side's player.
  ///
  /// - Parameter column: The column, counted from 0.
  /// - Throws: The reason why the move is refused; nothing has then changed.
  public mutating func drop(in column: Int) throws(MoveRefusal) -> [Effect] {
    guard case .playing(let peer, var game) = state else { throw .noGame }
    guard game.board.turn == game.own else { throw .notYourTurn }
    do throws(MoveError) {
      try game.board.drop(in: column)
    } catch {
      throw .illegal(error)
    }
    let message = DuelMessage.move(number: Int32(game.board.discCount), column: UInt8(column))
    return [.send(message, to: peer)] + goOn(game, with: peer, after: column, by: game.own)
  }
}

// MARK: - Connections

extension DuelMachine {
  private mutating func connected(_ peer: PeerID) -> [Effect] {
    switch state {
    case .waiting(let strangers):
      state = .waiting(strangers.union([peer]))
      return [.send(.proofOfConcept, to: peer)]
    case .unproven(nil):
      state = .unproven(peer)
      return []
    case .playing:
      return turnAway(peer)
    case .over:
      return [.send(.goodbye(.leaves, ""), to: peer), .disconnect(peer)]
    case .unproven, .asking:
      preconditionFailure("a guest must have one connection only")
    }
  }

  private mutating func disconnected(_ peer: PeerID) -> [Effect] {
    switch state {
    case .waiting(let strangers):
      state = .waiting(strangers.subtracting([peer]))
      return []
    case .unproven(peer), .asking(peer), .playing(peer, _):
      return end(.lost)
    case .unproven, .asking, .playing, .over:
      return []
    }
  }

  private func turnAway(_ peer: PeerID) -> [Effect] {
    [.send(.goodbye(.hasAnotherOpponent, "another player was first"), to: peer), .disconnect(peer)]
  }

  private mutating func leave() -> [Effect] {
    let goodbye = DuelMessage.goodbye(.leaves, "")
    switch state {
    case .waiting(let strangers):
      let goodbyes = strangers.sorted { $0.rawValue < $1.rawValue }.flatMap { peer -> [Effect] in
        [.send(goodbye, to: peer), .disconnect(peer)]
      }
      return goodbyes + [.withdraw] + end(.left)
    case .unproven(let peer?), .asking(let peer), .playing(let peer, _):
      return [.send(goodbye, to: peer), .disconnect(peer)] + end(.left)
    case .unproven(nil):
      return end(.left)
    case .over:
      return []
    }
  }

  private mutating func violated(_ violation: Violation, by peer: PeerID) -> [Effect] {
    let answer: [Effect] = [.send(.goodbye(.sawRuleBroken, violation.description), to: peer), .disconnect(peer)]
    switch state {
    case .waiting(let strangers):
      guard strangers.contains(peer) else { return [] }
      state = .waiting(strangers.subtracting([peer]))
      return [.warn(peer, violation)] + answer
    case .unproven(peer), .asking(peer), .playing(peer, _):
      return answer + end(.violated(violation))
    case .unproven, .asking, .playing, .over:
      return []
    }
  }

  private mutating func end(_ ending: DuelEvent.Ending) -> [Effect] {
    state = .over
    return [.report(.closed(ending))]
  }
}

// MARK: - Messages

extension DuelMachine {
  private mutating func received(_ message: DuelMessage, from peer: PeerID) -> [Effect] {
    switch (state, message) {
    case (.waiting(let strangers), _) where strangers.contains(peer):
      return stranger(peer, says: message, among: strangers)
    case (.unproven(peer), .proof):
      state = .asking(peer)
      return [.send(.name(name), to: peer)]
    case (.asking(peer), .name(let opponent)):
      state = .playing(peer, Game(own: .first))
      return [.report(.opponent(name: opponent, own: .first))]
    case (.playing(peer, let game), .move(let number, let column)):
      return opponent(peer, drops: column, as: number, in: game)
    case (.unproven(peer), .goodbye(let goodbye, let text)), (.asking(peer), .goodbye(let goodbye, let text)),
      (.playing(peer, _), .goodbye(let goodbye, let text)):
      return [.disconnect(peer)] + end(.init(goodbye, text))
    case (.unproven(peer), _):
      return violated(.outOfOrder(expected: "the proof of concept"), by: peer)
    case (.asking(peer), _):
      return violated(.outOfOrder(expected: "the host's name"), by: peer)
    case (.playing(peer, _), _):
      return violated(.outOfOrder(expected: "a move or a goodbye"), by: peer)
    case (.waiting, _), (.unproven, _), (.asking, _), (.playing, _), (.over, _):
      return []
    }
  }

  private mutating func stranger(_ peer: PeerID, says message: DuelMessage, among strangers: Set<PeerID>) -> [Effect] {
    switch message {
    case .name(let opponent):
      state = .playing(peer, Game(own: .second))
      let others = strangers.subtracting([peer]).sorted { $0.rawValue < $1.rawValue }
      return [.admit(peer), .send(.name(name), to: peer), .withdraw] + others.flatMap(turnAway)
        + [.report(.opponent(name: opponent, own: .second))]
    case .goodbye:
      state = .waiting(strangers.subtracting([peer]))
      return [.disconnect(peer)]
    case .proof, .move:
      return violated(.outOfOrder(expected: "the guest's name"), by: peer)
    }
  }

  private mutating func opponent(_ peer: PeerID, drops column: UInt8, as number: Int32, in game: Game) -> [Effect] {
    var game = game
    guard game.board.turn != game.own else { return violated(.outOfTurn, by: peer) }
    let expected = game.board.discCount + 1
    guard number == expected else { return violated(.miscounted(number, expected: expected), by: peer) }
    do throws(MoveError) {
      try game.board.drop(in: Int(column))
    } catch {
      return violated(.illegal(error), by: peer)
    }
    return goOn(game, with: peer, after: Int(column), by: game.own.opposite)
  }

  /// The effects of a move of either player.
  private mutating func goOn(_ game: Game, with peer: PeerID, after column: Int, by player: Disc) -> [Effect] {
    state = .playing(peer, game)
    let report = Effect.report(.moved(player, column: column, board: game.board))
    // Both sides see that the game is over, so no goodbye is needed.
    return game.board.outcome == nil ? [report] : [report, .disconnect(peer)] + end(.finished)
  }
}

extension DuelEvent.Ending {
  /// The ending of the duel after the peer's goodbye.
  fileprivate init(_ goodbye: DuelMessage.Goodbye, _ text: String) {
    switch goodbye {
    case .leaves: self = .opponentLeft
    case .hasAnotherOpponent: self = .turnedAway
    case .sawRuleBroken: self = .accused(text)
    }
  }
}
