import FramedTransport
import TwentyFour

/// How the connection comes, breaks, and comes again.
extension PlayerMachine {
  /// Up to a second at first, then up to five: a seat is not kept for long.
  private static let policy = ReconnectionPolicy(base: .seconds(1), cap: .seconds(5), stablePeriod: .seconds(10))

  mutating func connected(at now: Duration) -> [Effect] {
    let keptUntil: Duration?
    switch phase {
    case .unconnected: keptUntil = nil
    case .reconnecting(let end): keptUntil = end
    // The player left before the connection stood.
    case .closed: return [.disconnect(after: nil)]
    case .greeting, .inside, .away: preconditionFailure("there is one connection at a time, and it was not asked for")
    }
    phase = .greeting(deadline: now + Watch.helloLimit, keptUntil: keptUntil)
    watch = Watch(from: now)
    return [
      .send(.hello(.init(name: entry.name.text, token: token, players: entry.players, watches: entry.watches)))
    ]
  }

  mutating func unreachable(at now: Duration) -> [Effect] {
    switch phase {
    case .reconnecting: return broke(at: now)
    case .closed: return []
    case .unconnected, .greeting, .inside, .away: preconditionFailure("no connection was asked for")
    }
  }

  /// What becomes of us when the connection broke: we come back as long as our seat is kept.
  ///
  /// - Parameter reason: How the room ends for us if it is not kept.
  mutating func broke(at now: Duration, _ reason: RoomReason = .lost) -> [Effect] {
    let keptUntil: Duration
    switch phase {
    case .inside:
      if now >= entered + Self.policy.stablePeriod { failures = 0 }
      keptUntil = now + returnLimit
    case .greeting(_, let end?), .reconnecting(let end):
      keptUntil = end
    // Fell silent, and was given up in the same moment.
    case .away:
      return []
    case .unconnected, .greeting(_, nil), .closed:
      return end(reason)
    }
    guard now < keptUntil else { return end(reason) }
    failures += 1
    let longest = Self.policy.longestWait(afterFailures: failures)
    let wait = min(longest * Int.random(in: 0...1000, using: &jitter) / 1000, keptUntil - now)
    phase = .away(nextAttempt: now + wait, keptUntil: keptUntil)
    return [.report(.reconnecting(attempt: failures, in: wait))]
  }
}

/// What the host says.
extension PlayerMachine {
  mutating func received(_ message: RoomMessage, at now: Duration) -> [Effect] {
    switch phase {
    case .unconnected, .away, .reconnecting, .closed: []
    case .greeting: receivedGreeting(message, at: now)
    case .inside: receivedInside(message)
    }
  }

  mutating func received(_ malformed: MalformedMessage) -> [Effect] {
    switch (malformed, phase) {
    case (.unknownKind, _), (_, .unconnected), (_, .away), (_, .reconnecting), (_, .closed): []
    case (.tooLarge, _), (.notUTF8, _), (.notJSON, _), (.invalid, _): hangUp(RoomReason(malformed))
    }
  }

  private mutating func receivedGreeting(_ message: RoomMessage, at now: Duration) -> [Effect] {
    switch message {
    case .welcome(let welcome): return welcomed(welcome, at: now)
    case .refused(let reason), .closed(let reason): return hangUp(reason)
    case .hello, .joined, .left, .away, .back, .missing, .round, .answer, .giveUp, .hint, .accepted, .answerRefused, .hinted,
      .hintRefused, .standings, .roundEnded, .leaving, .ping, .pong:
      return hangUp(.outOfOrder(message))
    }
  }

  private mutating func welcomed(_ welcome: RoomMessage.Welcome, at now: Duration) -> [Effect] {
    guard welcome.version == RoomMessage.version else { return hangUp(.otherVersion) }
    // Who looks on has no seat that could be another one.
    let isSameSeat = failures > 0 && welcome.token == token
    phase = .inside(round: nil, isPlaying: welcome.player != nil)
    entered = now
    token = welcome.token
    returnLimit = welcome.returnLimit
    return [.report(isSameSeat ? .resumed : .open(room: welcome.room, player: welcome.player, rules: welcome.rules))]
  }

  private mutating func receivedInside(_ message: RoomMessage) -> [Effect] {
    switch message {
    case .joined(let player): return [.report(.joined(player))]
    case .left(let player): return [.report(.left(player))]
    case .away(let player): return [.report(.away(player))]
    case .back(let player): return [.report(.back(player))]
    case .missing(let count): return [.report(.missing(count))]
    case .round(let deal):
      play(deal.number)
      return [.report(.round(deal))]
    case .accepted(let player, let time): return [.report(.answer(player, time: time))]
    case .answerRefused(let reason), .hintRefused(let reason): return [.report(.refused(reason))]
    case .hinted(_, let hint, let cost): return [.report(.hint(hint, cost: cost))]
    case .standings(let standings): return [.report(.standings(standings))]
    case .roundEnded(let result):
      play(nil)
      return [.report(.roundEnded(result))]
    case .refused(let reason), .closed(let reason): return hangUp(reason)
    case .ping: return [.send(.pong)]
    case .pong: return []
    case .hello, .welcome, .answer, .giveUp, .hint, .leaving: return hangUp(.outOfOrder(message))
    }
  }

  private mutating func play(_ round: Int?) {
    guard case .inside(_, let isPlaying) = phase else { preconditionFailure("rounds are told of inside") }
    phase = .inside(round: round, isPlaying: isPlaying)
  }
}
