import _BonjourishConsole

extension DuelCommands {
  /// What the manual page has beside the commands and their options.
  static let manual = Manual(
    description: """
      `packet-duel` lets two players, people or programs, play four in a row against each other. The players take
      turns: each drops a disc into one of seven columns, in which it falls to the lowest free of six places. The
      first player with four in a row, horizontal, vertical or diagonal, wins; a full board without a winner is a
      draw. The player who joins has `x` and begins; the host has `o`.

      In the game, type the number of a column, or a command:

      `help`
      : Show the rules.

      `quit`
      : Leave the game, or stop waiting for one. The end of the input has the same effect.

      A program that leaves sends a goodbye to the other. Each program checks the moves of the other: an illegal move
      or a malformed packet ends the game.
      """,
    commands: [
      "host": """
      The host is advertised on the local network as a service of type `_fourinarow._tcp`. When an opponent has joined,
      the service is withdrawn and no other player can join.
      """,
      "join": "The hosts are listed, at the start and after each change; type the number of a host, or `quit`.",
    ],
    options: [
      "any": "The command fails if no host is found within ten seconds.",
      "bot": """
      The program looks six moves ahead. Standard input is not read; without `--connect`, `join` behaves as with
      `--any`.
      """,
      "connect": "The host is a name or an address; an IPv6 address stands in brackets, such as `[fe80::1%eth0]:4242`.",
      "interface": """
      With `lo`, nothing leaves this machine. Patterns such as `eth*` and names to leave out, such as `!eth1`, are allowed. With more than one, it listens on all.
      """,
      "json": "See JSON OUTPUT.",
      "name": "At most 63 bytes.",
    ],
    sections: [
      .init(
        "JSON OUTPUT",
        """
        With `--json` standard output has one JSON object per line and nothing else. Each line is written immediately.
        Every object has the field `event`. With `--json` and `--verbose`, there is also an object `backend` at the
        beginning and after each change of the mDNS backend: `name`, which is `avahi` or `builtin`.

        `open`
        : The host waits: `name`, as it is advertised, and `port`.

        `hosts`
        : The hosts to choose from: `names`.

        `opponent`
        : The game begins: `name`, the opponent's name, and `disc`, this player's disc, `x` or `o`.

        `move`
        : A disc was dropped: `by`, which is `you` or `opponent`; `number`, the number of the move from 1; `column`, 1
        to 7; and `board`, the board after the move: six strings of seven characters, the top row first, `x`, `o` or a
        dot for an empty place. The winning four are in upper case.

        `result`
        : The game is over: `winner`, which is `you`, `opponent` or `nobody`, and the `board`.

        `closed`
        : The last line: `text`, a sentence, and `reason`, one of `finished`, `left`, `opponentLeft`, `turnedAway` (the
        host has another opponent), `lost` (the connection broke), `violated` (the other program broke the rules) or
        `accused` (the other program reports that this program broke the rules).
        """),
      .init(
        "PROTOCOL",
        """
        Host and guest exchange packets over TCP. A packet begins with the length of its rest in eight bytes, least
        significant byte first; then come the type, the action and the length of the data in four bytes each, most
        significant byte first; then the data. In the data, an *int* has four bytes, most significant byte first, and a
        *text* is an int with the number of bytes, followed by these bytes in UTF-8.

            *type* — *action* — *data* — *meaning*
            -1 — -1 — any — proof of concept, the host's first packet
            0 — 0 — text name — the guest's name, then the host's
            0 — 1 — byte reason, text words — goodbye
            1 — 0 — int number, byte column — a move

        The host sends the proof of concept as soon as a connection exists; its type and action, -1, mean unknown. The
        guest answers with its player's name. Then the host sends its own player's name, and the game begins. Moves are
        counted from 1, columns from 0. The reason of a goodbye is 0: the sender leaves, 1: the sender has another
        opponent, 2: the receiver broke a rule. A packet has at most 1024 bytes after its length. A packet must be
        complete within 30 seconds after its first byte. The time between two packets is not limited, but a guest must
        send its name within 30 seconds.
        """),
    ],
    environment: [
      "BONJOURISH_BACKEND": "The mDNS backend without `--backend`: `auto`, `avahi` or `builtin`. Any other value is an error."
    ],
    exitStatus: [
      .done: """
      Success: the game was played to its end, or a player left; also after `SIGINT`, `SIGTERM` or
      `SIGHUP`, once the other program has been told.
      """,
      .usage: "The command line is invalid, or an interface in it is.",
      .unavailable: """
      Not available: no host waits, no host answers at the address, the host has another opponent, the
      connection broke, or no mDNS backend can run.
      """,
      .software: "An error in `packet-duel` itself.",
      .inputOutput: "Standard output cannot be written.",
      .protocolError: "The other program broke the rules, or reports that this program broke them.",
      .interrupted: "A second `SIGINT` came; no goodbyes were sent.",
    ],
    examples: [
      .init("packet-duel host --name Ada --bot --hidden --interface lo --port 4242", "let a program wait on this machine only"),
      .init("packet-duel join --name Bob --bot --connect localhost:4242", "let another program play against it"),
    ],
    seeAlso: ["bonjourish(1)", "avahi-daemon(8)"],
    notes: [
      .init(
        "CAVEATS",
        "Nothing is encrypted, and no player is authenticated.")
    ])
}
