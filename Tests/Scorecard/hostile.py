"""hostile.py [--subject NAME] [--attack N ...] [--count 10000] [PROGRAMS]: one row for each public fault of mDNS stacks, as JSON lines.

Runs on the host h2 of a private LAN; the subject on h1 publishes and browses. After each attack: is it alive, does it still answer, is
the true service still listed and a new one found, and how much memory did 10,000 of these packets leave behind?
"""

import argparse
import json
import pathlib
import select
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Conformance"))

import dns  # noqa: E402
from attacks import ALL, ANCHOR, ANCHOR_HOST, NOT_ON_THE_WIRE  # noqa: E402
from dns import A, PTR, SRV, TXT, Question, Record  # noqa: E402
from others import ALL as SUBJECTS  # noqa: E402
from relay import checksum  # noqa: E402
from subject import HOST, Cannot, resolved, run  # noqa: E402
from trial import KIND, TYPE  # noqa: E402
from wire import GROUPS, INTERFACE, PORT, Voice  # noqa: E402

RATE = 2500  # packets a second
PEER, GROUP_MAC = "10.77.0.2", bytes.fromhex("01005e0000fb")


class Thing:
    """A service of the peer."""

    def __init__(self, name, host):
        service = (name.encode(), *TYPE)
        self.name = name
        self.records = [
            Record(TYPE, PTR, service, 4500), Record(service, SRV, (0, 0, 80, host), 120, True), Record(service, TXT, b"\x03a=b", 4500, True),
            Record(host, A, PEER, 120, True),
        ]


class Neighbour:
    """The peer: answers for its things as a good responder does, and keeps the last responses of the subject."""

    def __init__(self):
        self.voice, self.things, self.heard, self.lock = Voice(PEER), [], [], threading.Lock()
        self.bytes = 0
        self.ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.ear.bind((GROUPS[4], PORT))
        self.ear.setsockopt(
            socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
            socket.inet_aton(GROUPS[4]) + socket.inet_aton(PEER) + struct.pack("i", socket.if_nametoindex(INTERFACE)))
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            data, sender = self.ear.recvfrom(65536)
            if sender[0] == PEER or sender[1] != PORT:
                continue
            self.bytes += len(data)
            try:
                message = dns.decoded(data)
            except ValueError:
                continue
            if message.is_response:
                with self.lock:
                    self.heard = [*self.heard[-50:], (time.monotonic(), message)]
                continue
            known = {record.identity() for record in message.answers}
            told = [
                record for thing in self.things for record in thing.records for question in message.questions
                if dns.same(question.name, record.name) and question.type in (record.type, dns.ANY) and record.identity() not in known
            ]
            if told:
                self.voice.send(dns.response(*told))

    def published(self, port, seconds):
        """Does the subject answer for a service with that port?"""
        deadline = time.monotonic() + seconds
        start = time.monotonic()
        while time.monotonic() < deadline:
            self.voice.send(dns.query(Question(TYPE, PTR)))
            time.sleep(0.6)
            with self.lock:
                messages = [message for when, message in self.heard if when >= start]
            for message in messages:
                names = [record.data for record in message.tells(TYPE, PTR) if record.ttl]
                for record in message.answers + message.additionals:
                    if record.type == SRV and record.ttl and record.data[2] == port:
                        return True
                for name in names:
                    self.voice.send(dns.query(Question(name, SRV)))
        return False


def frame(source, payload, group=GROUPS[4]):
    """An Ethernet frame from an address that nobody has."""
    udp = struct.pack("!HHHH", PORT, PORT, 8 + len(payload), 0) + payload
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 255, 17, 0, socket.inet_aton(source), socket.inet_aton(group))
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    pseudo = head[12:20] + struct.pack("!BBH", 0, 17, len(udp))
    udp = udp[:6] + struct.pack("!H", checksum(pseudo + udp) or 0xFFFF) + udp[8:]
    return GROUP_MAC + bytes.fromhex("0277000000fe") + b"\x08\0" + head + udp


def sender(kind):
    """A function that sends a payload, and one that ends it."""
    if kind == "forged":
        raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        raw.bind((INTERFACE, 0))
        count = iter(range(1, 1 << 30))

        def send(payload):
            number = next(count)
            raw.send(frame(f"10.77.{1 + number // 250 % 250}.{1 + number % 250}", payload))

        return send, raw.close
    voice = Voice(PEER, 0 if kind == "other port" else PORT)

    def send(payload):
        voice.socket.sendto(payload, (GROUPS[4], PORT))
        while select.select([voice.socket], [], [], 0)[0]:
            voice.socket.recv(65536)

    return send, voice.close


def flood(attack, count):
    """Sends so many at RATE; gives the bytes."""
    send, close = sender(attack.sender)
    payloads = attack.payloads(count)
    start, total = time.monotonic(), 0
    for i, payload in enumerate(payloads):
        total += len(payload)
        try:
            send(payload)
        except OSError:  # the queue of the interface is full
            time.sleep(0.01)
        if attack.gap and i < 2:
            time.sleep(attack.gap)
            start += attack.gap
        if i % 25 == 24:
            time.sleep(max(0.0, start + i / RATE - time.monotonic()))
    close()
    return total


def inside(attack, count):
    """The same from another program on the subject's host; see `--inside`."""
    command = [sys.executable, "-B", __file__, "--inside", str(attack.number), "--count", str(count)]
    return int(run("on", HOST, *command).split()[-1])


def flood_inside(attack, count):
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    own.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    own.bind(("10.77.0.1", PORT))
    payloads = attack.payloads(count)
    start, total = time.monotonic(), 0
    for i, payload in enumerate(payloads):
        total += len(payload)
        try:
            own.sendto(payload, (GROUPS[4], PORT))
        except OSError:
            time.sleep(0.01)
        if i % 25 == 24:
            time.sleep(max(0.0, start + i / RATE - time.monotonic()))
    print(total)


def is_alive(process):
    try:
        return ") Z " not in pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def kilobytes(processes):
    total = 0
    for process in processes:
        try:
            status = pathlib.Path(f"/proc/{process}/status").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    return total


class Victim:
    """The subject, which publishes one service and browses for others; started afresh when it has died."""

    def __init__(self, subject, neighbour):
        self.subject, self.neighbour, self.browser, self.count = subject, neighbour, None, 0

    def start(self):
        self.subject.stop()
        self.browser = None
        self.subject.set_host_name("victim")
        self.subject.publish("Victim", KIND, 4242, "key=value")
        self.subject.start()
        if not self.neighbour.published(4242, 15):
            return False
        try:
            self.browser = self.subject.browse(KIND)
        except Cannot:
            return True
        return self.browser.wait(resolved("Anchor"), 10) is not None

    def finds_a_new_one(self):
        """How long it takes to find a new true service, None if it is not found."""
        self.count += 1
        name = f"After {self.count}"
        thing = Thing(name, (b"after%d" % self.count, b"local"))
        self.neighbour.things.append(thing)
        start = time.monotonic()
        for _ in range(10):
            self.neighbour.voice.send(dns.response(*thing.records))
            if self.browser.wait(resolved(name), 1.5):
                return time.monotonic() - start
        return None

    def lists(self, name):
        """Is the service listed, as far as the browser has told?"""
        last = [kind for _, kind, found, _ in self.browser.events if found == name]
        return bool(last) and last[-1] == "found"

    def tells(self, name):
        return any(found == name for _, _, found, _ in self.browser.events)


def row(victim, neighbour, attack, count):
    if not victim.start():
        return {"verdict": "SKIP", "notes": ["it was not there before the attack"]}
    notes = []
    time.sleep(1)
    processes, before, said = victim.subject.processes(), kilobytes(victim.subject.processes()), neighbour.bytes
    sent = inside(attack, count) if attack.sender == "inside" else flood(attack, count)
    ended = time.monotonic()
    time.sleep(1)
    alive = all(is_alive(process) for process in processes) and (victim.browser is None or victim.browser.process.poll() is None)
    grown = kilobytes(processes) - before
    answers = alive and neighbour.published(4242, 12)
    finds = None
    if victim.browser and alive:
        finds = victim.finds_a_new_one()
        deadline = time.monotonic() + 10
        while not victim.lists("Anchor") and time.monotonic() < deadline:
            time.sleep(0.1)
        gone = time.monotonic() - ended
        if not victim.lists("Anchor"):
            notes.append("the true service is not listed ten seconds later")
        elif attack.number == 12:
            notes.append(f"the true service is listed {gone:.1f} s after the last of them")
    if attack.number == 14:
        notes.append(f"{(neighbour.bytes - said) / sent:.2f} bytes by multicast for a byte")
    wrong = []
    if not alive:
        wrong.append("it has ended")
    elif not answers:
        wrong.append("it no longer answers for its service")
    if alive and victim.browser:
        if finds is None:
            wrong.append("it does not find a new service within 15 s")
        if not victim.lists("Anchor"):
            wrong.append("the true service is lost")
        if attack.never and victim.tells(attack.never):
            wrong.append(f"it tells {attack.never}")
    return {
        "verdict": "FAIL" if wrong else "PASS", "alive": alive, "wrong": wrong, "kilobytes": grown, "resident": before,
        "browses": victim.browser is not None, "notes": notes, "found after": finds and round(finds, 2),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", default=".build/debug")
    parser.add_argument("--subject", choices=SUBJECTS, default="ours")
    parser.add_argument("--attack", type=int, action="append", help="only this one (may be repeated)")
    parser.add_argument("--part", metavar="I/N", default="0/1", help="only part I of N, from 0")
    parser.add_argument("--count", type=int, default=10_000, help="packets of each attack")
    parser.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        flood_inside(next(one for one in ALL if one.number == options.inside), options.count)
        return
    subject = SUBJECTS[options.subject](options.programs)
    if reason := subject.missing():
        parser.error(reason)
    neighbour = Neighbour()
    neighbour.things.append(Thing("Anchor", ANCHOR_HOST))
    assert neighbour.things[0].records[0].data == ANCHOR
    victim = Victim(subject, neighbour)
    part, parts = map(int, options.part.split("/"))
    try:
        for attack in ALL[part::parts]:
            if options.attack and attack.number not in options.attack:
                continue
            result = row(victim, neighbour, attack, options.count)
            if result["verdict"] != "PASS":  # machines are busy: what fails must fail twice
                first = result
                neighbour.things[1:] = []
                result = row(victim, neighbour, attack, options.count)
                result["notes"] += [f"at first: {text}" for text in first.get("wrong", first["notes"])]
            print(json.dumps({"attack": attack.number, "name": attack.name, "after": attack.after, **result}), flush=True)
            neighbour.things[1:] = []
    finally:
        subject.close()
    for number, (name, after, reason) in NOT_ON_THE_WIRE.items():
        if not options.attack and part == 0:
            print(json.dumps({"attack": number, "name": name, "after": after, "verdict": "SKIP", "notes": [reason]}), flush=True)


main()
