package import TwentyFour

/// Who comes, and where they are put.
extension HouseMachine {
  mutating func connected(_ id: ConnectionID) -> [Effect] {
    precondition(places[id] == nil, "connection \(id) is known already")
    switch phase {
    case .unopened, .closed: return [.disconnect(id, after: .refused(.closing))]
    case .open, .draining: break
    }
    places[id] = .some(nil)
    return []
  }

  mutating func received(_ message: RoomMessage, from id: ConnectionID, at now: Duration) -> [Effect] {
    switch places[id] {
    case nil:
      return []
    case .some(let slot?):
      if case .answer = message { counts.answers += 1 }
      return apply(.received(id, message), to: slot, at: now)
    case .some(nil):
      switch message {
      case .hello(let hello): return self.hello(hello, from: id, at: now)
      case .leaving: return dismiss(id, after: nil)
      default: return dismiss(id, because: .outOfOrder(message))
      }
    }
  }

  mutating func malformed(_ malformed: MalformedMessage, from id: ConnectionID, at now: Duration) -> [Effect] {
    switch (places[id], malformed) {
    case (nil, _): []
    case (.some(let slot?), _): apply(.malformed(id, malformed), to: slot, at: now)
    case (.some(nil), .unknownKind): []
    case (.some(nil), .tooLarge), (.some(nil), .notUTF8), (.some(nil), .notJSON), (.some(nil), .invalid):
      dismiss(id, because: RoomReason(malformed))
    }
  }

  mutating func disconnected(_ id: ConnectionID, at now: Duration) -> [Effect] {
    guard let slot = places[id] ?? nil else {
      places[id] = nil
      return []
    }
    forget(id)
    return apply(.disconnected(id), to: slot, at: now)
  }

  private mutating func dismiss(_ id: ConnectionID, because reason: RoomReason) -> [Effect] {
    counts.refused[reason.code.rawValue, default: 0] += 1
    return dismiss(id, after: .refused(reason))
  }

  private mutating func dismiss(_ id: ConnectionID, after message: RoomMessage?) -> [Effect] {
    places[id] = nil
    return [.disconnect(id, after: message)]
  }
}

// MARK: - Hello

extension HouseMachine {
  private mutating func hello(_ hello: RoomMessage.Hello, from id: ConnectionID, at now: Duration) -> [Effect] {
    // Looked at here too, so that nobody has a match opened who cannot play in it.
    guard hello.version == RoomMessage.version else { return dismiss(id, because: .otherVersion) }
    do {
      _ = try PlayerName(hello.name)
    } catch {
      return dismiss(id, because: RoomReason(.name, error.description))
    }
    if let slot = hello.token.flatMap({ tokens[$0] }) { return enter(slot, hello, from: id, at: now) }
    guard phase == .open else { return dismiss(id, because: .closing) }
    if hello.watches {
      guard let slot = matchToWatch() else { return dismiss(id, because: .noMatch) }
      return enter(slot, hello, from: id, at: now)
    }
    let wish = hello.players ?? size
    guard wish.overlaps(size) else { return dismiss(id, because: .size(size)) }
    let size = wish.clamped(to: size)
    if let slot = vacancies.match(for: size) { return enter(slot, hello, from: id, at: now) }
    guard let (slot, effects) = openMatch(size, at: now) else { return dismiss(id, because: .houseFull(matchLimit)) }
    return effects + enter(slot, hello, from: id, at: now)
  }

  /// Hands a connection, and its hello, to a match.
  private mutating func enter(
    _ slot: Int, _ hello: RoomMessage.Hello, from id: ConnectionID, at now: Duration
  ) -> [Effect] {
    places[id] = slot
    matches[slot]?.connections.insert(id)
    return apply(.connected(id), to: slot, at: now) + apply(.received(id, .hello(hello)), to: slot, at: now)
  }

  /// The match that is most worth looking at: one that is played, with the most players.
  private func matchToWatch() -> Int? {
    // Rare enough to look at all of them.
    matches.indices.filter { matches[$0] != nil }.max {
      guard let left = matches[$0], let right = matches[$1] else { return false }
      return (left.hasBegun ? 1 : 0, left.players.count, right.number) < (
        right.hasBegun ? 1 : 0, right.players.count, left.number
      )
    }
  }
}

// MARK: - Whoever runs the house

extension HouseMachine {
  mutating func kick(_ player: PlayerID, from number: MatchNumber, at now: Duration) -> [Effect] {
    guard let slot = slot(of: number), matches[slot]?.players[player] != nil else { return [] }
    counts.kicked += 1
    return apply(.kick(player), to: slot, at: now)
  }

  /// Those who go by a name, in one match or in all; upper and lower case are alike.
  package func players(called name: String, in number: MatchNumber?) -> [(match: MatchNumber, player: Player)] {
    let key = name.lowercased()
    return matches.compactMap(\.self).filter { number == nil || $0.number == number }.sorted { $0.number < $1.number }
      .flatMap { match in
        match.players.values.filter { $0.name.text.lowercased() == key }.map { (match.number, $0) }
      }
  }
}
