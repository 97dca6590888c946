import Bonjourish
import BonjourishTransport
import FramedActors
import FramedTransport
import Glibc

/// Plays tic-tac-toe with somebody on the local network: one hosts a game under a name and has X, the other joins it.
@main struct Game {
  static let type: ServiceType = "_example-ttt._tcp"
  /// Notices within four seconds that the other has vanished, also while somebody thinks.
  static let limits = TransportLimits(heartbeat: Heartbeat(interval: .seconds(1), timeout: .seconds(4)))
  let bonjour: Bonjour
  let isBot: Bool

  static func main() async {
    let words = CommandLine.arguments
    let backend = words.firstIndex(of: "--backend").flatMap { words[$0...].dropFirst().first } ?? "auto"
    guard words.count > 2, ["host", "join"].contains(words[1]) else {
      say("usage: tic-tac-toe host|join NAME [--bot] [--backend auto|avahi|builtin]")
      exit(64)
    }
    do {
      let (isHost, name) = (words[1] == "host", try InstanceName(words[2]))
      let bonjour = try await Bonjour(.init(backend: Bonjour.Backend(rawValue: backend)))
      let game = Game(bonjour: bonjour, isBot: words.contains("--bot"))
      _ = try await withTerminationSignals { try await isHost ? game.host(name) : game.join(name) }
    } catch {
      say("tic-tac-toe: \(error)")
      exit(1)
    }
  }

  /// Publishes a game, and plays it with the first who comes.
  func host(_ name: InstanceName) async throws {
    let listener = try await Listener.bind(limits: Self.limits)
    let guest: Connection? = try await bonjour.withPublishedService(named: name, type: Self.type, listener: listener) {
      say("* \(await $0.name) waits for somebody")
      for await connection in listener.connections { return connection }
      return nil
    }
    await listener.close()
    guard let guest else { return }
    guest.admit()  // It waits to be asked, and says nothing before.
    try await meet(over: guest) { own, other in
      say("* Somebody has come")
      var board = try Board()
      while !board.isOver { try board.play(try await (board.moves.count % 2 == 0 ? own : other).choose(after: board.moves)) }
      for player in [own, other] { try await player.end(board.moves) }
    }
  }

  /// Finds a game by its name, and plays until the host ends it.
  func join(_ name: InstanceName) async throws {
    try await meet(over: .connect(to: ServiceInstance(name, type: Self.type), using: bonjour, limits: Self.limits))
  }

  /// Makes this side's player known to the other side, and plays. The end of the connection ends the game at once.
  func meet(over connection: Connection, _ play: (@Sendable (Player, Player) async throws -> Void)? = nil) async throws {
    var limits = ActorLimits()
    limits.callTime = .seconds(600)  // to think
    let system = PeerActorSystem(limits: limits)
    let own = Player(reading: isBot ? nil : typedLines(), actorSystem: system)
    try system.offer(own, as: "player")
    try await system.withPeer(over: connection) { peer in
      let other = try peer.actor(Player.self, named: "player")
      try await withThrowingTaskGroup { group in
        group.addTask {
          try await peer.waitForEnd()
          guard await own.whenLocal({ $0.hasEnded }) == true else { throw RemoteError("left", "The other player has left") }
        }
        if let play { group.addTask { try await play(own, other) } }
        try await group.next()
        group.cancelAll()
      }
    }
  }
}

func typedLines() -> AsyncStream<String> {
  AsyncStream { lines in
    Task.detached {
      while let line = readLine() { lines.yield(line) }
      lines.finish()
    }
  }
}
