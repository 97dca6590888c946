"""What a run must show, from its values alone: how the program on h1 fares, and what it must say."""

TOOLS = ("browse", "once", "publish")
HOSTS = ("host", "server")
PLAYERS = ("join", "any")

# What a wrong passcode and a room without a place end with, see the manual pages.
UNAVAILABLE, NOT_PERMITTED = 69, 77
# What a list ends with that has nothing, although all could be asked.
NOTHING = 1

# What is said, on standard error or as a JSON reason, of each trouble. Any of the words will do.
WORDS = {
    "firewall": ("firewall", "port 5353"),
    "no-link": ("no network interface", "no link", "cable", "not connected to a network"),
    "daemon": ("avahi-daemon", "system bus", "dbus"),
    "directory": ("directory",),
}


def lacks_daemon(run):
    """Whether the program may use the daemon only, and that does not answer."""
    return run["backend"] == "avahi" and run["daemon"] in ("absent", "hung", "bus-hung", "bus-gone")


def uses_directory(run):
    return run["directory"] in ("there", "leaves")


def reaches_room(run):
    """Whether h1 finds the room of h2, when the program starts."""
    if run["network"] == "no-link":
        return False
    return uses_directory(run) or (not lacks_daemon(run) and run["network"] != "firewall" and run["relay"] == "no")


def is_refused(run):
    """The exit codes with which the room refuses the program; empty if it lets it in."""
    codes = set()
    if run["security"] == "wrong":
        codes.add(NOT_PERMITTED)
    if run["room"] == "full":
        codes.add(UNAVAILABLE)
    return codes


def codes(run):
    """The exit codes that are right when the program runs until it ends by itself or by the signal."""
    if lacks_daemon(run):
        # Without a daemon there is no backend; a daemon or bus that hangs may also be waited for, and a directory do.
        gone = run["daemon"] in ("absent", "bus-gone") and not uses_directory(run)
        return {UNAVAILABLE} if gone or run["role"] in PLAYERS and not uses_directory(run) else {0, UNAVAILABLE}
    if run["role"] in PLAYERS:
        if not reaches_room(run):
            return {UNAVAILABLE}
        return is_refused(run) or {0}
    if run["role"] == "once" and (run["network"] == "firewall" or run["directory"] in ("absent", "hung")):
        return {UNAVAILABLE}
    if run["role"] == "once" and not reaches_room(run):
        return {UNAVAILABLE if run["network"] == "no-link" else NOTHING}
    return {0}


def has_directory_trouble(run):
    return run["directory"] in ("absent", "hung") or run["network"] == "no-link" and run["directory"] != "none"


def troubles(run):
    """What the program must say while it starts."""
    if lacks_daemon(run):
        return {"daemon"}  # it may end before it knows more
    said = {"directory"} if has_directory_trouble(run) else set()
    if run["role"] in PLAYERS and reaches_room(run):
        # Who finds the room wants to know nothing else, and who is refused ends before the directory counts as away.
        return said if codes(run) == {0} else set()
    # What one of the two ways is lacking is told when the other one fails, too.
    if run["network"] == "no-link" or run["network"] == "firewall" and not uses_directory(run):
        said.add(run["network"])
    return said


def allowed(run):
    """What the program may say besides, at some time."""
    said = troubles(run)
    if run["network"] in ("firewall", "no-link"):
        said.add(run["network"])
    if has_directory_trouble(run):
        said.add("directory")
    if run["network"] == "cable":
        said |= {"no-link", "directory"}
    if run["network"] == "firewall" or run["network"] == "no-link" or run["network"] == "loss":
        said |= {"directory"} if run["directory"] != "none" else set()
    if run["directory"] == "leaves":
        said.add("directory")
    if run["backend"] != "builtin" and run["daemon"] != "running":
        said.add("daemon")
    if lacks_daemon(run):
        said |= {"firewall", "no-link", "directory"}
    if run["role"] in PLAYERS and run["reconnect"] == "player":
        said |= {"no-link", "directory"}
    return said


def counts(run, one, other):
    """Whether a run tells something about a pair of its values: not if what it does ends before both matter."""
    whole = ("role", "backend", "daemon", "network", "directory", "relay", "signal", "moment")
    if run["role"] in HOSTS and lacks_daemon(run):
        return one in whole and other in whole
    if run["role"] in PLAYERS and (lacks_daemon(run) or not reaches_room(run)):
        return "role" not in (one, other) or one in whole and other in whole
    return True
