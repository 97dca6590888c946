import _BonjourishConsole
import _BonjourishMulticastDNS

/// `bonjourish reflect`, which has a manual page of its own.
extension Commands {
  private static let glob = ValueFormat("a pattern such as Test*") { NameGlob($0) }

  static let between = Option.required(
    "between", "IF,IF", .text, "the interfaces, two or more with commas between them, such as eth0,eth1")
  static let reflectedTypes = Option.repeated(
    "type", "[IF:]TYPE", .text(.words(KnownType.all.map(\.name))),
    "let only services of this type cross, such as ipp, ipp,airplay or _printer._sub._http._tcp; with IF: those of this interface"
  )
  static let reflectedNames = Option.repeated("name", "GLOB", glob, "let only services with such names cross, such as Office*")
  static let reflectedHosts = Option.repeated(
    "host", "GLOB", glob, "let only such hosts and the services on them cross, also hosts without a service")
  static let denied = Option.repeated(
    "deny", "[IF:]WHAT", .text, "do not let this cross: a TYPE, name=GLOB or host=GLOB; with IF: of this interface only")
  static let oneWay = Option.flag("one-way", "show services of the first interface on the others, and nothing the other way")
  static let keepsLinkLocal = Option.flag("link-local", "let link-local addresses cross, which are of no use on another link")
  static let dryRun = Option.flag("dry-run", "send nothing, and print what would cross")

  static let reflect = Command(
    "bonjourish reflect", summary: "Shows services of one network on another, as far as rules allow.",
    options: [
      between, oneWay, reflectedTypes, reflectedNames, reflectedHosts, denied, keepsLinkLocal, dryRun, duration, family, stats,
      json,
      verbose,
    ],
    examples: [
      .init("bonjourish reflect --between eth0,eth1 --type ipp,airplay", "printers and AirPlay, in both directions"),
      .init(
        "bonjourish reflect --between lan,guests --one-way --type ipp --deny 'name=Payroll*'",
        "guests find the printers of the house, but for some, and the house sees nothing of its guests"),
      .init(
        "bonjourish reflect --between eth0,eth1 --dry-run --verbose --for 60", "try out what would cross, and what would not"),
    ], manual: reflectManual)

  private static let reflectManual = Manual(
    description: #"""
      `bonjourish reflect` stands between two or more networks, on a machine with an interface in each, such as a router. It says
      on each what is said on the others with multicast DNS, and asks there what is asked: so hosts of one network find services of
      another. It routes nothing else: whether a service can be reached is up to the router and its firewall.

      It uses sockets of its own, which share port 5353 with `bonjourishd`(8), `avahi-daemon`(8) and others. The interfaces may
      come and go; those that `--between` names must be there at the start, must not be the loopback interface, and not be in one
      network.
      """#,
    options: [
      "deny": """
      A denial counts before all that is allowed. A type is denied with all of its services, a subtype only as a way to find them.
      `host=` also denies the services on the host. In a *GLOB*, `*` is any text and `?` any character; the case of letters does
      not matter.
      """,
      "dry-run": """
      A message says when it listens; then it is silent until a host says or asks something. Each line has "+", the way,
      `question` or `record`, and its content. With `--verbose`, what would not cross is shown too, with "-" and the rule in
      parentheses.
      """,
      "host": """
      A name is compared with and without `.local`. Without this option, a host crosses when a service leads to it that crosses; if
      neither `--type` nor `--name` is given, each host does.
      """,
      "name": "It is about the name of the service, such as \"Office printer\".",
      "one-way":
        "The questions for these services cross the other way. Known answers in them that are about other services do not.",
      "stats": "The numbers are of each direction, and of each rule what it has kept back.",
      "type": """
      Without it, all types cross. With it in front of an interface only, such as `--type eth0:ipp`, other interfaces show nothing.
      With a subtype alone, only the services cross that are found under it.
      """,
      "verbose": "What does not cross is told with the rule that keeps it back.",
      "family": "The other family is neither heard nor used.",
    ],
    sections: [.init("WHAT CROSSES", reflectRules), .init("OTHER REFLECTORS", reflectLoops), .init("SYSTEMD", reflectUnit)],
    exitStatus: [
      .done:
        "Success: after `--for`, `SIGINT`, `SIGTERM` or `SIGHUP`, and when the program that reads standard output has ended.",
      .usage: "The command line is invalid, or an interface in it is.", .unavailable: "The system refuses a socket.",
      .inputOutput: "Standard output cannot be written.",
    ],
    diagnostics: "An interface that cannot be used at the moment is waited for, which is told once.",
    seeAlso: ["bonjourish(1)", "bonjourishd(8)", "avahi-daemon(8)"],
    notes: [
      .init(
        "STANDARDS",
        "S. Cheshire, M. Krochmal, Multicast DNS, RFC 6762, February 2013. It is about one link; reflectors are no part of it.")
    ])

  private static let reflectRules = """
    A question for a type, a service or a host, and a record of one, crosses if the rules allow it. Of a message only that part
    goes on, written anew. The list of all types crosses with the allowed types in it. Addresses stay as they are; nothing is
    translated.

    What does not cross: other domains than `local`; reverse mapping (names of addresses); the domains to browse in; pseudo records
    (OPT); NSEC records that are not about their own name; what programs of this machine say, because they speak on each network
    themselves.

    Times to live are those that were heard, and nothing is remembered in order to be said later. A host that crashes is gone on
    both networks at the same time. When `bonjourish reflect` ends, it says no goodbye, because the services are not its own: they
    stay known until their time is over, up to 75 minutes, and cannot be resolved after two.

    Probes cross, so that two services with the same name find each other, and one of them takes another. A host with an interface
    in each network would lose its name that way: if its name is probed for on both within ten seconds, or is said on both, each
    keeps its own. A host that joins the second network later is not told from another one with its name, and hears what it
    says on the first. One that knows its addresses on all networks keeps its name, as with the built-in engine, and mostly with
    `avahi-daemon`(8); one that takes another must be denied with `--deny host=`*NAME*.
    """

  private static let reflectLoops = """
    A record goes from the network on which its owner lives to the others, and never back; what was said or asked on a network
    within a second is not repeated there; a network gets at most 500 datagrams per second in the long run. So several reflectors
    may stand beside each other, also in a ring, and also `avahi-daemon` with `enable-reflector=yes`. But one that answers from its
    memory, as that does, keeps services of crashed hosts visible.
    """

  private static let reflectUnit = """
    The command tells a service manager when it is ready (sd_notify(3)). It needs no privileges:

        [Unit]
        Description=Printers of eth0 on eth1
        After=network.target

        [Service]
        Type=notify
        ExecStart=/usr/local/bin/bonjourish reflect --between eth0,eth1 --type ipp --stats
        DynamicUser=yes
        Restart=on-failure

        [Install]
        WantedBy=multi-user.target

    `systemctl kill -s USR1` then writes the numbers into the journal. At the start, the interfaces must exist.
    """
}
