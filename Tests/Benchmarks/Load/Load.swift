import FramedTransport
import FramedWebSockets
import Rooms
import Synchronization

/// The course of a measurement.
struct Load: Sendable {
  private let server: HostProcess
  private let rooms: Int
  private let players: Int
  private let rounds: Int
  /// How often the second crowd comes, once a second.
  private let waves: Int
  private let figures = Figures()
  private let addresses: [SocketAddress]
  private let security: ConnectionSecurity

  /// How many may be connecting at a time: less than what a server lets come from one address.
  private static let connecting = 32

  init(_ server: HostProcess, rooms: Int, players: Int, rounds: Int, waves: Int, protection: Protection) throws(TransportError)
  {
    self.server = server
    self.rooms = rooms
    self.players = players
    self.rounds = rounds
    self.waves = waves
    let port = server.webPort ?? server.port
    security = server.webPort == nil ? protection.security() : try .webSocket(host: "127.0.0.1:\(port)")
    addresses = [SocketAddress(numericHost: "127.0.0.1", port: port)].compactMap(\.self)
  }

  func run() async throws -> LoadReport {
    let began = ContinuousClock.now
    let playing = Mutex<[Task<RoomReason.Code, Never>]>([])
    let entered = await enter(1...(rooms * players)) { task in playing.withLock { $0.append(task) } }
    let entrySeconds = (ContinuousClock.now - began) / .seconds(1)
    guard entered["inside"] == rooms * players else { throw Incomplete(entries: entered) }

    // The first round of everybody is over: from here on all play.
    await until { figures.roundEndCount >= rooms * players }
    let (before, time) = (server.processorSeconds, ContinuousClock.now)
    // In the middle of the second round, when most answers come.
    await until { figures.answerCount >= rooms * players * 5 / 4 }
    let marker = figures.acknowledgements.count
    let refusals = Figures()
    var refused: [String: Int] = [:]
    for _ in 0..<waves {
      let next = ContinuousClock.now + .seconds(1)
      let crowd = await enter((rooms * players + 1)...(2 * rooms * players), timing: refusals) { _ in }
      refused.merge(crowd, uniquingKeysWith: +)
      try await Task.sleep(until: next, clock: .continuous)
    }
    let whileRefusing = Array(figures.acknowledgements.dropFirst(marker))
    // Before the last round of all, for a server is empty after it.
    await until { figures.roundEndCount >= (rounds - 1) * rooms * players }
    let host = try await server.statistics()
    let (after, residentKiB, passed) = (server.processorSeconds, server.residentKiB, ContinuousClock.now - time)

    var endings: [String: Int] = [:]
    for task in playing.withLock({ $0 }) { endings[await task.value.rawValue, default: 0] += 1 }
    let (spreads, acknowledgements) = (figures.spreads(players: players), figures.acknowledgements)
    return LoadReport(
      rooms: rooms, players: players, rounds: rounds, startSpreadP50: spreads.quantile(0.5),
      startSpreadP99: spreads.quantile(0.99), startSpreadMax: spreads.quantile(1), startsMeasured: spreads.count,
      acknowledgementP50: acknowledgements.quantile(0.5), acknowledgementP99: acknowledgements.quantile(0.99),
      acknowledgementMax: acknowledgements.quantile(1), answers: figures.answerCount, acknowledged: acknowledgements.count,
      acknowledgementP99Before: Array(figures.acknowledgements.prefix(marker)).quantile(0.99),
      acknowledgementP99WhileRefusing: whileRefusing.quantile(0.99), acknowledgedWhileRefusing: whileRefusing.count,
      refused: refused, refusalP50: refusals.acknowledgements.quantile(0.5),
      refusalP99: refusals.acknowledgements.quantile(0.99), endings: endings, notes: figures.notes, entrySeconds: entrySeconds,
      host: host, hostResidentKiB: residentKiB,
      hostProcessorPercent: (after - before) / (passed / .seconds(1)) * 100)
  }

  private func until(_ condition: () -> Bool) async {
    while !condition(), server.isRunning { try? await Task.sleep(for: .milliseconds(20)) }
  }

  /// Lets bots come in, a few at a time.
  ///
  /// - Returns: How many got `inside`, and how many were refused with which code.
  private func enter(
    _ numbers: ClosedRange<Int>, timing: Figures? = nil, _ playing: @escaping @Sendable (Task<RoomReason.Code, Never>) -> Void
  ) async -> [String: Int] {
    await withTaskGroup(of: String.self) { group in
      var counts: [String: Int] = [:]
      for number in numbers {
        if number - numbers.lowerBound >= Self.connecting, let entry = await group.next() { counts[entry, default: 0] += 1 }
        group.addTask {
          let began = ContinuousClock.now
          let bot: LoadBot
          do {
            bot = try await LoadBot(number, at: addresses, players: players, security: security, figures: figures)
          } catch {
            return "unreachable"
          }
          playing(bot.begin())
          let entry = await bot.entry()
          timing?.acknowledged(after: .now - began)
          switch entry {
          case .inside: return "inside"
          case .refused(let code): return code.rawValue
          case .lost: return "lost"
          }
        }
      }
      for await entry in group { counts[entry, default: 0] += 1 }
      return counts
    }
  }

  /// Not everybody found a place.
  struct Incomplete: Error, CustomStringConvertible {
    let entries: [String: Int]

    var description: String { "not everybody found a place: \(entries)" }
  }
}
