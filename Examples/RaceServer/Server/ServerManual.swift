import _BonjourishConsole

/// What the manual page of `race-server` has beside its options.
enum ServerManual {
  static let page = Manual(
    description: """
      `race-server` puts players into races against each other, until it is interrupted. Players connect with
      `race-client`(1), or with any program that speaks its PROTOCOL.

      A player asks for a match with a minimum and a maximum of players. When there are enough players, the server
      waits for more, for the time given with `--gather`, then starts the match. Each client sends the position of its
      racer, and the server passes it on to the other clients. The server checks that positions grow, by at most 100
      per second. Racers are ranked in the order of their arrival.

      After a broken connection, a player can come back within a minute, with the same ID, and continue. A match in
      which not all racers arrive ends after ten minutes.

      The server ends a connection over which it receives an invalid message; a line of output gives the reason.
      """,
    options: [
      "bind": "Or such as `fe80::1%eth0`; the default is all addresses.",
      "json": "See JSON OUTPUT.",
      "players": "At most 16. The size of a match lies within this range and within those that its players ask for.",
    ],
    sections: [
      .init(
        "PROTOCOL",
        """
        Client and server exchange frames over TCP: the length of the body in four bytes, most significant byte first,
        and the body, of at most 4096 bytes. A body begins with the number of a message, a *byte*. An *int* has four
        bytes, most significant byte first, in two's complement. A *string* is an int with the number of its bytes in
        UTF-8 *plus* *one*, these bytes, and a zero byte. A *list* is an int with the number of its elements, and the
        elements.

        The client sends

            0 — string player ID, string alias, — player connected
             — byte continue match — 
            2 — int minimum, int maximum — match wanted
            5 — int position — own position

        and the server sends

            1 —  — not in match
            3 — int missing — waiting; 0: the match starts soon
            4 — int length, int top speed, — match, at its start or continued
             — byte own racer, list of racers — 
            6 — byte racer, int position — racer moved
            7 — byte racer, int place — racer arrived
            8 — byte racer, byte presence — 0: here, 1: away, 2: left
            9 — list of bytes — match over: the ranking, the winner first
            10 — byte reason, string words — refused; the connection ends

        A racer in message 4 is a string alias, an int position, an int place, which is 0 until the racer has arrived,
        and a byte presence. Racers are numbered from 0 in the order of this list.

        The client begins with message 0, within five seconds. If the player is in a match and continues it (a byte 1),
        the server sends message 4, and otherwise 1. After 1 the client may send 2; the server then sends 3 whenever the
        number of missing players changes, and 4 at the start. After 9 the client may send 2 again. The ID and the alias
        have 1 to 64 bytes.

        The reasons in message 10 are

            0 — malformed: the frame contains no message
            1 — outOfOrder: the message is not allowed at this time
            2 — impossible: the racer cannot have reached the position
            3 — players: no match can have this number of players
            4 — full: there are already 1024 players
            5 — replaced: the player has connected from somewhere else
            6 — closing: the server is closing
        """),
      .init(
        "JSON OUTPUT",
        """
        With `--json` standard output has one JSON object per line and nothing else. Each line is written immediately.
        Every object has the field `event`. Objects about one player have `alias`; objects about a match have its number, `match`.

        `listening`
        : The server is ready: `addresses` and `port`.

        `connected`
        : A player has connected; `continued` is true if the player continues a match.

        `disconnected`
        : A player's connection has ended.

        `started`
        : A match has started with `aliases`.

        `arrived`
        : A racer has arrived: `place`.

        `presence`
        : A player in a match is `here` again, `away` or has `left`: `presence`.

        `over`
        : A match is over: `aliases`, the winner first.

        `refused`
        : The server ended a connection: `address` of the peer, `reason`, a word, and `text`, a sentence.
        """),
    ],
    exitStatus: [
      .done: "Success: the server was ended by `SIGINT`, `SIGTERM` or `SIGHUP`, once all players have been told.",
      .usage: "The command line is wrong.",
      .unavailable: "The server cannot listen on the port or the address.",
      .software: "An error in `race-server` itself.",
      .inputOutput: "Standard output cannot be written.",
      .interrupted: "A second `SIGINT` came; the players were not told.",
    ],
    seeAlso: ["race-client(1)"],
    notes: [
      .init(
        "CAVEATS",
        """
        Nothing is encrypted, and no player is authenticated: anyone who knows a player's ID can play in their place.
        The server does not send the ID to other players, and does not write it. Matches are kept in memory, and
        end with the server.
        """)
    ])
}
