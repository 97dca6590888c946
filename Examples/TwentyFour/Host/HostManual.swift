import _BonjourishConsole
import _BonjourishDiscoveryOptions

extension HostMode {
  /// What the manual page of `twentyfour-host` has beside its options.
  static let manual = Manual(
    description: """
      `twentyfour-host` opens a room for the game TwentyFour on the local network, and plays in it. The room is called
      "name's game"; other players find and join it with `twentyfour-join`. When the room is closed, the players are
      told.

      A round deals four numbers from 1 to 9. A player solves the round with an expression that equals 24. It contains
      all four numbers, each exactly once, and may contain the operators `+` `-` `*` `/` and parentheses: for example
      `8*(9/(5-2))` for 8 9 2 5. `x`, brackets and full-width characters are understood, too. Fractions are exact. The room checks every answer and keeps the time. A round ends
      when all players have solved it or given up, at the latest two seconds after its time is up. A solver gets 10
      points, and one more for every full tenth of the time that was left. There are three hints for each hand; each
      costs two points, but a solver gets at least one point. With `--time` everybody has more time, or as much as they need.

      The first round begins 10 seconds after the room was opened, or `--pause-seconds` after a player has joined, if
      that is sooner. At a terminal, unless the program plays, it waits for a second player, or until you type `start`. No numbers are
      dealt twice before all have been dealt. A player who joins while a round runs plays in it if more than 20 seconds are left, and
      otherwise waits for the next round.

      Type an expression to answer, or a command:

      `hint`
      : Get a hint.

      `give up`
      : Stop guessing in this round.

      `time`, `standings`
      : Show the time that is left, and who has how many points.

      `codes`
      : Show the codes to compare, see ENCRYPTION.

      `help` or `?`
      : Show the rules.

      `quit`, `exit` or `q`
      : Close the room. At a terminal, the program first asks whether the room is to be closed for the other players, and so does
      Ctrl-C; a second Ctrl-C and the end of the input close it at once.

      As the host, you also decide who plays. Every player has a number, which stands before the name:

      `kick` *N*
      : Remove player *N*.

      `ban` *N*
      : Remove player *N*, and let nobody in any more from the address of that player.

      `unban` *N*
      : Take the ban of player *N* back.

      `lock`, `unlock`
      : Let nobody new in, or everyone again. Players whose connection broke can come back.

      `approve`, `unapprove`
      : Let new players wait until you admit them, or not any more, see also `--approve`. They wait for a minute at most.

      `admit` *N*, `refuse` *N*
      : Let the new player *N* in, or send the new player away.

      `start`
      : Begin the first round now, without waiting for others.

      `next`
      : End the running round, for those who are still guessing. Without a time limit, nobody else does if somebody sits there and
      does nothing.

      `end`
      : End the match: the running round is the last one.

      `again`
      : After the end of a match, begin another one: everyone stays in the room, and has no points.

      After the last round, everyone sees who has won. At a terminal, or with `--stay`, the room stays open until you type
      `again` or `quit`; otherwise it is closed.

      On a terminal, the program draws a screen; `twentyfour-join`(1) describes the keys. For the host, there are three
      more: Ctrl-X and a number removes the player with this number, Ctrl-V and a number bans the player, and Ctrl-O
      locks and unlocks the room. When a new player asks, Ctrl-G admits the one who has waited longest, and Ctrl-R refuses
      that new player. w at the beginning of a line shows the code for phones, see PHONES.

      If the connection of a player who has sent an answer breaks, their seat is kept for a minute, unless a new player
      needs it because the room is full, and their program connects again automatically.

      The room shares its places among the addresses that players come from, see `--per-address`.
      """,
    options: [
      "bot": """
      The program thinks for a while, then answers or gives up. Standard input is not read, except for the keys at a
      terminal.
      """,
      "difficulty": "`easy` hands have many solutions; `hard` ones have one, or need fractions.",
      "approve": "The command `unapprove` ends that.",
      "joins-per-second": ShareOptions.joinsNote,
      "messages-per-second": ShareOptions.messagesNote,
      "per-address": "\(ShareOptions.addressNote) An address with a player gets none of the last quarter of the places.",
      "interface": """
      With `lo`, nothing leaves this machine. Patterns such as `eth*` and names to leave out, such as `!eth1`, are allowed. With more than one, it listens on all.
      """,
      "json": "See JSON OUTPUT.",
      "max": "From 2 to 128. To play alone, use `twentyfour-join --practice`.",
      "name": """
      It has at most 32 characters and 63 bytes. The default is the name that the program once asked for and
      remembered, see `twentyfour-join`(1).
      """,
      "passcode": """
      See ENCRYPTION. Of a code of digits, blanks and hyphens do not count. Prefer `auto`: your shell may keep the code in its history. The
      program wipes the code from its arguments, but other users of this machine can see it for a moment.
      """,
      "pause-seconds": "From 0 to 86400.",
      "record": "See RESULTS.",
      "web": WebOptions.webNote,
      "web-port": WebOptions.portNote,
      "round-seconds": RoundTime.secondsNote,
      "time": RoundTime.timeNote,
      "rounds": "From 1 to 1000000; by default a match lasts until you type `end`, or close the room.",
      "stay": """
      It is of use for a program that hosts a room, which then writes `again` or `quit`. Without it, such a room is closed after
      the last round.
      """,
      "seed": "The choices are the hands and the bot's moves.",
      "state": """
      If the file contains a room, continue it with its rules, points, running round and port; if this happens within
      a minute, the players come back automatically. The file is removed when the room is closed by `quit` or after
      the last round; a room that stays open keeps it. A program that is ended by a signal keeps the file and does not tell the players that the room
      is closed, so that they come back when it is started again. It must be a file of your own of at most 64 MiB, no
      link and no FIFO, and nobody else can read it: it has the secrets of the seats.
      """,
    ].merging(NetworkOptions.notes) { own, _ in own },
    sections: sections,
    environment: [
      "BONJOURISH_BACKEND": "The mDNS backend without `--backend`: `auto`, `avahi` or `builtin`. Any other value is an error.",
      NetworkOptions.environment.names: NetworkOptions.environment.meaning,
      "JOURNAL_STREAM": "The journal's device and inode, if standard error goes to the journal; set by `systemd`(1).",
      "LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES": "The sockets that a service manager has opened for a dedicated host.",
      "XDG_STATE_HOME": "The folder of the key and the default results file; by default `~/.local/state`.",
    ],
    files: [
      "~/.local/state/bonjourish/key.pem": """
      Your key, by which players know you again, as a host and as a player. Only you can read it. Whoever has it can pass for
      you; without it, those who have been in your rooms are warned.
      """,
      "~/.local/state/bonjourish/results.sqlite": """
      The default results file, an SQLite database; while it is open, SQLite keeps two more files beside it.
      """,
    ],
    exitStatus: [
      .done: """
      Success: all rounds were played, or the room was closed; also after `SIGINT`, `SIGTERM` or `SIGHUP`,
      once the goodbyes are sent.
      """,
      .usage: """
      The command line is invalid, or a name or interface in it is, or there is no name and no terminal to ask for one.
      """,
      .unavailable: """
      Not available: the program cannot listen on the port, or no mDNS backend can run, because `--backend
      avahi` was given and the daemon does not run, or because another program uses port 5353 exclusively.
      """,
      .software: "An error in `twentyfour-host` itself.",
      .inputOutput: "Standard output cannot be written, or the results file or the key cannot be written or read.",
      .notPermitted: "A directory does not let this user in, or does not let it publish, and the local network is not used.",
      .interrupted: "A second `SIGINT` came; no goodbyes were sent.",
    ],
    diagnostics: """
      A line also reports that
      the room has a new name, because another host uses the old one; or that new players cannot find the room,
      because the daemon has stopped or is taking over from the built-in engine. The latter lasts a few seconds, and
      does not affect players in the room. With `--backend avahi` it lasts until the daemon is back.
      """,
    seeAlso: ["bonjourish(1)", "twentyfour-join(1)", "avahi-daemon(8)"],
    notes: [
      .init(
        "CAVEATS",
        "That there is a room, its name and the number of its players are announced to everyone on the network, encrypted or not."
      )
    ])
}
