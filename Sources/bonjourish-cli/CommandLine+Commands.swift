import Bonjourish
import Console

/// The commands of `bonjourish`.
enum Verb: String {
  case browse, publish, resolve
}

/// The command line of `bonjourish`.
enum Commands {
  // MARK: - Operands

  static let type = Operand.required("TYPE", .text, "a service type, such as _http._tcp")
  static let sought = Operand.required(
    "TYPE", .text, "a service type, such as _http._tcp, or a subtype, such as _printer._sub._http._tcp")
  static let name = Operand.required("NAME", .text, "the service's name as people see it, up to 63 bytes")
  static let port = Operand.required("PORT", .integer(in: 1...65_535), "the port on which the service listens")
  static let pairs = Operand.repeated("KEY=VALUE", .text, "an entry of the service's TXT record; KEY alone is a flag")

  // MARK: - Options

  static let json = Option.flag("json", "write one JSON object per line")
  static let verbose = Option.flag("verbose", "log details to standard error")
  static let backend = Option.optional(
    "backend", "WHICH", ValueFormat("auto, avahi or builtin") { Bonjour.Backend(rawValue: $0) },
    "the mDNS backend: avahi (daemon), builtin (this program), auto (daemon if it runs); default: $BONJOURISH_BACKEND or auto")
  static let interface = Option.optional("interface", "IF", .text, "use this network interface only, such as eth0")
  static let duration = Option.optional(
    "for", "SECONDS", .seconds(in: 0...31_536_000), "stop after this time (default: run until interrupted)")
  static let subtypes = Option.repeated(
    "subtype", "SUBTYPE", .text, "also publish under this subtype, such as _printer; may be repeated")
  static let once = Option.flag("once", "list the present services and stop, after 10 s at the latest")
  static let resolve = Option.flag("resolve", "also show host, port, addresses and TXT record, and their changes")
  static let hints = Option.flag("hints", "also show which services may be gone soon (built-in engine only)")
  static let timeout = Option.optional(
    "timeout", "SECONDS", .seconds(in: 0.001...3_600), default: .seconds(5), "how long to wait for an answer (default: 5)")

  // MARK: - Commands

  static let browse = Command(
    "bonjourish browse", summary: "Shows the services of a type as they appear and disappear.",
    operands: [sought], options: [resolve, hints, duration, once, json, interface, backend, verbose],
    examples: [
      .init("bonjourish browse _http._tcp", "web servers on this network, until Ctrl-C"),
      .init("bonjourish browse _ipp._tcp --resolve --once --json", "all printers with their addresses, as JSON for a program"),
    ])

  static let publish = Command(
    "bonjourish publish", summary: "Publishes a service on the local network.",
    operands: [name, type, port, pairs], options: [subtypes, duration, json, interface, backend, verbose],
    examples: [
      .init("bonjourish publish \"Ada's pages\" _http._tcp 8080 path=/", "a web server, until Ctrl-C")
    ])

  static let resolveOne = Command(
    "bonjourish resolve", summary: "Finds the host, port and addresses of one service.",
    operands: [name, type], options: [timeout, json, interface, backend, verbose],
    examples: [.init("bonjourish resolve \"Ada's pages\" _http._tcp", "find the host, port, addresses and TXT record")])

  static let all = CommandGroup<Verb>(
    "bonjourish", summary: "Finds and publishes services on the local network (mDNS, DNS-SD).",
    commands: [.browse: browse, .publish: publish, .resolve: resolveOne])

  static func command(_ verb: Verb) -> Command {
    switch verb {
    case .browse: browse
    case .publish: publish
    case .resolve: resolveOne
    }
  }
}
