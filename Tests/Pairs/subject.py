"""The program in question on h1: its command, and what it says."""

import expected
from lab import DIRECTORY, HONEST, SUBJECT, URL, LabError, address
from clock import Limit, now

START, OBEY = 6, 2  # seconds: what is promised
RESTORE = 20  # seconds in which what was broken must be whole again
GONE_AFTER = 2  # seconds without an answer after which an observer says that a service is gone


class Subject:
    def __init__(self, lab, room):
        self.lab, self.run, self.room = lab, lab.run, room
        self.role = self.run["role"]
        self.program = None
        self.service = "_pairs._tcp" if self.role == "publish" else "_twentyfour._tcp"
        self.name = "Pairs" if self.role == "publish" else room.name
        self.observer = lab.python("observer", HONEST, "observer.py", self.service + ".local", address(HONEST))

    def command(self):
        run = self.run
        tool = {"browse": ["browse", "_twentyfour._tcp"], "once": ["browse", "_twentyfour._tcp", "--once"],
                "publish": ["publish", "Pairs", self.service, "4242", "a=1"]}
        if self.role in tool:
            words = ["bonjourish", *tool[self.role], "--json"]
        else:
            code = ["--insecure"] if run["security"] == "insecure" else []
            if run["security"] in ("right", "wrong"):
                code = ["--passcode", "471123" if run["security"] == "right" else "000000"]
            words = ["twentyfour-join", "--json", "--name", "Bob", *(["--any"] if self.role == "any" else [self.room.name]), *code]
        directory = ["--directory", URL, "--region", "eu"] if run["directory"] != "none" else []
        return words + ["--backend", run["backend"]] + directory

    def start(self):
        """Starts it, or the room if that is in question."""
        if self.room.is_subject:
            self.program = self.room.start()
        else:
            self.program = self.lab.start("subject", SUBJECT, *self.command())
        return self.program

    # ---- What it says

    BEGINNINGS = {
        "browse": ("settled", "found"), "once": ("settled", "found"), "publish": ("published",), "host": ("open",), "server": ("open",),
        "join": ("open", "waiting", "closed"), "any": ("open", "waiting", "closed"),
    }

    def wait_beginning(self, seconds):
        """Waits until it works, says why not, or ends. Returns whether it did in time."""
        def begins(_, source, text, event):
            if source == "err":
                return bool(text.strip())
            return event and (event.get("event") in self.BEGINNINGS[self.role] + ("interrupted", "limited")
                              or event.get("state") == "unavailable")

        with self.program.changed:
            taken = set(self.program.taken)
        came = self.program.wait(seconds, begins)
        self.program.taken = taken
        return bool(came)

    def tells(self, trouble, seconds, since=0):
        """Waits until it has told of a trouble; returns whether it did."""
        def is_told(at, source, text, event):
            said = source == "err" or event and (event.get("event") in ("interrupted", "limited", "closed")
                                                 or event.get("state") == "unavailable")
            return said and at >= since and any(word in text.lower() for word in expected.WORDS[trouble])

        with self.program.changed:
            taken, self.program.taken = self.program.taken, set()
        came = self.program.wait(seconds, is_told)
        self.program.taken = taken
        return bool(came)

    def unfounded(self):
        """What it has said of troubles that there are not."""
        fine = expected.allowed(self.run)
        return [text for text in self.program.said() for trouble, words in expected.WORDS.items()
                if trouble not in fine and any(word in text.lower() for word in words)]

    def listed(self):
        """The names that a browser lists, by its lines."""
        names = set()
        for event in self.program.events("found", "updated", "lost"):
            (names.discard if event["event"] == "lost" else names.add)(event["name"])
        return names

    def lists_room(self, seconds):
        limit = Limit(seconds)
        while self.room.name not in self.listed():
            if limit.is_over() or self.program.has_ended():
                return self.room.name in self.listed()
            with self.program.changed:
                self.program.changed.wait(0.1)
        return True

    # ---- What others see

    def last_seen(self):
        with self.observer.changed:
            return max((at for at, _, __, event in self.observer.lines
                        if event and event["event"] == "seen" and event["name"] == self.name), default=0)

    def is_seen(self, since, seconds):
        """Waits until the observer has seen what it publishes."""
        limit = Limit(seconds)
        while self.last_seen() <= since:
            if limit.is_over():
                return False
            with self.observer.changed:
                self.observer.changed.wait(0.1)
        return True

    def is_unseen(self, seconds):
        """Waits until the observer, who goes on asking, sees nothing of it any more."""
        limit, start = Limit(seconds), now()
        while now() - max(start, self.last_seen()) < GONE_AFTER:
            if limit.is_over():
                return False
            with self.observer.changed:
                self.observer.changed.wait(0.1)
        return True

    def is_in_directory(self):
        """Whether a healthy program sees it in the directory."""
        browser = self.lab.start("directory", DIRECTORY, "bonjourish", "browse", self.service, "--once", "--json", "--no-local",
                                 "--directory", URL, "--region", "eu")
        code = browser.ended(15)
        # 1: it could look, and has found nothing.
        if code not in (0, 1):
            raise LabError(f"the healthy browser of the directory ends with {code}")
        # A server lists itself, and each match by itself.
        return any(event["name"].startswith(self.name) for event in browser.events("found"))

    # ---- What should be so

    def is_visible(self):
        """Whether what it publishes can be seen on the local network."""
        run = self.run
        return (self.role in ("publish", *expected.HOSTS) and not expected.lacks_daemon(run) and run["relay"] == "no"
                and run["network"] not in ("firewall", "no-link"))

    def is_listed(self):
        """Whether what it publishes is in the directory."""
        return (self.role in ("publish", *expected.HOSTS) and expected.uses_directory(self.run)
                and self.run["network"] != "no-link" and not expected.lacks_daemon(self.run))
