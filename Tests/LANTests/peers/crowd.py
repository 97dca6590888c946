"""crowd.py HOST PORT ATTACK [SECONDS]: does to a room, or a match server, what one address can; ends by itself.

seats     joins 100 times, as fast as it can, and keeps the connections open
ghosts    the same, sends an answer on each connection, and breaks it: the seats are to be kept without a socket
matches   asks a match server for 300 matches of its own, of three players or more
flood     joins and leaves for SECONDS, as fast as it can
puppets   joins, solves the running hand and leaves for SECONDS
name NAME joins under a name

Prints {"event":"done","attack":…,"welcomed":…,"codes":{…},"seconds":…}: how many hellos were welcomed, with which codes the others
were refused, and how long it took.
"""

import collections
import itertools
import sys
import time

import peer
import room


class Puppet(room.Line):
    """A connection to the host, with a hello."""

    def __init__(self, name="Puppet", **fields):
        super().__init__(host, port)
        self.say(room.hello(name, **fields))

    def hear_of(self, *kinds):
        """The next message of one of these kinds, or the end."""
        try:
            while True:
                message = self.hear()
                if message["kind"] in (*kinds, "closed"):
                    return message
        except (EOFError, ConnectionResetError, TimeoutError):
            return {"kind": "closed", "code": "hungUp"}

    def is_welcome(self):
        answer = self.hear_of("welcome")
        if answer["kind"] == "welcome":
            counts["welcomed"] += 1
            return True
        codes[answer["code"]] += 1
        return False


def solutions(numbers):
    """Expressions that make 24, by trying all."""
    if len(numbers) == 1:
        if abs(numbers[0][0] - 24) < 1e-9:
            yield numbers[0][1]
        return
    for left, right in itertools.permutations(range(len(numbers)), 2):
        rest = [number for index, number in enumerate(numbers) if index not in (left, right)]
        (a, x), (b, y) = numbers[left], numbers[right]
        results = [(a + b, f"({x}+{y})"), (a - b, f"({x}-{y})"), (a * b, f"({x}*{y})")]
        if abs(b) > 1e-9:
            results.append((a / b, f"({x}/{y})"))
        for result in results:
            yield from solutions(rest + [result])


def seats():
    lines = [Puppet(f"Puppet {number}") for number in range(100)]
    kept = [line for line in lines if line.is_welcome()]
    tell()
    # Until the test has seen that an honest player gets a seat.
    sys.stdin.read()
    for line in kept:
        line.close()


def ghosts():
    for number in range(100):
        line = Puppet(f"Puppet {number}")
        if line.is_welcome():
            line.say({"kind": "act", "number": 1, "action": {"answer": {"expression": "1"}}})
            line.hear_of("refused")
        line.close()
    tell()


def matches():
    lines = [Puppet(f"Puppet {number}", players=[3 + number % 9, 3 + number % 9]) for number in range(300)]
    for line in lines:
        line.is_welcome()
    tell()
    sys.stdin.read()


def flood():
    while time.monotonic() < end:
        line = Puppet()
        if line.is_welcome():
            line.say({"kind": "leaving"})
        line.close()
    tell()


def puppets():
    while time.monotonic() < end:
        line = Puppet(f"Puppet {counts['welcomed']}")
        if line.is_welcome():
            deal = line.hear_of("round")
            if deal["kind"] == "round":
                answer = next(solutions([(float(digit), str(digit)) for digit in deal["hand"]]))
                line.say({"kind": "act", "number": deal["number"], "action": {"answer": {"expression": answer}}})
                line.hear_of("answer")
            line.say({"kind": "leaving"})
        line.close()
    tell()


def name():
    Puppet(sys.argv[4]).is_welcome()
    tell()


def tell():
    seconds = round(time.monotonic() - start, 3)
    peer.tell("done", attack=sys.argv[3], welcomed=counts["welcomed"], codes=dict(codes), seconds=seconds)


host, port = sys.argv[1], int(sys.argv[2])
counts, codes = collections.Counter(), collections.Counter()
start = time.monotonic()
end = start + (float(sys.argv[4]) if sys.argv[3] in ("flood", "puppets") and len(sys.argv) > 4 else 5)
{"seats": seats, "ghosts": ghosts, "matches": matches, "flood": flood, "puppets": puppets, "name": name}[sys.argv[3]]()
