import Bonjourish
import _BonjourishConsole
import _BonjourishDiscoveryOptions
import _BonjourishExplorer

/// The commands of `bonjourish`.
enum Verb: String, CaseIterable {
  case browse, types, domains, publish, resolve, lookup, query, doctor, reflect
}

/// The command line of `bonjourish`: help, manual page and completions are made from it.
enum Commands {
  // MARK: - Operands

  private static let typeWords = ValueFormat.text(.words(KnownType.all.map(\.name)))
  static let type = Operand.required("TYPE", typeWords, "a service type, such as _http._tcp, or http for short")
  static let sought = Operand.repeated(
    "TYPE", typeWords, count: 0...32,
    "a service type, such as _http._tcp, or http for short, or a subtype, such as _printer._sub._http._tcp")
  static let name = Operand.required(
    "NAME", .text(.own(NameCompletion.argument)), "the service's name as people see it, up to 63 bytes")
  static let serviceName = Operand.optional("NAME", .text, "the service's name as people see it, up to 63 bytes")
  static let serviceType = Operand.optional("TYPE", typeWords, "a service type, such as _http._tcp, or http for short")
  static let servicePort = Operand.optional("PORT", .integer(in: 1...65_535), "the port on which the service listens")
  static let hostOrAddress = Operand.required(
    "HOST|ADDRESS", .text, "the name of a host, such as printer.local or printer for short, or an address")
  static let recordName = Operand.optional(
    "NAME", .text, "the name of the records, such as printer.local; it may be left out with --raw")
  static let recordType = Operand.optional(
    "RRTYPE", .text(.words(["A", "AAAA", "ANY", "CNAME", "HINFO", "HTTPS", "NSEC", "PTR", "SRV", "TXT"])),
    "the type of the records, such as SRV or TYPE65; all types (ANY) if left out, which needs the built-in engine")
  static let pairs = Operand.repeated("KEY=VALUE", .text, "an entry of the service's TXT record; KEY alone is a flag")

  // MARK: - Options

  static let json = Option.flag("json", "write one JSON object per line")
  static let stats = Option.flag(
    "stats", "at the end and on SIGUSR1, write what was sent and received: to standard error, or as JSON")
  static let verbose = Option.flag("verbose", "log details to standard error")
  static let backend = NetworkOptions.backend
  static let interfaces = Option.repeated(
    "interface", "IF", .interface, "use this interface, such as eth0, or those that match, as 'eth*', or not, as '!eth1'")
  static let examined = Option.optional("interface", "IF", .interface, "examine this network interface only, such as eth0")
  static let family = Option.optional(
    "family", "FAMILY",
    ValueFormat("4, 6, ipv4 or ipv6", completion: .words(["4", "6"])) { text -> IPAddress.Family? in
      switch text.lowercased() {
      case "4", "ipv4": .ipv4
      case "6", "ipv6": .ipv6
      default: nil
      }
    }, "use this address family only: 4 or 6 (default: both)")
  static let domain = Option.optional("domain", "DOMAIN", .text, "use this domain instead of local (avahi-daemon only)")
  static let duration = Option.optional(
    "for", "SECONDS", .seconds(in: 0...31_536_000), "stop after this time (default: run until interrupted)")
  static let queryDuration = Option.optional(
    "for", "SECONDS", .seconds(in: 0...31_536_000),
    "with --watch or --raw, stop after this time (default: run until interrupted)")
  static let subtypes = Option.repeated("subtype", "SUBTYPE", .text, "also publish under this subtype, such as _printer")
  static let everything = Option.flag("all", "show the services of all types, up to 256 types at a time")
  static let plain = Option.flag("plain", "write lines, as in a pipe, and open no explorer on a terminal")
  static let asLines = Option.flag("plain", "with --once, write lines, as in a pipe, and no table")
  static let file = Option.optional("file", "FILE", .file, "publish what this JSON file lists: services, hosts and records")
  static let host = Option.optional(
    "host", "HOST", .text, "the host that offers the service, such as printer.local or printer for short (default: this one)")
  static let allowOdd = Option.flag(
    "allow-odd", "publish also what others may not understand: odd host names, doubled TXT keys, broken UTF-8")
  static let addresses = Option.repeated("address", "ADDRESS", .text, "also publish this address of the host of --host")
  static let txtFile = Option.optional("txt-file", "FILE", .file, "the TXT record: each line of this file is one string of it")
  static let noRename = Option.flag("no-rename", "fail if another host uses the name, and take no other name")
  static let until = Option.optional(
    "until", "END", UntilCondition.format, "stop when a process ends, pid:N, or a descriptor has nothing more to read, fd:N")
  static let raw = Option.flag(
    "raw", "show whole mDNS datagrams as they come, those with NAME or all (always built-in sockets)")
  static let once = Option.flag("once", "list what is there now and stop, after 10 s at the latest")
  static let resolve = Option.flag("resolve", "also show host, port, addresses and TXT record, and their changes")
  static let hints = Option.flag("hints", "also show which services may be gone soon (with avahi-daemon hardly any)")
  static let filters = Option.repeated(
    "filter", "KEY=GLOB", ValueFormat("KEY=GLOB, such as name=Ada*, or KEY") { ServiceFilter($0) },
    "show only services with this property or TXT entry, in which * is any text and ? any character")
  static let watch = Option.flag("watch", "go on, and show which records appear, change and disappear")
  static let own = Option.flag("own", "show only services of this machine")
  static let noOwn = Option.flag("no-own", "show only services of other machines")
  static let columns = Option.optional(
    "columns", "COLUMN[,COLUMN...]", .text, "show these columns: \(ServiceColumn.names)")
  static let count = Option.optional("count", "N", .integer(in: 1...1_000_000), "stop after this number of services")
  static let order = Option.optional(
    "sort", "KEY", ValueFormat<ServiceOrder>.anyCase,
    "list the services at the end, or in the explorer, in the order of name, type, host or address")
  static let timeout = Option.optional(
    "timeout", "SECONDS", .seconds(in: 0.001...3_600), default: .seconds(5), "how long to wait for an answer (default: 5)")

  // MARK: - Commands

  private static let network: [any CommandOption] = [domain, interfaces, family, backend, stats]
  private static let directory = NetworkOptions.ofDirectory
  private static let looking: [ExitCode] = [.done, .negative, .usage, .unavailable, .software, .inputOutput]
  private static let output: [any CommandOption] = [json, verbose]

  static let browse = Command(
    "bonjourish browse",
    summary: "Shows services as they come and go: on a terminal in an explorer, which bonjourish alone opens for all types.",
    operands: [sought],
    options: [everything, resolve, hints, filters, own, noOwn, order, columns, count, duration, once] + network + directory
      + [NetworkOptions.shard, plain] + output,
    exclusive: [
      [duration, once], [own, noOwn], [plain, json], [columns, json], [everything, NetworkOptions.noLocal],
      [everything, NetworkOptions.shard],
    ] + NetworkOptions.exclusive, exitCodes: looking + [.notPermitted, .interrupted],
    examples: [
      .init("bonjourish browse http", "web servers on this network, until Ctrl-C"),
      .init("bonjourish", "the same as bonjourish browse --all, at a terminal: explore everything"),
      .init("bonjourish browse --all --resolve", "everything on this network, with addresses"),
      .init("bonjourish browse ipp ipps --resolve --once --json", "all printers with their addresses, as JSON for a program"),
      .init("bonjourish browse ipp --once --columns name,host,port,txt.rp", "host, port and queue of each printer"),
      .init("bonjourish browse http --filter path=/admin* --count 1", "wait for a web server with such a path"),
      .init("bonjourish browse http --directory tls://directory.example.org", "web servers on this network and in a directory"),
    ])

  static let publish = Command(
    "bonjourish publish", summary: "Publishes services, hosts and records on the local network.",
    operands: [serviceName, serviceType, servicePort, pairs],
    options: [subtypes, txtFile, noRename, allowOdd, host, addresses, file, duration, until] + network + directory + output,
    exclusive: [[file, host], [file, addresses], [file, subtypes], [file, txtFile], [file, noRename], [file, domain]]
      + NetworkOptions.exclusive,
    exitCodes: [.done, .usage, .unavailable, .software, .inputOutput, .notPermitted, .interrupted],
    examples: [
      .init("bonjourish publish \"Ada's pages\" http 8080 path=/", "a web server, until Ctrl-C"),
      .init("bonjourish publish Test http 8080 --backend builtin --interface lo", "try it out on this machine only"),
      .init("bonjourish publish Label ipp 631 --host labels --address 10.0.0.9", "a printer that does not speak mDNS itself"),
      .init("bonjourish publish --file services.json --until pid:$PPID", "what a file lists, until the parent process ends"),
    ])

  static let resolveOne = Command(
    "bonjourish resolve", summary: "Finds the host, port and addresses of one service.",
    operands: [name, type], options: [timeout] + network + directory + output, exclusive: NetworkOptions.exclusive,
    exitCodes: looking + [.notPermitted, .interrupted],
    examples: [.init("bonjourish resolve \"Ada's pages\" http", "find the host, port, addresses and TXT record")])

  static let types = Command(
    "bonjourish types", summary: "Shows the types of services on this network, what they are, and how many there are of each.",
    options: [duration, once] + network + [asLines] + output, exclusive: [[duration, once], [asLines, json]],
    exitCodes: looking + [.interrupted],
    examples: [.init("bonjourish types --once", "all types that there are now")])

  static let domains = Command(
    "bonjourish domains", summary: "Shows the domains that the network recommends for browsing and publishing.",
    options: [duration, once] + network + [asLines] + output, exclusive: [[duration, once], [asLines, json]],
    exitCodes: looking + [.interrupted],
    examples: [.init("bonjourish domains --once", "the domains that are recommended now; on most networks none but local")])

  static let lookUp = Command(
    "bonjourish lookup", summary: "Finds the addresses of a host, or the name of the host that has an address.",
    operands: [hostOrAddress], options: [timeout, interfaces, family, backend, stats] + directory + output,
    exclusive: NetworkOptions.exclusive, exitCodes: looking + [.notPermitted, .interrupted],
    examples: [
      .init("bonjourish lookup printer", "the addresses of printer.local"),
      .init("bonjourish lookup 192.168.1.20", "the name of that host"),
    ])

  static let query = Command(
    "bonjourish query", summary: "Shows the records of a name.", operands: [recordName, recordType],
    options: [watch, once, raw, queryDuration, timeout, interfaces, family, backend, stats] + directory + output,
    exclusive: [
      [watch, timeout], [raw, timeout], [raw, watch], [once, watch], [once, timeout], [once, raw], [once, queryDuration],
      [raw, stats], [raw, NetworkOptions.directory], [raw, NetworkOptions.context],
    ] + NetworkOptions.exclusive, exitCodes: looking + [.notPermitted, .interrupted],
    examples: [
      .init("bonjourish query _services._dns-sd._udp.local PTR --watch", "what is published, record by record, until Ctrl-C"),
      .init("bonjourish query --raw --for 10", "all mDNS datagrams of ten seconds"),
    ])

  static let doctor = Command(
    "bonjourish doctor", summary: "Finds out why services are not found on this machine, and what to do.",
    options: [examined, backend] + output, exitCodes: looking + [.interrupted],
    examples: [.init("bonjourish doctor", "examine this machine; exit code 1 if discovery does not work here")])

  static let all = CommandGroup<Verb>(
    "bonjourish", summary: "Finds and publishes services on the local network (mDNS, DNS-SD).",
    commands: [
      .browse: browse, .types: types, .domains: domains, .publish: publish, .resolve: resolveOne, .lookup: lookUp,
      .query: query, .doctor: doctor, .reflect: reflect,
    ], manual: manual)

  static func command(_ verb: Verb) -> Command {
    switch verb {
    case .browse: browse
    case .types: types
    case .domains: domains
    case .publish: publish
    case .resolve: resolveOne
    case .lookup: lookUp
    case .query: query
    case .doctor: doctor
    case .reflect: reflect
    }
  }
}
