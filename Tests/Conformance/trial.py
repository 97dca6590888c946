"""A case, what is found out in it, and what cases have in common."""

import subprocess
import threading
import time
from dataclasses import dataclass

import dns
from subject import instance
from wire import Capture, Voice

KIND = "_conform._tcp"
TYPE = (*dns.dotted(KIND), b"local")
PEER, SECOND_PEER, LINK_LOCAL_PEER = "10.77.0.2", "10.77.0.102", "169.254.7.7"

# A timer never fires early; but the clocks of two programs are read in whole milliseconds, and a packet takes its time.
EARLY = 0.003
# Programs share the machine with others. What it was late by at the time is measured besides (`Metronome`) and added.
LATE = 0.06

CASES = []


@dataclass
class Case:
    """A case: its name, its clauses (of RFC 6762 unless said otherwise), Apple's name for it if there is one, and how much the RFC
    demands: with SHOULD the clause itself only warns, and what must hold for it to be looked at is still a MUST."""

    name: str
    sections: str
    bct: str
    level: str
    function: object


def case(name, sections, bct=None, level="MUST"):
    def register(function):
        CASES.append(Case(name, sections, bct, level, function))
        return function

    return register


class Undecided(Exception):
    """The peer cannot tell; the reason."""


class Stop(Exception):
    """A check failed without which the rest makes no sense."""


class Metronome:
    """How late this machine wakes those who sleep: what timers of others are late by, too."""

    def __init__(self):
        self.worst = 0.0
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            before = time.monotonic()
            time.sleep(0.01)
            self.worst = max(self.worst, time.monotonic() - before - 0.01)


class Trial:
    """One run of one case. `must` is a MUST of the RFC or what Apple's test calls a failure; `should` is a SHOULD or a warning."""

    def __init__(self, bench, number):
        self.subject, self.capture, self.metronome = bench.subject, bench.capture, bench.metronome
        self.peer, self.second, self.peer6, self.stranger = bench.peer, bench.second, bench.peer6, bench.stranger
        self.label, self.name, self.bench = f"subject{number}", f"Conformance {number}", bench
        self.failures, self.warnings, self.notes, self.deviations, self.checks = [], [], [], [], 0
        self.start = self.capture.end
        self.metronome.worst = 0.0

    # ---- Verdicts

    def must(self, holds, section, expected, seen=""):
        self.checks += 1
        if not holds:
            self.failures.append(f"§{section}: {expected}; seen: {shorten(seen)}")
        return holds

    def need(self, holds, section, expected, seen=""):
        if not self.must(holds, section, expected, seen):
            raise Stop
        return holds

    def should(self, holds, section, expected, seen=""):
        self.checks += 1
        if not holds:
            self.warnings.append(f"§{section}: {expected}; seen: {shorten(seen)}")
        return holds

    def deviates(self, name):
        """Is this deviation of the subject known? Then the case examines just that, and its verdict says so."""
        if name in self.subject.deviations:
            self.deviations.append(name)
        return name in self.subject.deviations

    def note(self, text):
        self.notes.append(text)

    @property
    def late(self):
        return LATE + self.metronome.worst

    def within(self, value, least, most, section, what, check=None):
        """Is a time between two packets as long as it must be? `least` and `most` in seconds."""
        check = check or self.must
        if least - EARLY <= value <= most:
            return check(True, section, what)
        if most < value <= most + self.late:
            return check(True, section, what)
        if most < value and self.metronome.worst > 0.25:
            raise Undecided(f"the machine was late by {milliseconds(self.metronome.worst)}: {what} came after {milliseconds(value)}")
        return check(False, section, f"{what} within {milliseconds(least)} to {milliseconds(most)}", milliseconds(value))

    # ---- The subject

    @property
    def host(self):
        return (self.label.encode(), b"local")

    @property
    def service(self):
        return instance(self.name, KIND)

    def publish(self, *texts, name=None, subtypes=()):
        """Starts afresh with a host name and a service that nobody has seen before."""
        self.bench.stop_subject()
        self.subject.set_host_name(self.label)
        self.start = self.capture.end
        self.subject.publish(name or self.name, KIND, 4242, *texts, subtypes=subtypes)

    def established(self):
        """Has a service that was announced long enough ago that nothing more comes of its own accord."""
        if self.bench.settled is None:
            self.publish("key=value", subtypes=("_conformsub",))
            self.announced(self.service, dns.SRV, seconds=10)
            self.quiet(2.3)
            self.bench.settled = (self.label, self.name)
        self.label, self.name = self.bench.settled
        self.start = self.capture.end

    def quiet(self, seconds, most=12):
        """Waits until nothing was said for so long."""
        deadline = time.monotonic() + most
        while self.capture.wait(lambda packet: True, seconds, self.capture.end) and time.monotonic() < deadline:
            pass

    # ---- Packets

    def packets(self, start=None):
        return [p for p in self.capture.since(self.start if start is None else start) if p.message]

    def wait(self, is_awaited, seconds, start=None):
        return self.capture.wait(is_awaited, seconds, self.start if start is None else start)

    def await_probe(self, name, seconds=5, start=None):
        """The first probe for the name over IPv4, which the peer opposes over: what is heard there need not count over IPv6."""
        found = self.wait(lambda p: p.family == 4 and p.message.proposes(name), seconds, start)
        return self.need(found, "8.1", f"a probe for {dns.shown(name)} within {seconds} s", self.told()) and found

    def announced(self, name, *types, seconds=5, start=None):
        """The first multicast response over IPv4 that tells the records with a TTL."""

        def is_awaited(packet):
            return packet.is_multicast and packet.family == 4 and any(record.ttl for record in packet.message.tells(name, *types))

        found = self.wait(is_awaited, seconds, start)
        return self.need(found, "8.3", f"{dns.shown(name)} announced within {seconds} s", self.told()) and found

    def ask(self, *questions, voice=None, **more):
        """Sends a query; gives where in the capture it stands, and when it went."""
        return self.say(dns.query(*questions, **more), voice)

    def say(self, message, voice=None, to=None):
        start = self.capture.end
        (voice or self.peer).send(message, to)
        return start, self.capture.time_sent(start)

    def answer(self, start, name, *types, seconds=1.5, multicast=True):
        """The first response that tells such a record."""
        return self.wait(lambda p: p.is_multicast == multicast and p.message.tells(name, *types), seconds, start)

    def told(self, start=None):
        return " | ".join(str(p) for p in self.packets(start)[-6:]) or "nothing"

    def conflict(self, name, *types):
        """Records that contradict what anybody here would say."""
        made = {
            dns.SRV: (0, 0, 9, (b"somebody-else", b"local")),
            dns.TXT: b"\x0csomebody=else",
            dns.A: "10.77.0.99",
            dns.AAAA: "fe80::99",
        }
        return [dns.Record(name, kind, made[kind], flush=True) for kind in types]

    def new_name(self, is_service, seconds, start, besides=()):
        """The next name that is probed for over IPv4 and is none of `besides`."""

        def fresh(packet):
            for question in () if packet.message.is_response or packet.family == 6 else packet.message.questions:
                suits = dns.same(question.name[1:], TYPE) if is_service else len(question.name) == 2
                proposed = question.type == dns.ANY and packet.message.proposes(question.name)
                if suits and proposed and all(not dns.same(question.name, other) for other in besides):
                    return question.name
            return None

        found = self.wait(fresh, seconds, start)
        return (found, fresh(found)) if found else (None, None)


def milliseconds(seconds):
    return f"{seconds * 1000:.0f} ms"


def shorten(text, most=400):
    text = " | ".join(map(str, text)) if isinstance(text, (list, set)) else str(text)
    return text if len(text) <= most else text[:most] + " ..."


class Bench:
    """What all trials share: the subject, the capture and the peer's voices."""

    def __init__(self, subject):
        self.subject, self.settled = subject, None
        for address, link in ((SECOND_PEER + "/24", "eth0"), (LINK_LOCAL_PEER + "/16", "eth0")):
            subprocess.run(["ip", "address", "replace", address, "dev", link], check=True)
        self.capture, self.metronome = Capture(), Metronome()
        self.peer, self.second, self.peer6 = Voice(PEER), Voice(SECOND_PEER), Voice("fe80::2")
        self.stranger = Voice(LINK_LOCAL_PEER)
        self.traced = 0
        self.random_names = set()  # lowered names that nobody can have by chance, whose records are shared on purpose

    def stop_subject(self):
        self.settled = None
        self.subject.stop()
