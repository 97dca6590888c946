import Bonjourish
import Foundation
import FramedSecurity
import FramedTransport
import MatchServer
import Rooms
import Screens
import TwentyFour
import _BonjourishConsole
import _BonjourishDiscoveryOptions
import _BonjourishJSONOutput

/// `twentyfour-host --dedicated`: a match server, without a player of its own.
enum DedicatedMode {
  static let flag = Option.choosing("dedicated", Phrases.Options.dedicated)
  static let name = Option.optional(
    "name", "NAME", .text, default: "TwentyFour", Phrases.Options.serverName)
  static let port = Option.optional(
    "port", "P", .integer(in: 0...65_535), default: Int(MatchServer.standardPort),
    Phrases.Options.serverPort)
  static let rooms = Option.optional(
    "rooms", "N", .integer(in: 1...10_000), default: 100, Phrases.Options.matches)
  static let players = Option.optional(
    "players", "MIN:MAX", .range(in: 1...Match.Rules.playerLimit), default: 2...16,
    Phrases.Options.matchSize)
  static let rounds = Option.optional(
    "rounds", "N", .integer(in: 1...1_000_000), default: 10, Phrases.Options.serverRounds)
  static let pauseSeconds = Option.optional(
    "pause-seconds", "S", .seconds(in: 0...86_400), default: .seconds(10), Phrases.Options.pauseSeconds)
  static let unlisted = Option.flag("unlisted", Phrases.Options.unlisted)
  static let state = Option.optional(
    "state", "FILE", .file, Phrases.Options.serverState)
  static let admin = Option.optional(
    "admin", "PATH", .file, Phrases.Options.admin)

  static let command = Command(
    "twentyfour-host",
    summary: Phrases.Commands.server,
    options: [
      flag, name, port, rooms, players, rounds, RoundTime.seconds, PlayerOptions.time, pauseSeconds, unlisted, admin, state,
      ResultsPlace.file,
      ResultsPlace.record, PlayerInvocation.hostPasscode, PlayerOptions.insecure, PlayerOptions.difficulty, PlayerOptions.seed,
      PlayerOptions.json, PlayerOptions.interfaces, PlayerOptions.verbose,
    ] + NetworkOptions.all + GroupOptions.all + WebOptions.all + ShareOptions.server,
    exclusive: NetworkOptions.exclusive + [[GroupOptions.key, state], [GroupOptions.key, PlayerOptions.insecure]],
    examples: [
      .init("twentyfour-host --dedicated", Phrases.Commands.usualServer),
      .init("twentyfour-host --dedicated --passcode 471123", Phrases.Commands.serverWithPasscode),
      .init(
        "twentyfour-host --dedicated --players 4:4 --rounds 3 --record", Phrases.Commands.shortMatches),
    ],
    manual: Manual(options: GroupOptions.notes.merging(notes) { $1 }))

  static func run(_ arguments: Arguments) async throws {
    let diagnostics = Diagnostics(
      program: command.name, level: arguments[PlayerOptions.verbose] ? .detail : .notice)
    // First, because it changes the environment.
    do throws(TransportError) {
      try Listener.readInheritedEnvironment()
    } catch {
      throw Failure(.unavailable, error.description)
    }
    let network = try network(arguments)
    try GroupOptions.check(arguments, isListed: network.region != nil && !arguments[unlisted])
    var configuration = try self.configuration(arguments, network.interfaces, diagnostics)
    let keeper = try await ServerKeeper(admin: arguments[admin], diagnostics)
    let status = NetworkStatus(json: arguments[PlayerOptions.json], diagnostics)
    let bonjour =
      arguments[unlisted] ? nil : try await bonjour(network, status, json: arguments[PlayerOptions.json], diagnostics)
    do {
      try await ResultKeeper.recording(arguments, for: arguments[name], diagnostics) { results in
        configuration.observe = { tell($0, $1, to: diagnostics) }
        configuration.observeStored = { results?.observe($0, $1) }
        configuration.advertising = network.region == nil ? nil : .directoryOnly
        configuration.state = arguments[state]
        configuration.stateFailed = { diagnostics.warning("\($0)") }
        let isJSON = arguments[PlayerOptions.json]
        configuration.observeAdmission = { event in
          tell(event, to: diagnostics)
          if isJSON, case .web = event { Output.standard.json(event) }
        }
        try await GroupOptions.withGroup(arguments, configuration.protection, on: bonjour) { news in
          diagnostics.warning(news.text)
          if isJSON { Output.standard.json(news) }
        } _: { event in
          diagnostics.notice(GroupNews.text(event))
          if isJSON, let news = GroupNews(event) { Output.standard.json(news) }
        } _: { group in
          configuration.group = group
          try await status.telling(on: bonjour, interfaces: configuration.interfaces) { isOpen in
            try await serve(configuration, on: bonjour, keeper, arguments, diagnostics, isOpen)
          }
        }
      }
    } catch let error as RoomError {
      throw Failure(error)
    }
    diagnostics.notice(Phrases.Server.closed)
  }

  private static func serve(
    _ configuration: MatchServer.Configuration, on bonjour: Bonjour?, _ keeper: ServerKeeper, _ arguments: Arguments,
    _ diagnostics: Diagnostics, _ isOpen: @escaping @Sendable (PublishedService?) async -> Void
  ) async throws {
    try await MatchServer.withServer(configuration, on: bonjour) { server, service in
      await isOpen(service)
      let name = await service?.name.text ?? arguments[name]
      let link = server.link(named: name)
      let opened = Opened(
        name: name, port: server.port, passcode: server.passcode, key: link?.key.description, link: link?.description,
        web: server.webAddresses?.first)
      diagnostics.notice(
        Phrases.Server.open(opened.name, at: server.addresses.map(\.description), matches: arguments[rooms]))
      if let passcode = server.passcode { diagnostics.notice(shown(passcode)) }
      if let addresses = server.webAddresses { diagnostics.notice(shown(addresses)) }
      if arguments[PlayerOptions.json] { Output.standard.json(opened) }
      await keeper.keep(server, service)
    }
  }

  /// The line of `--json` when the server is open.
  private struct Opened: Encodable {
    var event = "open"
    let name: String
    let port: UInt16
    let passcode: String?
    let key: String?
    let link: String?
    let web: String?
  }

  static func configuration(
    _ arguments: Arguments, _ interfaces: InterfaceSelection, _ diagnostics: Diagnostics
  ) throws(Failure) -> MatchServer.Configuration {
    let protection = try GroupOptions.protection(
      HostProtection(
        passcode: arguments[PlayerInvocation.hostPasscode], isInsecure: arguments[PlayerOptions.insecure], diagnostics),
      arguments)
    let usualRound = try RoundTime.usual(arguments)
    do {
      var configuration = MatchServer.Configuration(
        name: try InstanceName(arguments[name]), protection,
        generator: SeededGenerator(seed: arguments[PlayerOptions.seed].map(UInt64.init) ?? .random(in: 0...UInt64.max)))
      configuration.matches = arguments[rooms]
      configuration.shares = ShareOptions.limits(arguments, matches: arguments[ShareOptions.matches])
      configuration.port = UInt16(arguments[port])
      configuration.web = WebOptions.entrance(arguments)
      configuration.interfaces = interfaces
      configuration.rules = Match.Rules(
        roundDuration: usualRound, time: arguments[PlayerOptions.time], pause: arguments[pauseSeconds],
        gathering: arguments[pauseSeconds], rounds: arguments[rounds], minimumPlayers: arguments[players].lowerBound,
        maximumPlayers: arguments[players].upperBound,
        difficulty: arguments[PlayerOptions.difficulty])
      return configuration
    } catch {
      throw Failure(.usage, "\(error)")
    }
  }

  /// Where the server is to be found.
  private static func network(_ arguments: Arguments) throws(Failure) -> NetworkChoice {
    do {
      return try NetworkChoice(arguments, try InterfaceSelection(parsing: arguments[PlayerOptions.interfaces]))
    } catch {
      throw Failure(.usage, "\(error)")
    }
  }

  /// Discovery. Without it, players can still join with the server's address.
  private static func bonjour(
    _ network: NetworkChoice, _ status: NetworkStatus, json isJSON: Bool, _ diagnostics: Diagnostics
  ) async throws(Failure) -> Bonjour? {
    do throws(DiscoveryError) {
      var local = Bonjour.Configuration(backend: network.backend) { diagnostics.detail($0.text) }
      status.follow(&local)
      return try await network.bonjour(local) { news in
        if isJSON { Output.standard.json(news) }
        news.tell(diagnostics)
      }
    } catch {
      let failure = Failure(error)
      // Whoever asked for a directory does not want a server that nobody finds there.
      guard failure.code != .usage, network.region == nil else { throw failure }
      diagnostics.warning(Phrases.Server.notFound(error.message))
      return nil
    }
  }

  private static func tell(_ room: RoomID, _ event: RoomEvent, to diagnostics: Diagnostics) {
    switch event {
    case .open: diagnostics.detail(Phrases.Server.opened("\(room)"))
    case .joined(let player): diagnostics.detail(Phrases.Server.came("\(player.name)", to: "\(room)"))
    case .left(let player): diagnostics.detail(Phrases.Server.left("\(player.name)", "\(room)"))
    case .away(let player): diagnostics.detail(Phrases.Server.away("\(player.name)", from: "\(room)"))
    case .back(let player): diagnostics.detail(Phrases.Server.back("\(player.name)", in: "\(room)"))
    case .closed(let reason): diagnostics.detail(Phrases.Server.over("\(room)", "\(reason)"))
    default: break
    }
  }

  private static func tell(_ event: RoomEvent, to diagnostics: Diagnostics) {
    switch event {
    case .guess(let address, let remaining):
      diagnostics.notice(Phrases.Server.guessed(from: address, remaining: remaining))
    case .passcode(let passcode):
      diagnostics.notice(
        passcode.map(shown) ?? Phrases.Server.passcodeUsedUp)
    case .web(let addresses): diagnostics.notice(shown(addresses))
    default: break
    }
  }

  /// Tells the address for phones to whoever looks at a terminal; to a log, not the token that lets a phone in.
  private static func shown(_ addresses: [String]) -> String {
    guard let address = addresses.first else { return Phrases.Server.phonesFindNothing }
    guard isatty(STDERR_FILENO) != 1, let fragment = address.firstIndex(of: "#") else {
      return Phrases.Server.phonesJoin(at: address)
    }
    return Phrases.Server.phonesJoinWithCode(at: String(address[..<fragment]))
  }

  /// Tells the passcode to whoever looks at a terminal, and to no log.
  private static func shown(_ passcode: String) -> String {
    isatty(STDERR_FILENO) == 1 ? Phrases.Server.passcodeIs(passcode) : Phrases.Server.passcodeIsHidden
  }
}
