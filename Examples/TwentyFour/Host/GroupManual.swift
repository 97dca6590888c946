import _BonjourishConsole

/// What the manual page says of the servers that go on with each other's matches.
extension GroupOptions {
  static let notes: [String: String] = [
    "group-bucket": "All servers of a group need the same. It has 1 to 64 letters, digits, hyphens and underscores.",
    "group-key": keyNote,
    "group-lease": """
    It is this server's own: for how long the others wait for it, from 3 to 60. Until then nobody plays its matches. With less than 13,
    the matches stop each time that a cluster of directory servers loses the leader of the bucket: it elects another in 4 to 9 seconds.
    """,
    "group-size": """
    The account at the directory needs so much storage in files, for each replica. A match takes a few KiB. A bucket that exists keeps its
    size; `--replicas` says how many servers keep one that is made.
    """,
  ]

  private static let keyNote = """
    The file has the server's key instead of your own one; it is created unless it exists. Copy it to the other servers of the group, by
    a way that nobody reads: whoever has it is the host for all players. See SEVERAL SERVERS.
    """

  static let section = Manual.Section(
    "SEVERAL SERVERS",
    """
    With `--directory`, each match is listed there by itself, under the server's name and the match's number, and whoever joins it
    plays in it.

    Servers with the same `--group-key` and the same region of a directory are a group. Each of them stores its matches there every
    second, encrypted with a key that follows from the group's. When a server ends, another one goes on with its matches at once; when
    it dies, after about thirteen seconds (`--group-lease`); the players are told meanwhile that they are reconnecting. The players' programs
    connect to that server, and have their seats, points and rounds again, except for what happened in the last two and a half seconds.
    A server that drains plays its matches to their ends. Only players who have sent an answer have a seat that is kept, and phones are not led to
    another server.

    The matches are in a bucket of their own, which the first server of the group makes if its user may. If the bucket cannot be made
    or used, that is told within ten seconds, with what to do, and again when it can: until then nobody takes the server's matches over.

    A server takes no more matches than it has places, and leaves the others until a place is free. When the directory has not
    confirmed for two and a half seconds what is stored, a match is held until it does, for a minute at most: the players are told so,
    and their answers are kept. A server that does not reach the directory for twelve seconds (a second less than
    `--group-lease`) suspends its matches, because another one may have them, and keeps their places, also when it drains. It goes on
    with them if nobody has, and releases for others what it cannot go on with. Each round is written to the results of one server only,
    after the match is stored; see RESULTS OF SEVERAL SERVERS. A round whose server dies before it knows
    that the round is stored is in nobody's results.

    A server that comes back after a crash has its name again at once: its key says that the name is its own. Give each server of a group
    a name: of two with one name, the second gets another one.

    `--state` is not for servers of a group: a server that is started again takes what is left by the last one of the group.
    """)
}
