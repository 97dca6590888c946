import _BonjourishConsole

// What the manual pages say of options that several modes have, and of modes that have no page of their own.

extension ShareOptions {
  static let joinsNote = "All players and spectators of an address may come at once."
  static let messagesNote = "Four times as many may come at once."
  static let addressNote = """
    An address is an IPv4 address, a neighbour's IPv6 address, or the /64 prefix of an IPv6 address from elsewhere. The players
    behind a router may have one address in common: give a larger number if you expect more of them. With 0, nothing is limited
    by address.
    """
}

extension WebOptions {
  static let webNote = """
    See PHONES. Between a phone and this program nothing is encrypted.
    """
  static let portNote = "This implies `--web`."
}

extension RoundTime {
  static let secondsNote = "From 1 to 86400, also with the time that `--time` gives."
  static let timeNote = """
    Everybody in the room has the same time, and the points are counted by it: half of it left is worth 15 points. With `none` a round
    ends when nobody is guessing any more, or with the command `next`, or by itself after an hour. A quick solution still gets more
    points, by the usual time. Players see how much time there is in the list of rooms and before the first round; those with an
    earlier version of the program see a clock of an hour.
    """
}

extension DedicatedMode {
  static let notes: [String: String] = [
    "admin": "Root and the user that runs the server may send commands, see ADMINISTRATION.",
    "players": "Players can ask for numbers in this range.",
    "web": WebOptions.webNote,
    "web-port": WebOptions.portNote,
    "port": "Sockets that a service manager has opened are used instead, see `systemd.socket`(5).",
    "rooms": "From 1 to 10000.",
    "round-seconds": RoundTime.secondsNote,
    "time": "\(RoundTime.timeNote) The command `next` is one of ADMINISTRATION.",
    "joins-per-second": ShareOptions.joinsNote,
    "messages-per-second": ShareOptions.messagesNote,
    "matches-per-address": "Until they are over. An address with a match opens none of the last quarter of the matches.",
    "per-address": "In all matches together. \(ShareOptions.addressNote)",
    "state": """
    If the server ends, even by a crash, and is started again with the same file within a minute, it continues the matches, and
    the players come back automatically. The file is removed when the server has drained.
    """,
  ]
}

extension LeaderboardMode {
  static let notes: [String: String] = [
    "by": "`solved` is the number of solved rounds, `best` the fastest solution, and `matches` their number.",
    "json": """
    The fields of `--leaderboard` are `rank`, `player`, `points`, `solved`, `rounds`, `best` and `matches`; those of `--history`
    are `match`, `room`, `began`, `ended`, `rounds` and `scores`.
    """,
  ]
}
