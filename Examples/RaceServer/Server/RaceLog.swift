import FramedTransport
import Race
import _BonjourishConsole
import _BonjourishJSONOutput

/// Writes the events of a race server, as lines for people or as JSON.
struct RaceLog: Sendable {
  let json: Bool

  func listening(at addresses: [SocketAddress]) { Output.standard.line(line(forListeningAt: addresses)) }

  func write(_ report: RaceReport, _ address: SocketAddress?) { Output.standard.line(line(for: report, address)) }

  func line(forListeningAt addresses: [SocketAddress]) -> String {
    guard json else { return "listening at \(addresses.map(\.description).joined(separator: " "))" }
    var record = Record("listening")
    (record.addresses, record.port) = (addresses.map(\.description), addresses.first?.port)
    return JSONLine.text(of: record)
  }

  func line(for report: RaceReport, _ address: SocketAddress?) -> String {
    json ? JSONLine.text(of: record(of: report, address)) : text(of: report, address)
  }

  private func text(of report: RaceReport, _ address: SocketAddress?) -> String {
    switch report {
    case .connected(let player, let continued): "\(player.name) connected\(continued ? " again, and continues" : "")"
    case .disconnected(let player): "\(player.name) disconnected"
    case .started(let match, let players): "match \(match): started with \(Self.names(players))"
    case .arrived(let match, let player, let place): "match \(match): \(player.name) arrived, place \(place)"
    case .presence(let match, let player, let presence): "match \(match): \(player.name) is \(presence.word)"
    case .over(let match, let players): "match \(match): over: \(Self.names(players))"
    case .refused(_, let player, let refusal):
      "\(player?.name ?? "a stranger") at \(address?.description ?? "an unknown address") refused: \(refusal.text.escapedForDisplay)"
    }
  }

  private func record(of report: RaceReport, _ address: SocketAddress?) -> Record {
    var record: Record
    switch report {
    case .connected(let player, let continued):
      record = Record("connected", player)
      record.continued = continued
    case .disconnected(let player):
      record = Record("disconnected", player)
    case .started(let match, let players):
      record = Record("started")
      (record.match, record.aliases) = (match, players.map(\.alias))
    case .arrived(let match, let player, let place):
      record = Record("arrived", player)
      (record.match, record.place) = (match, place)
    case .presence(let match, let player, let presence):
      record = Record("presence", player)
      (record.match, record.presence) = (match, presence.word)
    case .over(let match, let players):
      record = Record("over")
      (record.match, record.aliases) = (match, players.map(\.alias))
    case .refused(_, let player, let refusal):
      record = Record("refused", player)
      (record.address, record.reason, record.text) = (address?.description, refusal.reason.word, refusal.text)
    }
    return record
  }

  private static func names(_ players: [RacePlayer]) -> String { players.map(\.name).joined(separator: ", ") }
}

/// A line of `--json`. It has no player ID: with it, anyone could play in the player's place.
private struct Record: Encodable {
  private var event: String
  private var alias: String?
  var addresses: [String]?
  var port: UInt16?
  var continued: Bool?
  var match: Int?
  var aliases: [String]?
  var place: Int?
  var presence: String?
  var address: String?
  var reason: String?
  var text: String?

  init(_ event: String, _ player: RacePlayer? = nil) {
    self.event = event
    alias = player?.alias
  }
}

extension RacePlayer {
  /// The alias, for people. The ID is not shown: with it, anyone could play in the player's place.
  fileprivate var name: String { alias.escapedForDisplay }
}
