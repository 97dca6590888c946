"""The servers of a group, and what happens to them."""

import json
import time

from cluster import HOSTS as DIRECTORY_HOSTS
from cluster import URL
from clock import now
from lab import LabError, control

SERVERS = {"One": "h1", "Two": "h2", "Three": "h3"}
SMALL, SMALL_HOST, PLAYERS_HOST = "Small", "h8", "h7"
ROUND, PAUSE = 20, 2


class Group:
    def __init__(self, lab, chance):
        self.lab, self.chance, self.running, self.all = lab, chance, {}, []
        self.kills = []  # when a server was killed
        self.cuts = []  # (server, from when, until when): it was cut off, or stopped, for about as long as its lease counts

    def results(self, name):
        return self.lab.folder / f"{name}.sqlite"

    def start(self, name, rooms=50):
        """Starts a server, or starts it again as it was."""
        program = self.lab.start(
            name, SERVERS.get(name, SMALL_HOST), "twentyfour-host", "--json", "--dedicated", "--name", name, "--rooms", rooms,
            "--players", "2:2", "--rounds", 100_000, "--round-seconds", ROUND, "--pause-seconds", PAUSE, "--no-local", "--directory", URL,
            "--group-key", self.lab.folder / "group.pem", "--results", self.results(name), "--per-address", 0,
            "--matches-per-address", 1_000, "--joins-per-second", 1_000, "--messages-per-second", 1_000)
        self.running[name] = program
        self.all.append((name, program))
        return program

    def open(self, name, **settings):
        if not self.start(name, **settings).event("open", 30):
            raise LabError(f"the server {name} does not open, see its log")

    def busiest(self):
        """The server with most players."""
        def players(program):
            before = len(program.lines)
            program.signal("USR1")
            line = program.wait(2, lambda _, source, text, __: source == "err" and "statistics: " in text)
            return json.loads(line[2].split("statistics: ", 1)[1])["counts"]["players"] if line and len(program.lines) > before else 0

        return max(SERVERS, key=lambda name: players(self.running[name]))

    # ---- What happens to them

    def end(self, *names, signal="TERM"):
        for name in names:
            self.running[name].signal(signal)
        for name in names:
            if self.running[name].ended(15) is None:
                self.running[name].kill()

    def kill(self, name):
        self.kills.append(now())
        self.end(name, signal="KILL")
        time.sleep(2)
        self.start(name)

    def pause(self, name, least, most):
        start = now()
        self.running[name].signal("STOP")
        time.sleep(self.chance.uniform(least, most))
        self.running[name].signal("CONT")
        self.cuts.append((name, start, now()))

    def partition(self, name, others, seconds=12):
        start = now()
        for other in others:
            control("cut", SERVERS[name], other)
        time.sleep(seconds)
        for other in others:
            control("mend", SERVERS[name], other)
        if set(DIRECTORY_HOSTS) <= set(others):
            self.cuts.append((name, start, now()))

    def fill(self, name):
        """A server with a single place is there when another one dies."""
        self.open(SMALL, rooms=1)
        self.kill(name)
        time.sleep(15)
        self.end(SMALL)

    def drain(self, name):
        self.running[name].signal("USR2")
        time.sleep(8)
        self.end(name)
        self.start(name)

    def restart(self, _):
        self.end(*SERVERS)
        for name in SERVERS:
            self.start(name)

    def faults(self, cluster):
        """What can happen to the busiest server, or to all, by name."""
        def directory(act):
            with cluster.lock:
                act(self.chance.choice(DIRECTORY_HOSTS))

        def split(host):
            others = [other for other in DIRECTORY_HOSTS if other != host]
            for other in others:
                control("cut", host, other)
            time.sleep(8)
            for other in others:
                control("mend", host, other)
            cluster.wait_whole()

        return {
            "kill": self.kill,
            "pause 3-6 s": lambda name: self.pause(name, 3, 6),
            "pause 8-14 s": lambda name: self.pause(name, 8, 14),
            "no directory": lambda name: self.partition(name, DIRECTORY_HOSTS),
            "no players": lambda name: self.partition(name, [PLAYERS_HOST]),
            "no network": lambda name: self.partition(name, [*DIRECTORY_HOSTS, PLAYERS_HOST]),
            "full survivor": self.fill,
            "drain": self.drain,
            "restart of all": self.restart,
            "directory wiped": lambda _: directory(lambda host: cluster.kill(host, is_wiped=True)),
            "directory split": lambda _: directory(split),
        }

    # ---- Afterwards

    def takeovers(self, causes, end):
        """(The last of these times, the seconds from it) for each match that another server went on with, before the end."""
        adopted = [at for at, _, state, __ in self.news() if state == "adopted" and at < end]
        lasts = [(at, max((cause for cause in causes if cause <= at), default=None)) for at in adopted]
        return [(last, at - last) for at, last in lasts if last is not None]

    def is_cut(self, server, at, grace=5):
        """Whether a server was cut off, or stopped, then or just before."""
        return any(name == server and start <= at <= end + grace for name, start, end in self.cuts)

    def news(self):
        """What was told of matches that go from server to server: (time, name of the match, state, server)."""
        return sorted((at, event["name"], event["state"], server) for server, program in self.all for at, _, __, event in program.lines
                      if event and event.get("event") == "match")

    def history(self):
        """By match: the rounds in all results together, and their sum over the files."""
        files = [self.results(name) for name in (*SERVERS, SMALL) if self.results(name).exists()]

        def rounds(*words):
            reader = self.lab.start("results", PLAYERS_HOST, "twentyfour-host", *words, "--json", "--limit", 1_000_000)
            if reader.ended(60) != 0:
                raise LabError("the results cannot be read, see the log")
            return {event["match"]: event["rounds"] for _, source, __, event in reader.lines if source == "out" and event}

        sums = {}
        for file in files:
            for match, count in rounds("--history", "--results", file).items():
                sums[match] = sums.get(match, 0) + count
        return rounds("results", "--history", *files), sums
