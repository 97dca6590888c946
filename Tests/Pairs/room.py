"""The room of a run, and who is in it beside the program in question: Cleo, who is honest and must lose nothing; and passing guests."""

import fractions
import itertools

import expected
from clock import Limit
from lab import HONEST, ROOM, SUBJECT, URL, address

CODE, WRONG_CODE = "471123", "000000"


def solution(hand):
    """An expression of the four numbers that equals 24."""
    def solve(items):
        if len(items) == 1:
            return items[0][1] if items[0][0] == 24 else None
        for one, other in itertools.permutations(range(len(items)), 2):
            (a, left), (b, right) = items[one], items[other]
            rest = [item for i, item in enumerate(items) if i not in (one, other)]
            results = [(a + b, f"({left}+{right})"), (a - b, f"({left}-{right})"), (a * b, f"({left}*{right})")]
            if b:
                results.append((a / b, f"({left}/{right})"))
            for result in results:
                found = solve([result] + rest)
                if found:
                    return found
        return None

    return solve([(fractions.Fraction(number), str(number)) for number in hand])


def points(event, player):
    return next((line["points"] for line in event["standings"] if line["player"] == player), None)


class Room:
    def __init__(self, lab):
        self.lab, self.run = lab, lab.run
        self.is_subject = self.run["role"] in expected.HOSTS
        self.is_server = self.run["role"] == "server"
        self.name = "Ada" if self.is_server else "Ada's game"
        self.host = SUBJECT if self.is_subject else ROOM
        # Without a link nobody reaches h1 but itself.
        self.is_alone = self.is_subject and self.run["network"] == "no-link"
        self.state = lab.folder / "room.json"
        self.program = self.opened = self.cleo = self.dan = None
        self.earned, self.cleo_host = None, self.place(HONEST)

    def place(self, host):
        return SUBJECT if self.is_alone else host

    def directory(self, is_subject=False):
        wants = expected.uses_directory(self.run) or is_subject and self.run["directory"] != "none"
        return ["--directory", URL, "--region", "eu"] if wants else []

    def security(self, code=CODE):
        if self.run["security"] == "insecure":
            return ["--insecure"]
        return ["--passcode", code] if self.run["security"] in ("right", "wrong") else []

    # ---- The host

    def command(self):
        run, is_full = self.run, self.run["room"] == "full"
        words = ["twentyfour-host", "--json", "--name", "Ada", "--round-seconds", "600", "--pause-seconds", "1"]
        if self.is_server:
            words += ["--dedicated", "--rounds", "100", "--port", "0", "--rooms", "1", "--players", "2:2" if is_full else "2:16"]
        else:
            words += ["--max", "2" if is_full else "16"]
        if run["reconnect"] == "host":
            words += ["--state", self.state]
        words += self.security() + (["--approve"] if run["security"] == "approve" else [])
        words += ["--web"] if run["web"] == "phone" else []
        return words + ["--backend", run["backend"] if self.is_subject else "builtin"] + self.directory(self.is_subject)

    def start(self):
        self.program = self.lab.start("room", self.host, *self.command())
        # Whoever asks is admitted.
        self.program.replies["asked"] = lambda event: f"admit {event['number']}"
        return self.program

    def wait_open(self, seconds=20):
        self.opened = self.program.event("open", seconds)
        return self.opened

    # ---- Players

    def way(self):
        """How a player is told the room: by its address, or, where only a relay leads there, by its name."""
        if self.run["relay"] == "yes" and not self.is_alone:
            return [self.name]
        return ["--connect", f"{'127.0.0.1' if self.is_alone else address(self.host)}:{self.opened['port']}"]

    def player(self, name, host, *words, code=CODE):
        return self.lab.start(name.lower(), host, "twentyfour-join", "--json", "--name", name, "--backend", "builtin",
                              *(words or self.way()), *self.security(code), *self.directory())

    def fill(self):
        """Lets Cleo in and play a round: she gets points. A server needs a second player, Dan."""
        self.cleo = self.player("Cleo", self.cleo_host)
        if not self.cleo.event("open", 30):
            return "Cleo does not get into the room"
        if self.is_server:
            self.dan = self.player("Dan", self.place(ROOM))
            if not self.dan.event("open", 30):
                return "Dan does not get into the room"
        round_ = self.cleo.event("round", 30)
        other = self.dan or self.program
        if not round_ or not other.event("round", 30):
            return "no round begins"
        self.cleo.send(solution(round_["hand"]))
        other.send("give up")
        ended = self.cleo.event("roundEnded", 20)
        if not ended:
            return "the round does not end"
        self.earned = points(ended, "Cleo")
        if not self.earned:
            return "Cleo has solved the hand, and has no points"
        if not self.cleo.event("round", 20) or not other.event("round", 20):
            return "no second round begins"
        if self.dan:  # a seat is kept for who has sent an answer
            self.dan.send("1+1")
            if not self.dan.event("refused", 20):
                return "Dan's wrong answer is not refused"
        return None

    @staticmethod
    def plays_on(player, seconds):
        """Whether a player has a seat, or has it again in time: a wrong answer is refused as such."""
        limit = Limit(seconds)
        while not limit.is_over() and not player.has_ended():
            player.send("1+1")
            if player.event("refused", 1, reason="wrongDigits"):
                return True
        return False

    def standing(self, program):
        """The points that a program last told of Cleo."""
        told = program.events("standings", "roundEnded")
        return points(told[-1], "Cleo") if told else None

    # ---- Guests

    def wrong_guest(self):
        """A stranger with a wrong code is told so; returns what is wrong with that."""
        guest = self.player("Mallory", self.place(HONEST), code=WRONG_CODE)
        code = guest.ended(20)
        if code != expected.NOT_PERMITTED:
            return f"a stranger with a wrong passcode ends with {code}, not {expected.NOT_PERMITTED}"
        return None

    def late_guest(self):
        """Nobody more gets into a full room; returns what is wrong with that."""
        guest = self.player("Late", self.place(HONEST))
        code = guest.ended(20)
        if code != expected.UNAVAILABLE:
            return f"a stranger in front of a full room ends with {code}, not {expected.UNAVAILABLE}"
        if self.run["relay"] == "no" and not any(event["reason"] == "full" for event in guest.events("closed")):
            return "a stranger in front of a full room is not told that it is full"
        return None

    def phone(self):
        """A phone comes, or is refused where the room is full, and goes; returns what is wrong with that."""
        web = (self.program.events("web") or [self.opened])[-1].get("web")
        if not web:
            return "the room has a page for phones and does not say where"
        near = self.is_alone or self.run["relay"] == "yes" or self.run["network"] == "no-link"
        if self.is_alone:
            web = web.replace(address(SUBJECT), "127.0.0.1")
        phone = self.lab.python("phone", self.host if near else HONEST, "phone.py", web, "Pia")
        line = phone.wait(20, lambda _, __, ___, event: event and event["event"] in ("welcome", "closed", "gone"))
        event = line[3] if line else {"event": "nothing"}
        if self.run["room"] == "full":
            return None if event.get("code") == "full" else f"a phone in front of a full room is told {event}"
        if event["event"] != "welcome":
            return f"a phone is told {event}"
        phone.send("leave")
        if phone.ended(10) is None or not self.program.event("left", 10, player="Pia") and not self.is_server:
            return "a phone leaves, and the room does not notice"
        return None


