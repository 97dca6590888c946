import _BonjourishConsole

/// What the manual page of `race-client` has beside its options.
enum ClientManual {
  static let page = Manual(
    description: """
      `race-client` asks a `race-server`(1) for a match, and takes part in it. Its racer takes a step of random length
      four times a second. The program ends when the match is over.

      When the connection is lost, the program connects again and continues the match. It waits a random time before
      each attempt, at first up to half a second, finally up to 15 seconds, and gives up after ten failures in a row.
      The first connection is tried only once.
      """,
    options: [
      "alias": "At most 64 bytes.",
      "connect": "An IPv6 address stands in brackets.",
      "continue": """
      This is possible for a minute after the connection ended. Without this option you leave that match and ask for a
      new one.
      """,
      "json": "See JSON OUTPUT.",
      "player": "It has at most 64 bytes; always use the same one. Anyone who knows the ID can play in your place.",
      "players": "At most 16.",
    ],
    sections: [
      .init(
        "JSON OUTPUT",
        """
        With `--json` standard output has one JSON object per line and nothing else. Each line is written immediately.
        Every object has the field `event`. Racers are numbered from 0, as in `match`.

        `state`
        : The client has entered `state`, one of `notAvailable`, `pendingAuthentication`, `authenticated`, `connecting`,
        `connected`, `pendingMatchStatus`, `receivedMatchStatus`, `pendingMatch`, `pendingMatchStart` or
        `matchActive`. States come in the order in which they were entered, but may follow other events that happened
        later.

        `waiting`
        : The number of `missing` players; at 0 the match starts soon.

        `match`
        : The match has started, or continues if `continued` is true: `course`, the distance to the finish; `own`, the
        number of this player's racer; and `racers`, an array of objects with `alias`, `position`, `presence` and,
        when the racer has arrived, `place`.

        `moved`
        : A `racer` has reached `position`.

        `arrived`
        : A `racer` has arrived: `place`.

        `presence`
        : The player of a `racer` is `here` again, `away` or has `left`: `presence`.

        `over`
        : The match is over: `ranking`, an array of racers, the winner first.

        `reconnecting`
        : There is no connection; the next attempt to connect begins after `seconds`.

        `ended`
        : The last line, unless the program could not connect: `text`, a sentence, and `reason`, one of `finished`,
        `stopped`, `notAuthenticated`, `violated` (the server broke the rules), and those of `race-server`(1).
        """)
    ],
    exitStatus: [
      .done: "Success: the match is over; also after `SIGINT`, `SIGTERM` or `SIGHUP`.",
      .usage: "The command line is invalid, or the ID or the alias in it is.",
      .unavailable: "Not available: no server answers, or the server is full or has no match of this size.",
      .software: "An error in `race-client` itself.",
      .inputOutput: "Standard output cannot be written.",
      .protocolError: "The server broke the protocol, or reports that this program broke it.",
      .interrupted: "A second `SIGINT` came.",
    ],
    seeAlso: ["race-server(1)"],
    notes: [
      .init(
        "CAVEATS",
        "Nothing is encrypted: anyone on the network path can read the player's ID.")
    ])
}
