import Bonjourish
import Console

/// What can be asked of `bonjourish`.
enum Verb: String {
  case browse, publish, resolve
}

/// The command line of `bonjourish`.
enum Commands {
  static let version = "0.1.0"

  // MARK: - Operands

  static let type = Operand.required("TYPE", .text, "a service type, such as _http._tcp")
  static let sought = Operand.required(
    "TYPE", .text, "a service type, such as _http._tcp or, of a subtype, _printer._sub._http._tcp")
  static let name = Operand.required("NAME", .text, "an instance name: up to 63 bytes, for people to read")
  static let port = Operand.required("PORT", .integer(in: 1...65_535), "where the service listens")
  static let pairs = Operand.repeated("KEY=VALUE", .text, "what the service says of itself; KEY alone is a flag")

  // MARK: - Options

  static let json = Option.flag("json", "write one JSON object a line")
  static let verbose = Option.flag("verbose", "tell on standard error what happens inside")
  static let backend = Option.optional(
    "backend", "WHICH", ValueFormat("auto, avahi or builtin") { Bonjour.Backend(rawValue: $0) },
    "who speaks mDNS: avahi (the daemon), builtin (this program) or auto (whichever there is); auto unless told")
  static let interface = Option.optional("interface", "IF", .text, "use this network interface only, such as eth0")
  static let duration = Option.optional(
    "for", "SECONDS", .seconds(in: 0...31_536_000), "stop after so long; without it, when interrupted")
  static let subtypes = Option.repeated(
    "subtype", "SUBTYPE", .text, "also be found by those who look for this subtype, such as _printer; may be repeated")
  static let once = Option.flag("once", "stop when everyone who is there has answered, after 10 s at the latest")
  static let resolve = Option.flag("resolve", "also find host, port, addresses and TXT record, and follow them")
  static let hints = Option.flag("hints", "also tell what may be gone soon, as far as the built-in engine knows")
  static let timeout = Option.optional(
    "timeout", "SECONDS", .seconds(in: 0.001...3_600), default: .seconds(5), "how long to wait for an answer; 5 unless told")

  // MARK: - Commands

  static let browse = Command(
    "bonjourish browse", version: version, summary: "Shows the instances of a service, as they come and go.",
    operands: [sought], options: [resolve, hints, duration, once, json, interface, backend, verbose],
    examples: [
      .init("bonjourish browse _http._tcp", "what serves web pages here, until Ctrl-C"),
      .init("bonjourish browse _ipp._tcp --resolve --once --json", "all printers with their addresses, for a program"),
    ])

  static let publish = Command(
    "bonjourish publish", version: version, summary: "Makes a service known on the network.",
    operands: [name, type, port, pairs], options: [subtypes, duration, json, interface, backend, verbose],
    examples: [
      .init("bonjourish publish \"Ada's pages\" _http._tcp 8080 path=/", "until Ctrl-C, then it says goodbye")
    ])

  static let resolveOne = Command(
    "bonjourish resolve", version: version, summary: "Finds out where one instance of a service is.",
    operands: [name, type], options: [timeout, json, interface, backend, verbose],
    examples: [.init("bonjourish resolve \"Ada's pages\" _http._tcp", "its host, port, addresses and TXT record")])

  static let all = CommandGroup<Verb>(
    "bonjourish", version: version, summary: "Finds and publishes services on the local network (mDNS, DNS-SD).",
    commands: [.browse: browse, .publish: publish, .resolve: resolveOne])

  static func command(_ verb: Verb) -> Command {
    switch verb {
    case .browse: browse
    case .publish: publish
    case .resolve: resolveOne
    }
  }
}
