import _BonjourishConsole
import _BonjourishDiscoveryOptions

/// What the manual page of `twentyfour-join` has beside its options.
enum JoinManual {
  static let page = Manual(
    description: """
      `twentyfour-join` joins a room for the game TwentyFour, and plays in it. Rooms are opened with
      `twentyfour-host`(1), whose manual explains the rules.

      Without *ROOM*, `--any`, `--connect` and `--practice` the lobby is shown: the open rooms on the local network,
      as they appear, change and disappear. At a terminal, the player returns to the lobby after leaving a room, or
      when the room is closed.

      ## On a terminal

      The program draws on the terminal, and restores it when the program ends or is stopped. The keys in the lobby
      are:

      `Up`, `Down`, `Home`, `End`, `Page Up`, `Page Down`
      : Move to another room.

      `Enter`
      : Join the room.

      *NUMBER*
      : Join the room with this number.

      `h`
      : Host a room, and play in it.

      `p`
      : Practise alone.

      `/`
      : Show only the rooms whose names contain what you type, or whose time is that: `x 1.5`, `x 2` or `no limit`. `Esc` shows all.

      `r`
      : Join any room that has a free place.

      `n`
      : Change the name.

      `?`
      : Explain the keys.

      `q`
      : Leave.

      Rooms that wait for players come first, then those that play, then full ones. With `--directory`, a column tells where each
      room is: `here`, on the local network, or in which part of the directory.

      In a room, the screen shows the hand in large digits, then the clock, then the hints that you have paid for, then the
      standings; beside them, your refused answers and the reasons. A window of 40 columns and 10 rows is enough. Type an expression to answer, or a command:

      `hint` or Ctrl-T
      : Get a hint, which costs two of the round's points. There are three for each hand.

      `give up`
      : Stop guessing in this round.

      `time`, `standings`
      : Show the time that is left, if there is a limit, and who has how many points.

      `codes`
      : Show the codes to compare: if both of you see the same code, nobody sits between.

      `table`, `help`, `tries` or Tab, and `?` without Enter
      : Beside the standings, show the points by round with the best times, the rules, or the answers so far.

      `quit`, `exit`, `q` or Ctrl-D
      : Leave the room.

      After the last round, the screen shows its solution, who has won, the table and the best times, until the host begins another
      match or closes the room. You stay in the room for the next match.

      The line is edited with the keys of `readline`(3); Up and Down recall earlier lines, and Ctrl-L redraws the
      screen.

      ## As lines of text

      With `--plain`, in a pipe, and on a terminal without cursor control, all events are written in lines, without
      control sequences; the same commands are read as lines. In the lobby, type the number or the name of a room, `h`, `p`,
      `r` or `quit`. At a terminal, the end of the input leaves the room.

      ## Encryption

      Everything is encrypted, unless you join a room that is marked UNSAFE with `--insecure`. The host's key is remembered at
      the first visit; a host that has another key later is refused, because it may be somebody who sits between. Then ask the
      host, compare the fingerprints, and give `--new-key`. A room may ask for a passcode, which the host tells you. *ROOM* may be
      a link from the host, which stands for the name, the key and the passcode.

      ## A broken connection

      When the connection breaks, the room keeps the seat and the points of a player who has sent an answer for a
      minute, unless it is full and a new player needs the seat. The program connects again automatically. The player continues the round if there is time left.

      Joining fails if the room does not answer within five seconds. A connection ends if the host sends nothing for
      15 seconds.
      """,
    options: [
      "any": """
      A room of the local network goes first. Rooms that only a directory lists are tried until one accepts connections,
      those that did not again after a second; if there is only one, the program joins it. It fails if it finds none within ten seconds.
      """,
      "bot": """
      The program waits for a while, then answers or gives up; `--strength` sets how well it plays. Without *ROOM* and
      `--connect` the program joins as with `--any`. Standard input is not read, except for the keys at a terminal.
      """,
      "connect": """
      The host is a name or an address; an IPv6 address stands in brackets, such as `[fe80::1%eth0]:4242`; the default
      port is 1955. Names that end in `.local` work if this machine's name service supports them.
      """,
      "difficulty": """
      `easy` hands have many solutions; `hard` ones have one, or need fractions. The option also applies to a room
      that is hosted from the lobby.
      """,
      "interface": """
      With `lo`, nothing leaves this machine. Patterns such as `eth*` and names to leave out, such as `!eth1`, are allowed.
      """,
      "json": "See JSON OUTPUT.",
      "time": """
      For a room that is hosted from the lobby, and for practice. Other rooms have the time that their hosts give, which the list of
      rooms shows. See `twentyfour-host`(1).
      """,
      "name": """
      It has at most 32 characters and 63 bytes, and no invisible characters; full-width letters and ligatures become
      ordinary ones. If the room already has a player of this name, a number is added to yours. A name that is easily
      mistaken for that of another player is refused, and another one is proposed. The default is the name that the program once asked for and remembered, see FILES.
      """,
      "new-key": """
      Give it when you know why the key is another one, for example because the host has a new machine. The new key is
      remembered in place of the old one.
      """,
      "passcode": """
      Of a code of digits, blanks and hyphens do not count. Prefer to leave it out: at a terminal the program asks. Your shell may
      keep the code in its history. The program wipes the code, and a link in place of *ROOM*, from its arguments, but
      other users of this machine can see it for a moment.
      """,
      "players": "A single number means exactly this number.",
      "shard": NetworkOptions.shardNote,
      "watch": "Watching takes no place.",
    ].merging(NetworkOptions.notes) { own, _ in own },
    sections: [
      NetworkOptions.section,
      .init(
        "JSON OUTPUT",
        """
        With `--json` standard output has one JSON object per line and nothing else. Each line is written immediately.
        Every object has the field `event`. With `--json` and `--verbose`, there is also an object `backend` at the
        beginning and after each change of the mDNS backend: `name`, which is `avahi` or `builtin`.

        \(NetworkOptions.jsonNote)

        `limited`, `unlimited`, `interrupted`, `restored`
        : Only rooms on this machine, or none, can be found: `reason`, a sentence; or they can again. These are the events of
        `bonjourish browse`.

        `lobby`
        : The open rooms: `rooms`, an array of objects with `name`, `host`, `port`, `here`, whether the room was found on the
        local network, `region`, if a directory lists it, `players`, `max`, `state`, which is `waiting` or `playing`, `time`, which is `1.5`, `2` or `none` unless it is the usual one, `lock`, which is `open`, `passcode`, or `none` if the room is not encrypted, and `key`, the
        beginning of the fingerprint of its key. All of it is what the network says, and not proved.

        The events of a room are the same as with `twentyfour-host`: `open`, `joined`, `left`, `away`, `back`,
        `missing`, `round`, `answer`, `refused`, `hint`, `standings`, `roundEnded`, `matchEnded`, `matchBegan` and `closed`. `open` has no `name`
        and no `port` with `--connect`. `identified` tells who the host is: `key`, the fingerprint of its key, and, unless a
        passcode was proved, `comparison`, six digits that the host sees, too, if nobody sits between. Three more events report
        the connection: `waiting` if the host has to
        admit you, with `seconds`, the time within which you are told; `reconnecting` before an attempt to
        connect again, with `attempt`, its number, and `seconds` until the attempt; and `resumed` when you have your
        seat again. If the seat was not kept, `open` comes instead.

        The reason in `closed` is one of

        `finished`, `hostLeft`, `left`
        : All rounds were played, the host closed the room, or you left the room.

        `lost`, `silent`
        : The connection broke and was not restored in time, or the room did not answer.

        `moved`
        : The room did not come back where it was, and another host offered it. Nothing was sent there.

        `behind`
        : The program did not keep up with the room's events.

        `full`, `name`
        : You were refused: all places are taken, or your name cannot be used or looks like that of another player.

        `passcode`
        : The room asks for a passcode.

        `locked`, `banned`, `notApproved`
        : The host lets nobody in any more, lets nobody in from your address, or did not let you in.

        `unanswered`
        : Nobody decided in time whether you may come in.

        `share`, `tooFast`
        : Your address has its share of the places, or too many players or messages came from it.

        `kicked`, `replaced`, `takenOver`
        : The host removed you; or another connection has taken your seat, from your address or from another.

        `version`, `malformed`, `outOfOrder`
        : The versions of the protocol differ, or one side broke the protocol.

        In `refused`, `held` is about no answer: the server of a group is waiting for its directory. The answers are kept.

        Later versions may have more reasons. A process that is ended by a signal may end without `closed`.
        """),
    ],
    environment: [
      "BONJOURISH_BACKEND": "The mDNS backend without `--backend`: `auto`, `avahi` or `builtin`. Any other value is an error.",
      NetworkOptions.environment.names: NetworkOptions.environment.meaning,
      "LC_ALL, LC_CTYPE, LANG": """
      The first of these that is set selects the character set of the terminal; if that is not UTF-8, the
      program draws in ASCII.
      """,
      "NO_COLOR": "If this is set and not empty, there are no colours.",
      "TERM": "The type of the terminal; with `dumb`, the program writes lines.",
      "XDG_CONFIG_HOME": "The folder in which the name is remembered.",
      "XDG_STATE_HOME": "The folder of your key and of the rooms' keys; by default `~/.local/state`.",
    ],
    files: [
      "~/.local/state/bonjourish/key.pem": """
      Your key, by which hosts know you again. Only you can read it. To become somebody else, remove it.
      """,
      "~/.local/state/bonjourish/known-keys": """
      The fingerprints of the keys of rooms that you have joined, with the names of the rooms. A file that cannot be read is an
      error, and not ignored.
      """,
      "~/.config/bonjourish/name": """
      The player's remembered name; below `XDG_CONFIG_HOME` if that is set. If the file contains no valid
      name, it is ignored with a warning.
      """,
    ],
    exitStatus: [
      .done: """
      Success: all rounds were played, the room was closed, or you left; also after `SIGINT`, `SIGTERM` or
      `SIGHUP`, once the host has been told.
      """,
      .usage: """
      The command line is invalid, or a name or interface in it is, or there is no name and no terminal to ask for one.
      """,
      .unavailable: """
      Not available: there is no room, no host at the address or no free place, the connection broke, or
      no mDNS backend can run, because `--backend avahi` was given and the daemon does not run, or because
      another program uses port 5353 exclusively.
      """,
      .software: "An error in `twentyfour-join` itself.",
      .inputOutput: "Standard output cannot be written, or the files with the keys cannot be read or written.",
      .protocolError: "The host broke the protocol, or speaks another version.",
      .notPermitted: """
      The passcode is wrong or missing, or the host has another key than before, or a directory does not let this user in, and the
      local network is not used.
      """,
      .interrupted: "A second `SIGINT` came; no goodbyes were sent.",
    ],
    seeAlso: ["bonjourish(1)", "twentyfour-host(1)", "avahi-daemon(8)"],
    notes: [
      .init(
        "CAVEATS",
        "At the first visit to a room without a passcode, somebody who sits between is noticed only if two people compare the digits."
      )
    ])
}
