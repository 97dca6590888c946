"""A player: solves each hand after some thought, and keeps what the program was told."""

import heapq
import itertools

from clock import now
from room import points, solution

SOLUTIONS = {}


def solved(hand):
    key = tuple(sorted(hand))
    if key not in SOLUTIONS:
        SOLUTIONS[key] = solution(hand)
    return SOLUTIONS[key]


class Player:
    def __init__(self, name, program, chance):
        self.name, self.program, self.chance = name, program, chance
        self.read, self.due, self.order = 0, [], itertools.count()
        self.rooms = []  # in which there was a seat, one after the other
        self.ended = {}  # by room: the numbers of the rounds whose end was told
        self.sent = {}  # by room and round: when the first answer was sent that nothing was heard of
        self.waits, self.absences, self.away = [], [], None
        self.points, self.undone, self.again = 0, 0, 0

    @property
    def room(self):
        return self.rooms[-1] if self.rooms else None

    def step(self):
        """Reads what is new, and sends what is due."""
        with self.program.changed:
            fresh, self.read = self.program.lines[self.read :], len(self.program.lines)
        for at, _, __, event in fresh:
            if event:
                self.handle(event, at)
        while self.due and self.due[0][0] <= now():
            _, _, room, number, line = heapq.heappop(self.due)
            if room == self.room and number not in self.ended[room]:
                self.sent.setdefault((room, number), now())
                self.program.send(line)

    def handle(self, event, at):
        kind = event["event"]
        if kind == "open":
            self.heard(at)
            self.rooms.append(event["room"])
            self.ended.setdefault(event["room"], set())
            self.points = 0
            self.back(at)
        elif kind == "resumed":
            self.back(at)
        elif kind == "reconnecting" and self.away is None:
            self.away = at
        elif kind == "closed":
            self.heard(at)
            self.back(at)
        elif kind == "round":
            line = solved(event["hand"]) if self.chance.random() < 0.9 else "give up"
            heapq.heappush(self.due, (at + self.chance.uniform(0.5, 2.5), next(self.order), self.room, event["number"], line))
        elif kind == "answer" and event["player"] == self.name or kind == "refused" and event.get("reason") != "away":
            self.heard(at)
        elif kind == "roundEnded":
            self.again += event["number"] in self.ended[self.room]
            self.ended[self.room].add(event["number"])
            self.heard(at)
        if kind in ("standings", "roundEnded"):
            told = points(event, self.name)
            if told is not None:
                self.undone += max(0, self.points - told)
                self.points = told

    def back(self, at):
        if self.away is not None:
            self.absences.append(at - self.away)
            self.away = None

    def heard(self, at):
        """Something came about what was sent."""
        self.waits += [at - sent for sent in self.sent.values()]
        self.sent.clear()

    # ---- Afterwards

    def finish(self):
        """What is still waited for counts, too."""
        self.heard(now())
        self.back(now())

    def played(self):
        """By room: the number of rounds that have ended."""
        return {room: max(numbers, default=0) for room, numbers in self.ended.items()}
