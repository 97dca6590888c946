import _BonjourishConsole
import _BonjourishDiscoveryOptions

extension Commands {
  /// What the manual page has beside the commands and their options.
  static let manual = Manual(
    description: #"""
      `bonjourish` finds and publishes services with multicast DNS and DNS-based service discovery. It uses the `avahi-daemon`(8) of
      this machine if it runs, and otherwise its built-in engine.

      If the daemon stops while `bonjourish` runs, and is not back after three seconds, `bonjourish` uses the built-in engine until
      the daemon is back. With `--backend avahi`, it waits for the daemon.

      A *TYPE* is an underscore, 1 to 15 letters, digits and inner hyphens with at least one letter, and `._tcp` or `._udp`. In
      short it is the part between underscore and dot: `http` is `_http._tcp`, and a known type over UDP, such as `sleep-proxy`, is
      `_sleep-proxy._udp`. A *NAME* has 1 to 63 bytes of UTF-8 without control characters.
      """#,
    commands: commands, options: options.merging(NetworkOptions.notes) { own, _ in own },
    sections: [
      NetworkOptions.section,
      .init("SERVICE FILE", serviceFile), .init("EXPLORER", explorer), .init("PLAIN OUTPUT", plainOutput),
      .init("DATAGRAMS", datagrams), .init("JSON OUTPUT", jsonOutput),
    ],
    environment: [
      "BONJOURISH_BACKEND": "The mDNS backend without `--backend`: `auto`, `avahi` or `builtin`. Any other value is an error.",
      NetworkOptions.environment.names: NetworkOptions.environment.meaning,
      "NO_COLOR": "If it is set and not empty, nothing is coloured.",
      "LC_ALL, LC_CTYPE, LANG": "The first that is not empty tells whether the terminal shows more than ASCII (`.UTF-8`).",
      "TERM": "With `dumb`, or without it, `browse` and `bonjourish` without a command write lines, and open no explorer.",
      "DISPLAY, WAYLAND_DISPLAY": "If both are missing, the explorer opens no browser.",
      "NOTIFY_SOCKET": "The socket of the service manager, which `publish` tells that it is ready, and how it is.",
      "DBUS_SYSTEM_BUS_ADDRESS": "The address of the system bus, if not the default one.",
    ],
    files: [
      "/run/dbus/system_bus_socket": "The system bus, through which the daemon is reached.",
      "/usr/local/share/bonjourish/output.schema.json":
        "The JSON Schema of all lines that `--json` writes, if the program was installed with its default prefix.",
    ],
    exitStatus: exitStatus,
    diagnostics: """
      `browse`, `types`, `domains` and `query` with `--once` or `--for` write a sentence such as "No _http._tcp services found." on standard
      error if that is so, unless `--json` is given. Warnings are shown in the explorer first, and written to standard error when it is gone.
      """,
    seeAlso: ["bonjourish-reflect(1)", "avahi-browse(1)", "avahi-publish(1)", "avahi-daemon(8)"],
    notes: [
      .init(
        "STANDARDS",
        """
        S. Cheshire, M. Krochmal, Multicast DNS, RFC 6762, February 2013.

        S. Cheshire, M. Krochmal, DNS-Based Service Discovery, RFC 6763, February 2013.
        """)
    ])

  private static let commands = [
    "doctor": """
    The command examines the machine for up to five seconds, asks the network who is there, and prints what it found, why that
    matters and what to do: a *problem* keeps discovery from working, a *warning* something else, and a *note* is good to know. Each
    has a name in brackets. The first is the cause, as far as it can be known. Commands, after "#", can be typed as they are; of
    examples, after "e.g.", something has to be replaced, or the program is not installed. It needs no privileges, and says what it
    could not see without them. That discovery works is said only if it was tried, with the daemon or the built-in engine, whichever
    is used, and another host was heard.
    """,
    "browse": """
    On a terminal, the command opens an explorer, in which a service that has come, changed or gone is marked with "+", "~" or "-"
    for five seconds; see EXPLORER. `bonjourish` without a command, or with options alone, opens it with all types. Elsewhere, as at a
    terminal that cannot move its cursor, and with `--plain`, `--json`, `--once`, `--verbose` or `--stats`, it writes
    lines, which begin with these signs. It runs until it is interrupted, unless `--for`, `--once` or `--count` is given.

    If nothing is found within three seconds, and this is a container whose network multicast does not leave, a warning tells what
    can be done, as `doctor` does.
    """,
    "types": """
    Prints the type, the interfaces, the number of services and, of well-known types, what the service is; with `--once` on a terminal, as a
    table. A type comes when its services have been counted, and changes with their number. Hosts do not say when the last service of a type is
    gone: then the number is 0, and the type disappears after 75 minutes. Up to 256 types are counted; of others, and of types in other
    domains, the number is `-`.
    """,
    "domains": """
    Prints the domain, what it is recommended for (RFC 6763, section 11), and the interfaces; with `--once` on a terminal, as a table. `b` is
    browsing, `db` browsing by default, `lb` browsing by programs that cannot choose, `r` publishing, and `dr` publishing by default. Most
    networks recommend none, or only `local`.
    """,
    "lookup": """
    Prints one line for each answer. A name without a dot is one in `local`. Few hosts tell their names by address.
    """,
    "query": """
    Prints the name, the time to live in seconds, the class, the type and the data of each record as in a zone file, then the
    interface, the address family and the address of the host that sent it. The class is `IN`, or `IN/unique` for a record whose
    name has one owner (the cache-flush bit). Data of unknown types are written as hexadecimal digits, after their number.
    avahi-daemon tells neither times nor that bit nor the sender, and refuses the type ANY.

    Without options, the command ends as soon as whoever owns the name has answered. With `--once`, it waits until all have answered that
    answer at once, and lists the records.

    With `--raw`, whole datagrams are shown as they come, until the command is interrupted, unless `--for` is given: see DATAGRAMS.
    """,
    "publish": """
    When the command ends, it tells the network that the services are gone. `bonjourish` does not listen on the port: another
    program provides the service. Without *NAME*, *TYPE* and *PORT*, it publishes what `--file` lists, or the addresses of `--host`
    under its name. If one of several things cannot be published, or no longer, all are withdrawn, and the exit status is 69. A
    service manager that sets `NOTIFY_SOCKET` is told when everything is published, or has to wait for the network (sd_notify(3)).

    A *KEY* is printable ASCII without an equals sign; with its value it has at most 255
    bytes. If another host uses the name, the service gets another name, such as "name #2".
    """,
    "resolve": """
    Prints one line, as in PLAIN OUTPUT. If the host tells addresses of one family only, and not that it has no others, it is asked for
    them again for one and a half seconds; standard error says if that was in vain.
    """,
  ]

  private static let options = [
    "all": """
    The types are those that hosts announce on the local network, and a type is browsed as long as it is announced. Hosts do not say when the last
    service of a type is gone; the type disappears after 75 minutes.
    """,
    "address": """
    May be given more than once. The host's name is probed for and defended; nothing is published if another host has it. Without
    this option, the host answers for its name itself.
    """,
    "file": "See SERVICE FILE. It excludes all that says what to publish.",
    "allow-odd": """
    Otherwise they are refused: a host name with spaces or signs, a key that a TXT record has twice, of which readers use the first only
    (RFC 6763, section 6.4), and texts that are not UTF-8, whose wrong bytes become U+FFFD. TXT records of files are published byte for byte
    in any case.
    """,
    "columns": """
    A line then has a word for each column, and `-` for what is not there. `name`, `title`, `remarks` and values of the TXT record are quoted.
    `txt.`*KEY* is one entry of the TXT record, or *KEY* itself if it has no value; `txt` is all of them, as many words, and stands last.
    `interface` and `address` are lists with commas. A line that ends with nothing else but `-` signs is of a service that does not answer,
    or whose addresses this machine does not reach. With
    `--once` on a terminal, the list is a table. A column that only resolving finds turns on `--resolve`.
    """,
    "host": "A name without a dot is one in `local`.",
    "no-rename": "The exit status is then 69, also if the conflict comes later.",
    "raw": """
    It uses no backend, only sockets of its own, which share port 5353 with the daemon and others. It shows what is sent to the
    multicast group; unicast answers go to the program that asked. With *NAME*, it asks for that name at once, after 1, 3, 7 and
    more seconds, and shows the datagrams that have the name in a question or record.
    """,
    "txt-file": """
    Each line is one string, byte for byte, usually `key=value` or `key`; there are no escapes. A string with a newline in it needs
    `--file`.
    """,
    "until": """
    `pid:`*N* is a process, also of another user. `fd:`*N* is a descriptor that the shell opened, such as a pipe (`3<pipe`) or, with
    `fd:0`, standard input; what is read from it is dropped. With `--for` too, whatever comes first ends the command.
    """,
    "filter": """
    The keys `name`, `type`, `domain`, `interface`, `host`, `port` and `address` are properties of the service, and `any` is each of them and each
    `key=value` of its TXT record; any other is a key of its TXT record, and so is `txt:`*KEY*, whatever *KEY* is. A *KEY* of the TXT record alone means that the record has it. The
    case of letters counts in values of the TXT record only. A service is shown if it fulfils all filters, and is gone when it no
    longer does. A filter on host, port, address, TXT record or anything turns on `--resolve`.
    """,
    "for": "From 0 to 31536000.",
    "hints": """
    These are services that have sent a goodbye, which are lost one second later, and services that do not answer a check, which
    are lost within ten seconds. avahi-daemon tells nothing of either: where it is used, only services whose records have expired are
    shown so, with `--resolve`. With `--backend avahi` the option is an error.
    """,
    "family": "`ipv4` and `ipv6` are allowed too.",
    "interface": """
    With `lo`, nothing leaves this machine. In a pattern, `*` stands for any characters and `?` for one; interfaces that match and
    come later are used too. A name or pattern that begins with `!` is left out. Without names, all interfaces are used that lead to
    other machines; those that lead to containers and virtual machines of this one are used only if there is no other.
    """,
    "json": "See JSON OUTPUT.",
    "no-own": "See `--own`.",
    "once": """
    This takes about a second and a half, and eight where packets are lost; with `--resolve`, up to five seconds more. After ten
    seconds the command stops in any case, without the event `settled`. A directory that has not answered after three seconds ends the command, too: what was found is listed, and
    the exit status is 69.
    """,
    "own": "A service is of this machine if its host has one of the machine's addresses. The option turns on `--resolve`.",
    "resolve": """
    A service that does not answer is shown after five seconds, without these details. The built-in engine then checks whether the
    service still exists; without an answer, the service is lost within ten seconds. So is one shown whose host answers, but with no
    address that this machine reaches through the interface of the answer: `no way to its addresses`.
    """,
    "shard": NetworkOptions.shardNote,
    "sort": """
    The services of the explorer are always sorted, by name unless this option or the key `s` says otherwise. In lines, changes before the
    end are not shown, and the option needs `--once`, `--for` or `--count`.
    """,
    "stats": """
    It is written when the command ends, and whenever it gets `SIGUSR1`. With `--json`, it is written to standard output, see JSON
    OUTPUT.
    """,
    "subtype": "The daemon accepts 31 subtypes, each beginning with an underscore.",
    "timeout": "From 0.001 to 3600.",
  ]

  private static let jsonOutput = #"""
    With `--json` standard output has one JSON object per line and nothing else. Each line is written immediately. Every object has
    the fields `schema`, the version of their meaning, which is 1, and `event`. Later releases may add events and fields under the
    same version. The order of fields has no meaning. The file `output.schema.json` describes all objects (JSON Schema, 2020-12).

    With `--json` and `--verbose`, there are more objects, at the beginning and after each change, unless there is no backend (`doctor`,
    `query --raw`):

    `backend`
    : The mDNS backend: `name`, which is `avahi` or `builtin`.

    `reach`
    : Where `browse` and `publish` reach the network: `links`, an array of objects with `interface`, `family`,
    `state`, which is `works`, `unproven`, `fails` or `unused`, and a `cause` for the last two; and `causes`, an array of what is
    wrong as a whole. A cause has `code`, `reason` and, if something can be done, `remedy`.

    With `--json` and `--stats`, there is one more object at the end, and after each `SIGUSR1`:

    `stats`
    : What discovery has sent, received and stored so far: `metrics`, an object with the fields of the library's type
    `DiscoveryMetrics`, which its reference explains.

    `types`, `domains` and `query` with `--watch` or `--once` also tell `settled`, `interrupted` and `restored`, as below.

    `browse`, `publish` and `query` also tell:

    \#(NetworkOptions.jsonNote)

    `browse` and `publish` also tell:

    `limited`
    : Only services of this machine can be found, unless a directory lists others, because it has no network: `reason`.

    `unlimited`
    : Services of other machines can be found again.

    ## browse

    All these objects have `type`, except for `finding`, and for what is about the search for types with `--all`.

    `found`, `updated`, `lost`
    : A service appeared, changed or disappeared: `name`, `domain`, `interfaces`, an array of names, and, if the type is well known,
    `title`, what it is. If a directory lists it, `region`, the part of the directory. With `--resolve`, if the service answers with an address that is reached from here, also `host`, `port`, `addresses`, an array of strings such as
    "10.77.0.1" and "fe80::1%eth0", and `txt`, an object. In this object, a value that is UTF-8 is a string, a flag is `null`, and
    other bytes are `{"base64":"..."}`. If the host answers, but this machine reaches none of its addresses, these are `unreachable` instead. With `--hints`, also `presence`: `present`, `leaving` for a service that has sent a goodbye,
    or `suspect` for a service that does not answer.

    `settled`
    : All present services of the type have answered. With `--resolve`, they have also been resolved.

    `interrupted`
    : The daemon or the network cannot be reached: `reason`, a sentence. With `--once`, if this lasts, the exit status is 69.

    `restored`
    : The daemon or the network is back, or the built-in engine has taken over. A service that does not appear again within five
    seconds is lost before the next `settled`.

    `finding`
    : Nothing was found, because this is a container whose network multicast does not leave; see below. It is told once at most.

    ## doctor

    `finding`
    : Something was found: `id`, its name, `severity`, which is `problem`, `warning` or `information`, `interfaces`, an array of
    names, `seen` and `why`, sentences, and `remedies`, an array of objects with `command`, `example` or `advice`.

    `summary`
    : The last line: `works`, whether no problem was found, `verdict`, what came of trying: `works`, `alone` if nobody else was
    heard, `unsteady` if packets are lost, `untried` or `fails`, the numbers of `problems`, `warnings` and `information`,
    `healthy` and `unseen`, arrays of sentences, and `seconds`, the time that the examination took.

    ## types

    `found`, `updated`, `lost`
    : A type: `type`, `domain`, `interfaces`, `instances`, the number of its services if they are counted, and, if the type is well known,
    `title`, what it is.

    ## domains

    `found`, `updated`, `lost`
    : A domain that is recommended: `domain`, `purposes`, an array of `b`, `db`, `lb`, `r` and `dr`, and `interfaces`.

    ## publish

    `published`
    : The service can be found: `name`, `type`, `port` and, if it is another one, `host`. Or the host of `--host` or of the file:
    `host`, `addresses`. Or the records of the file: `records`, their number.

    `renamed`
    : Another host uses the name: `from`, the former name, `name`, the new one, `type` and `port`.

    `interrupted`
    : New browsers cannot find the service, because the daemon or the network cannot be reached, or the daemon is taking over from
    the built-in engine: `reason`. If this happens at the start, `published` comes later, when the service can be found; if it never
    comes in the time of `--for`, the exit status is 69.

    `restored`
    : The service can be found again.

    `withdrawn`
    : The network has been told that it is gone: the fields of `published`.

    ## query

    `found`, `updated`, `lost`
    : A record: `name`, `type`, `ttl`, `unique`, `data`, `base64`, the data as on the wire, `interface`, `family` and `sender`. What
    is not known is missing.

    `datagram`
    : With `--raw`: a datagram: `time`, `interface`, `family`, `source`, `port`, `own`, `size`, `kind`, `id`, `flags`, `questions`,
    `answers`, `authorities` and `additionals`; if need be, `omitted`, the number of further questions and records, `excess`, the
    number of bytes after the end, and `fault`, why others ignore the datagram.

    ## resolve

    `resolved`
    : The answer: `name`, `type`, `domain`, `host`, `port`, `addresses` and `txt`, as above.
    """#
}
