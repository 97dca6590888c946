import _BonjourishConsole

extension Commands {
  /// The exit codes, for the manual page.
  static let exitStatus: KeyValuePairs<ExitCode, String> = [
    .done: """
    Success; also after `SIGINT`, `SIGTERM` or `SIGHUP`, once the goodbyes are sent, and when the program that reads standard output has
    ended.
    """,
    .negative: """
    The answer is no, as of `grep`(1): a command that looks for something found nothing and could look for it, or `doctor` found a
    problem. Commands without an end, which no `--once` or `--for` gives, do not have this status.
    """,
    .usage: """
    The command line, the environment or a file that is given is invalid, or a name, type, port, TXT entry, domain or interface in
    it is.
    """,
    .unavailable: """
    Not available, so that it could not be tried: the network cannot be reached, `browse --once` did not reach the directory, the
    certificate of a directory cannot be trusted, avahi-daemon refuses, `publish` could not publish everything within the time of `--for`, or
    no backend can run, because `--backend avahi` was given and the daemon does not run, or because another program uses port 5353
    exclusively.
    """,
    .software: "An error in `bonjourish` itself.",
    .inputOutput: "Standard output cannot be written, or a file cannot be read.",
    .notPermitted: """
    A directory does not let this user in, or does not let it publish, and the local network is not used, or `browse --once` lacks its
    services.
    """,
    .interrupted: "A second `SIGINT` came; no goodbyes were sent.",
  ]
}
