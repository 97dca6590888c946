import Bonjourish
import Console

/// What `packet-duel` can be asked for.
enum DuelVerb: String {
  case host, join
}

/// The command line of `packet-duel`.
enum DuelCommands {
  static let version = "0.1.0"

  static let name = Option.required(
    "name", "NAME", ValueFormat("a name of at most 63 bytes") { try? InstanceName($0) }, "your name, as your opponent sees it")
  static let bot = Option.flag("bot", "let the program play")
  static let seed = Option.optional("seed", "N", .integer(in: 0...Int.max), "make every choice of the program repeatable")
  static let json = Option.flag("json", "write one JSON object a line")
  static let interface = Option.optional("interface", "IF", .text, "use this network interface only, such as eth0")
  static let backend = Option.optional(
    "backend", "WHICH", ValueFormat("auto, avahi or builtin") { Bonjour.Backend(rawValue: $0) },
    "who speaks mDNS: avahi (the daemon), builtin (this program) or auto (whichever there is); auto unless told")
  static let verbose = Option.flag("verbose", "tell on standard error what happens inside")
  private static let common: [any CommandOption] = [name, bot, seed, json, interface, backend, verbose]

  static let port = Option.optional(
    "port", "P", .integer(in: 0...65_535), default: 0, "listen on this port; 0: any that is free")
  static let hidden = Option.flag("hidden", "do not advertise; your opponent needs --connect")

  static let any = Option.flag("any", "play against the first who waits for an opponent")
  static let address = Option.optional(
    "connect", "HOST:PORT", .hostPort, "play against who waits there, without looking for it on the network")

  static let host = Command(
    "packet-duel host", version: version, summary: "Waits for an opponent, and plays four in a row.",
    options: common + [port, hidden],
    examples: [
      .init("packet-duel host --name Ada", "anyone on the network can play against Ada"),
      .init("packet-duel host --name Ada --bot", "the program plays for you"),
    ])

  static let join = Command(
    "packet-duel join", version: version, summary: "Plays four in a row against somebody who waits for an opponent.",
    options: common + [any, address],
    examples: [
      .init("packet-duel join --name Bob", "choose from those who wait"),
      .init("packet-duel join --name Bob --any --bot", "let the program play against whoever waits"),
    ])

  static let all = CommandGroup<DuelVerb>(
    "packet-duel", version: version, summary: "Four in a row for two on the local network.",
    commands: [.host: host, .join: join])
}
