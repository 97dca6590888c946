import Bonjourish
import _BonjourishConsole

/// The commands of `packet-duel`.
enum DuelVerb: String {
  case host, join
}

/// The command line of `packet-duel`.
enum DuelCommands {
  static let name = Option.required(
    "name", "NAME", ValueFormat("a name of at most 63 bytes") { try? InstanceName($0) }, "your name, shown to your opponent")
  static let bot = Option.flag("bot", "let the program play")
  static let json = Option.flag("json", "write one JSON object per line")
  static let interfaces = Option.repeated(
    "interface", "IF", .interface, "use this network interface only, such as eth0; may be repeated")
  static let backend = Option.optional(
    "backend", "WHICH", ValueFormat<Bonjour.Backend>.anyCase,
    "the mDNS backend: avahi (daemon), builtin (this program), auto (daemon if it runs); default: $BONJOURISH_BACKEND or auto")
  static let verbose = Option.flag("verbose", "log details to standard error")
  private static let common: [any CommandOption] = [name, bot, Option.seed, json, interfaces, backend, verbose]

  static let port = Option.optional(
    "port", "P", .integer(in: 0...65_535), default: 0, "listen on this port (default: 0, any free port)")
  static let hidden = Option.flag("hidden", "do not advertise the host; your opponent needs --connect")

  static let any = Option.flag("any", "play against the first host that is found")
  static let address = Option.optional(
    "connect", "HOST:PORT", .hostPort, "play against the host at this address, without a search")

  static let host = Command(
    "packet-duel host", summary: "Waits for an opponent, and plays four in a row.",
    options: common + [port, hidden],
    examples: [
      .init("packet-duel host --name Ada", "wait for any opponent on the network"),
      .init("packet-duel host --name Ada --bot", "the program plays for you"),
    ])

  static let join = Command(
    "packet-duel join", summary: "Plays four in a row against a host that waits for an opponent.",
    options: common + [any, address],
    examples: [
      .init("packet-duel join --name Bob", "choose from the hosts that wait"),
      .init("packet-duel join --name Bob --any --bot", "let the program play against any host"),
    ])

  static let all = CommandGroup<DuelVerb>(
    "packet-duel", summary: "Plays four in a row between two players on the local network.",
    commands: [.host: host, .join: join], manual: manual)
}
