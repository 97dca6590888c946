import FramedJSON
import FramedSecurity
import FramedTransport
import Rooms
import Synchronization
import TwentyFour

/// Players, every other with a page if the host has pages, who try an answer that is wrong, wait for the reply, and soon try the next: each reply is measured.
final class HonestPlayers: Sendable {
  /// What has happened since the last report. Times are microseconds.
  struct Report: Encodable {
    var answers = 0
    var p50 = 0
    var p99 = 0
    var p999 = 0
    /// The messages that should not have come.
    var wrong = 0
    /// The connections that have ended.
    var broken = 0
    /// How often the visitor was let in, and how often not.
    var visits = 0
    var turnedAway = 0
    var longestVisit = 0

    private enum CodingKeys: String, CodingKey {
      case answers, p50, p99, p999, wrong, broken, visits
      case turnedAway = "turned_away"
      case longestVisit = "longest_visit_ms"
    }
  }

  private struct State {
    var times: [Duration] = []
    var wrong = 0
    var broken = 0
    var isEnding = false
    var connections: [Connection] = []
  }

  /// A part of the processor is left for the besiegers.
  private static let pause = Duration.milliseconds(10)

  private let host: BesiegedHost
  private let visitor: Visitor
  private let state = Mutex(State())

  init(at host: BesiegedHost, _ visitor: Visitor) {
    self.host = host
    self.visitor = visitor
  }

  /// Adds a player, who plays from now on.
  func add(_ number: Int, players: Int) async throws {
    let connection = number % 2 == 0 ? try await host.connectAsPage() : try await host.connect(host.code)
    state.withLock { $0.connections.append(connection) }
    let hello = RoomMessage.hello(.init(name: "Player \(number)", players: players > 0 ? players...players : nil))
    try await connection.send(try RoomMessage.codec.encode(hello))
    Task(executorPreference: connection.executor) { await self.play(connection) }
  }

  private func play(_ connection: Connection) async {
    var began: ContinuousClock.Instant?
    var round = 0
    func ask() {
      began = .now
      let sent = (try? RoomMessage.codec.encode(.act(round: round, .answer("1")))).map { (try? connection.trySend($0)) == true }
      if sent != true { noteWrong() }
    }
    do {
      for try await frame in connection.frames {
        let message = try RoomMessage.codec.decode(frame)
        switch message {
        case .event(.round(let deal)):
          round = deal.number
          ask()
        case .event(.refused(let reason)):
          if reason.code != .wrongDigits { noteWrong() }
          if let began { state.withLock { $0.times.append(.now - began) } }
          try await Task.sleep(for: Self.pause)
          ask()
        case .event(.closed): noteWrong()
        default: break
        }
      }
    } catch {}
    state.withLock { if !$0.isEnding { $0.broken += 1 } }
  }

  private func noteWrong() {
    state.withLock { if !$0.isEnding { $0.wrong += 1 } }
  }

  /// What has happened since the last report; `wrong` and `broken` since the beginning.
  func report() -> Report {
    let visits = visitor.report()
    return state.withLock { state in
      let times = state.times.sorted()
      state.times = []
      func quantile(_ share: Double) -> Int {
        times.isEmpty ? 0 : Int(times[min(times.count - 1, Int(share * Double(times.count)))] / .microseconds(1))
      }
      return Report(
        answers: times.count, p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999), wrong: state.wrong,
        broken: state.broken, visits: visits.visits, turnedAway: visits.turnedAway,
        longestVisit: Int(visits.longestVisit / .milliseconds(1)))
    }
  }

  /// Has all leave.
  func end() async -> Report {
    let report = report()
    let connections = state.withLock { state in
      state.isEnding = true
      return state.connections
    }
    for connection in connections {
      _ = try? connection.trySend(try RoomMessage.codec.encode(.leaving))
      await connection.close()
    }
    return report
  }
}
