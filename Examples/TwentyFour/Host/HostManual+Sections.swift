import _BonjourishConsole
import _BonjourishDiscoveryOptions

extension HostMode {
  /// The sections of the manual page after the options: the program's other modes, groups, and what it writes.
  static let sections: [Manual.Section] = [
    .init(
      "DEDICATED HOST", form: DedicatedMode.command, chosenBy: [DedicatedMode.flag],
      """
      With `--dedicated` the program is a server of many matches, without a player of its own. It logs events to
      standard error; if that is the system's journal, with priorities.

      Players find the server on the network, as one large room, or join it with `twentyfour-join --connect`. The
      server puts a new player into a match that waits for players; otherwise into a running match with a free place;
      otherwise into a new match, which begins when there are enough players. Waiting players are told how many
      players are missing. Players who ask for a match size are never put into a match that can have more players or
      begin with fewer. When all places are taken, new players are refused. A match is over after its rounds, or when
      all players have left. Players who have sent an answer and lose the connection can come back to their match
      within a minute, also while the server drains; if all places are taken, a new player gets the place.

      With `--json` the server writes one JSON object when it is open, with the fields `event` (`open`), `name`,
      `port`, and if it is encrypted `key`, `link` and maybe `passcode`, as in JSON OUTPUT. With `--web` there is `web`, too, and an object
      for each event `web`. In a group there is an object for each match that goes to another server, see SEVERAL SERVERS: `event`
      is `match`, and there are `name` and `state`, which is `adopted`, `suspended`, `resumed`, `lost` or `released`; and an object with
      `event` `group` when the matches cannot be kept in the directory, and when they can again: `state` is `unavailable`, and there is
      `reason`, or `available`. The events `limited`,
      `unlimited`, `interrupted` and `restored` of JSON OUTPUT, also before `open`, tell whether players can find the server; without
      `--json` this is told on standard error.

      The server handles these signals:

      `SIGTERM`, `SIGINT`, `SIGHUP`
      : End the program. Without `--state` and `--group-key`, all players are told that the server is closed; with `--state` the matches
      can be continued, and with `--group-key` another server goes on with them.

      `SIGUSR1`
      : Write the statistics to standard error.

      `SIGUSR2`
      : Drain, as with the command `drain`; afterwards a new version of the server can be started.

      The units `twentyfour-host.socket` and `twentyfour-host.service` let `systemd`(1) open the server's sockets,
      start the server, and restart it after it has drained.

      These options differ from those of a room:
      """),
    .init(
      "ADMINISTRATION", form: AdminMode.command, chosenBy: [AdminMode.line],
      """
      To send a command to an open server, use `--admin-command`:

      `list`
      : Show the matches and their players.

      `stats`
      : Show the statistics, a JSON object.

      `kick` *MATCH* *PLAYER*
      : Remove a player. Both are given by the numbers that `list` shows, so that a name may contain anything.

      `ban` *MATCH* *PLAYER*
      : Remove a player, and let nobody in any more from the address of the player, or with the key of the player, to any
      match.

      `unban` *MATCH* *PLAYER*
      : Take the ban back.

      `lock` *MATCH*, `unlock` *MATCH*
      : Let nobody new into a match, or again.

      `next` *MATCH*
      : End the running round of a match, for those who are still guessing.

      `close` *MATCH*
      : End a match.

      `passcode`
      : Show the present passcode. It is written to a terminal, and never to a log.

      `web`
      : Show the addresses of the page for phones. With a passcode each address lets one phone in, and is never written to a log.

      `reopen`
      : Evaluate passcodes again, after too many were wrong.

      `drain`
      : Accept no new players; the server closes when the last match is over.

      With `--json` the answer is one JSON object with the fields `matches`, `statistics` or `done`. Each of the `matches`
      has `number`, `room`, `state`, `round`, `minimum`, `maximum`, `watchers`, `isLocked` and `players`, an array of
      objects with `number`, `name`, `away` and, if they are known, `origin`, the address, `key`, the fingerprint of the
      player's key, and `comparison`, the digits to compare.
      """),
    .init(
      "ENCRYPTION",
      """
      Everything is encrypted with TLS 1.3, unless `--insecure` is given. The host has a key of its own, which is kept in the
      file `key.pem`, see FILES. Players remember it when they come for the first time, and refuse a host with another key
      later. Nobody has to certify anything.

      Whether somebody sits between at that first time, two people find out by comparing six digits: the program of the
      player and that of the host each show a code, in the event `identified`, and both are the same if nobody does. A dedicated
      host shows it in the answer to `list` with `--json`.

      With `--passcode` only those come in who know the code. It is proved, and never sent: whoever captures everything
      finds nothing to try codes on, and whoever guesses is told apart at once. You see each wrong guess. One address has three
      of them, until you type `reopen`. After ten together a code of `auto` is exchanged for another one, at most three times;
      then, and with a code of your own, nobody new comes in until you type `reopen`. Players who have a seat come back without
      the code.

      The event `open` of `--json` has a `link`, which `twentyfour-join` takes in place of the room's name. It has the
      fingerprint of the key, and an invitation that stands for the passcode: whoever has it can come in.
      """),
    .init(
      "PHONES",
      """
      People without a terminal play in a browser. The key w on the host's screen lets them in, and shows a QR code for the camera of
      a phone, and below it the address for those who type; w again shows the next address of this machine, Esc leads back. With
      `--web` they are let in from the beginning; without a screen the address is written when the room opens, and after each change.

      The page is served by this program, needs nothing from elsewhere, and sets no cookies. At `/board` it is a board for a
      television: the room at a glance. It has sounds for the beginning and the end of a round, a solution, the last ten seconds and the
      end of the match, which its button or the key s switches on.

      In a room with a passcode, a phone comes in only by a code that was scanned or typed: each lets one phone in, is good for ten
      minutes, and is exchanged on the screen as soon as it is used. A phone that was in comes back by itself as the same
      player, unless you have removed it. The page shows your name above the game, and never plays in another room by itself: if one
      is at the same address, it asks. Players on phones are marked in the standings; you can kick, ban and approve them as all
      others. Phones on one guest network may have one address in common, see `--per-address`.

      What passes between a phone and this program is not encrypted: everybody on the network can read it, take a seat with what they
      have read, and change the page itself. A passcode keeps out those who only listen from elsewhere, not those on the way. The others in
      the room are as protected as without `--web`.

      The page is advertised as `_http._tcp`, subtype `_twentyfour`, so that programs find it. Its address in that advertisement lets nobody in.
      """),
    .init(
      "RESULTS", form: LeaderboardMode.command, chosenBy: [LeaderboardMode.flag, LeaderboardMode.history],
      """
      Results are saved only with `--results`, to a file of your choice, or `--record`, to the default file, because
      they contain the names of other people. Each round is written when it has ended, and is kept if the program is killed. A
      player who leaves a match before its last round has no result;
      in a room without a last round, the rounds count that a player stayed in to the end. A match has at most 128
      results; another match in the same room is one of its own. A file that is damaged, or that a later version has written, is not changed.

      `--leaderboard` shows the best players, `--history` the latest matches; both also work while a host writes to
      the file. Players with a key are one player with all results under this key and name, so that two people of one
      name are two. Players without one are told apart by name only.
      """),
    .init(
      "RESULTS OF SEVERAL SERVERS", form: JoinedResultsMode.command, chosenBy: JoinedResultsMode.word,
      """
      Servers of a group go on with each other's matches, and each writes to its file the rounds that it has played, with the points of
      these. `twentyfour-host results` shows the files together: a match with all its rounds, and each round once, also if two files
      have it, such as a file and a copy of it. A player who has left a match at one server before its last round has no result
      of it at the others either. The files may be copied from the servers while these write to them, with
      `sqlite3 FILE ".backup COPY"`; they are only read.

      Files of earlier versions have the points of a whole match in each file of a group: such matches count more than once. A host
      that records into a file brings it to this version.
      """),
    NetworkOptions.section,
    GroupOptions.section,
    .init(
      "JSON OUTPUT",
      """
      With `--json` standard output has one JSON object per line and nothing else. Each line is written immediately.
      Every object has the field `event`. The order of fields has no meaning. Players are identified by their names;
      times are in seconds. With `--json` and `--verbose`, there is also an object `backend` at the beginning and
      after each change of the mDNS backend: `name`, which is `avahi` or `builtin`.

      \(NetworkOptions.jsonNote)

      `limited`, `unlimited`, `interrupted`, `restored`
      : Only players on this machine can find the room, or nobody: `reason`, a sentence; or they can again. These are the events of
      `bonjourish browse`.

      `open`
      : The first event of the game, the room is open: `name`, the room's name on the network, `port`, `room`, its
      UUID, `player`, your name in the room, and `rules`, an object with `roundSeconds`, `pauseSeconds`, `rounds`, if
      their number is limited, and `time`, if it is `1.5`, `2` or `none`. If the room is encrypted, `key`, the fingerprint of the host's key, and `link`; if it
      asks for one, `passcode`; with `--web`, `web`, the address for phones. These let others in: do not publish them.

      `joined`, `left`
      : Another player came or went: `player`. When many come and go, these events and `standings` are merged.

      `asked`
      : A new player waits until you decide: `player` and `number`.

      `identified`
      : Who a player is: `player`, `number`, `key`, the fingerprint of the player's key, and, unless a passcode was proved,
      `comparison`, the digits to compare.

      `guess`
      : Somebody gave a wrong passcode: `address`, and `remaining`, the number of guesses left.

      `passcode`
      : The passcode is another one, `passcode`; without that field, nobody new comes in until you `reopen`.

      `web`
      : The address for phones is another one: `web`, and `others`, an array with the further addresses of this machine, if there are any.

      `spectators`
      : The number of those who watch has changed: `count`.

      `rule`
      : A decision of yours took effect: `rule`, a word such as `kick`, and if it is about a player, `number` and
      `player`.

      `away`, `back`
      : Another player's connection broke and their seat is kept, or this player is back: `player`.

      `missing`
      : The number of players that are still needed to start a round: `count`; 0 when there are enough.

      `hint`
      : The hint that you asked for: `cost` in points, `step`, and for step 1 `operation`, for step 2 `expression`,
      for step 3 `left`, `operation` and `right`.

      `round`
      : A round has started for you: `number`, `hand`, an array of four numbers, and `seconds`, the time that is left. `limited` is false if
      there is no limit; the round ends by itself after so many seconds all the same.

      `answer`
      : A player, possibly you, solved the round: `player`, and `seconds` since its start.

      `refused`
      : Your answer was refused, or there is no further hint: `reason`, one of `syntax`, `wrongDigits`, `wrongValue`,
      `divisionByZero`, `overflow`, `noSuchRound`, `waiting`, `alreadySolved`, `gaveUp`, `noMoreHints`, `watching`
      and `away`, and `text`, a sentence. Or your decision has no effect: the reason is `noSuchPlayer`, `noPasscode`,
      `hasBegun`, `noRound`, `notBegun` or `notOver`.

      `standings`
      : The standings after a change: `standings`, an array in display order, of objects with `player`, `number`,
      `status`, `points` and, for solvers, `seconds`; `away` is true for players whose connection is broken, `best` is the
      player's fastest solution, if any, and `hints` the number of hints taken in the round, if any; `phone` is true for players in browsers. The status is
      one of `solved`, `guessing`, `joinedAndGuessing`, `waiting`, `gaveUp` and `outOfTime`.

      `roundEnded`
      : The round is over: `number`, `hand`, `solution`, `standings` and, if another round follows, `pause`, the
      seconds until the next round.

      `matchEnded`
      : The last round was played, and the room stays open: `again` begins another match.

      `matchBegan`
      : Another match began: `number`, from 2. Everyone has no points, and rounds are counted from 1. After a restart with
      `--state`, this event and `matchEnded` tell where the room was.

      `closed`
      : The last event, the room is closed: `reason` and `text`, a sentence. The reason is `finished` after the last
      round, and `hostLeft` otherwise.

      A process that is ended by a signal may end without `closed`.
      """),
  ]
}
