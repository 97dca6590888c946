import _BonjourishConsole

extension DaemonCommand {
  /// What the manual page of `bonjourishd` has beside its options.
  static let manual = Manual(
    section: 8,
    description: """
      `bonjourishd` is the multicast DNS daemon of a machine, in place of `avahi-daemon`(8). It publishes the machine's name and addresses, and
      what service files say. For the programs of the machine it publishes, browses and resolves: over the system bus as
      `org.freedesktop.Avahi`, which everything speaks that uses libavahi-client or libdns_sd, and over the socket
      `/run/avahi-daemon/socket`, which libnss-mdns speaks. These programs need not be changed, nor built again.

      It reads the files of avahi-daemon, and takes its options. Only one of the two can run.

      Started as root, it makes the folder `/run/avahi-daemon`, and goes on as the user `avahi`, without any right of root. The unit
      `bonjourishd.service` starts it as that user from the beginning, in a sandbox.
      """,
    options: [
      "file": "It is read once, at the start.",
      "daemonize": "The command returns when the daemon serves, or with exit code 1 if it does not within 20 seconds.",
      "kill": "It waits for up to 5 seconds until the daemon has said goodbye, and ended.",
      "check": "A daemon is a process of the name `bonjourishd` or `avahi-daemon` that the PID file names.",
      "no-drop-root": "The sandbox of a service manager is better than this: it takes more away.",
    ],
    sections: [
      .init(
        "CONFIGURATION",
        """
        `avahi-daemon.conf`(5) describes the keys. Each is obeyed, or named in the log with its file and line, with the reason, or an error.
        An unknown key, and a value that is neither yes nor no where one is wanted, are errors: the daemon does not start.

        ## Errors

        `enable-reflector=yes`
        : The daemon is no reflector. `bonjourish-reflect`(1) is one, and runs beside it.

        `domain-name=` other than local
        : Names are published in `local` only.

        `check-response-ttl=yes`
        : Where an answer comes from is told by its address, not by its TTL.

        `disallow-other-stacks=yes`
        : Port 5353 is shared.

        ## Named in the log

        `enable-wide-area=yes`
        : Names outside of `local` are for the system's resolver. Programs may publish them only if they ask for multicast DNS, as with
        avahi-daemon. Debian's file has this line.

        `allow-point-to-point=yes`
        : Name the interfaces in `allow-interfaces`, in which `*` and `?` are allowed.

        `publish-dns-servers`, `publish-resolv-conf-dns-servers`
        : Name servers are not announced.

        `cache-entries-max`, `ratelimit-interval-usec`, `ratelimit-burst`
        : The cache has limits of its own, and the rules of RFC 6762 bound what is sent.

        `publish-aaaa-on-ipv4=no`
        : Both kinds of addresses are answered over both.

        `rlimit-…` below what the daemon needs
        : The limits of old configurations, such as `rlimit-nproc=3`, are for a program of another kind.

        `clients-max`, `objects-per-client-max`, `entries-per-entry-group-max` are obeyed. Without them the limits are far higher than Avahi's.
        `publish-domain` has no effect: the domain is `local`, which everybody browses without being told.
        """),
      .init(
        "SIMPLE SOCKET",
        """
        A client sends one line, gets one, and is closed: `RESOLVE-HOSTNAME` *NAME*, `RESOLVE-HOSTNAME-IPV4` *NAME*,
        `RESOLVE-HOSTNAME-IPV6` *NAME*, `RESOLVE-ADDRESS` *ADDRESS*, `HELP`. The answer begins with `+`, or with the negative number of an
        error. `BROWSE-DNS-SERVERS` is answered with error -49, because name servers are not announced.

        A client has 5 seconds to send its line. There may be 512 clients, or 128 fewer than `rlimit-nofile`; beyond that the user
        with the most clients loses the oldest one.
        """),
      .init(
        "SIGNALS",
        """
        `SIGHUP`
        : Read service files and hosts again, also from folders that were not there before, and try again what could not be published because
        its name was taken. Changes are noticed without it.

        `SIGTERM`, `SIGINT`
        : Say goodbye, and end.

        `SIGUSR1`
        : Ignored. avahi-daemon writes its records into the log.
        """),
    ],
    environment: [
      "DBUS_SYSTEM_BUS_ADDRESS": "The address of the system bus.",
      "LISTEN_PID, LISTEN_FDS": "The socket that a service manager has opened, see `bonjourishd.socket`.",
      "NOTIFY_SOCKET":
        "The socket of the service manager, which is told when the daemon serves, reads its files again, and ends.",
    ],
    files: [
      "/etc/avahi/avahi-daemon.conf": "The configuration.",
      "/etc/avahi/services/*.service": "What is published, see `avahi.service`(5). They may be changed while the daemon runs.",
      "/etc/avahi/hosts": "Names that are published for other hosts, see `avahi.hosts`(5).",
      "/run/avahi-daemon/pid": "The number of the process.",
      "/run/avahi-daemon/lock": "Locked by the daemon that runs, so that there is one.",
      "/run/avahi-daemon/socket": "The simple socket.",
    ],
    exitStatus: [
      .done: "Success; with `--check`, a daemon runs.",
      .negative: "With `--check`, no daemon runs; with `--daemonize`, it did not begin to serve.",
      .usage: "The command line or the configuration is invalid.",
      .unavailable:
        "A daemon runs already, or, with `--kill` and `--reload`, none does; or the socket, the bus or port 5353 cannot be used.",
      .software: "An error in `bonjourishd` itself.",
      .notPermitted: "It was not started as root, and not with `--no-drop-root`.",
    ],
    seeAlso: [
      "bonjourish(1)", "avahi-daemon.conf(5)", "avahi.service(5)", "avahi.hosts(5)", "avahi-browse(1)", "avahi-publish(1)",
    ])
}
