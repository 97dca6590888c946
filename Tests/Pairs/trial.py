"""The judge of a run: signals, exit codes, and what is left at the end."""

import time

import expected
from clock import Limit
from lab import Lab
from room import Room
from subject import OBEY, START


class Trial:
    def __init__(self, products, folder, run):
        self.run, self.role, self.faults = run, run["role"], []
        self.lab = Lab(products, folder, run)
        self.room = Room(self.lab)
        self.subject = None
        self.baseline = {}  # by name: a program that lives on, and how many descriptors it had

    def fault(self, assertion, text):
        self.faults.append({"assertion": assertion, "text": text})

    def expect(self, assertion, text, is_so):
        """Records a fault unless something is so."""
        if not is_so:
            self.fault(assertion, text)
        return is_so

    # ---- Signals and exit codes

    def stop(self, program, codes, when):
        """Sends the signal and waits for the end."""
        name = self.run["signal"]
        program.signal(name)
        limit = Limit(OBEY)
        code = program.ended(OBEY)
        if code is None:
            self.fault(3, f"{when}: still there after SIG{name} ({limit})")
            program.kill()
        else:
            self.check_code(program, codes, when)
        self.check_survivors(program)

    def check_code(self, program, codes, when):
        code = program.process.returncode
        self.expect(5, f"{when}: exit code {code}, not {' or '.join(map(str, sorted(codes)))}", code in codes)

    def check_survivors(self, program):
        left = program.survivors()
        self.expect(6, f"processes are left of it: {', '.join(left)}", not left)

    # ---- The end

    def finish(self):
        """Cleo still plays; the program obeys; the room ends."""
        room, program = self.room, self.subject.program
        if room.is_subject:
            self.check_cleo()
            self.check_descriptors()
            self.end_subject(program)
            self.end_players()
            return
        self.end_subject(program)
        self.check_cleo()
        self.check_descriptors()
        room.program.send("quit")
        if self.expect(4, "the room does not close", room.program.ended(10) is not None):
            self.check_healthy(room.program)
        if self.expect(4, "Cleo does not end with the room", room.cleo.ended(10) is not None):
            self.check_healthy(room.cleo)

    def check_healthy(self, program):
        code = program.process.returncode
        self.expect(4, f"{program.name} ends with {code}", code == 0)
        self.check_survivors(program)

    def end_subject(self, program):
        self.expect_founded()
        if program.has_ended():
            if expected.codes(self.run) == {0} and self.role != "once":
                self.fault(5, f"it ended by itself, with {program.process.returncode}")
        else:
            self.stop(program, {0}, "when it ran")
        if self.role in ("publish", *expected.HOSTS):
            self.expect(2, "it has ended, and others still see it", self.subject.is_unseen(START))
            if self.subject.is_listed() and self.run["reconnect"] != "host":
                self.expect(2, "it has ended, and is still in the directory", not self.subject.is_in_directory())

    def expect_founded(self):
        for text in self.subject.unfounded()[:3]:
            self.fault(2, f"it says, without a cause: {text}")

    def check_cleo(self):
        room, cleo = self.room, self.room.cleo
        if not room.earned:
            return
        if cleo.has_ended():
            self.fault(4, f"Cleo's program has ended, with {cleo.process.returncode}")
            return
        self.expect(4, "Cleo has no seat any more", room.plays_on(cleo, 20))
        self.expect(4, "the room says that Cleo has left", not any(e.get("player") == "Cleo" for e in room.program.events("left")))
        told = [room.standing(cleo)] + ([] if room.is_server else [room.standing(room.program)])
        self.expect(4, f"Cleo had {room.earned} points, and has {told}", all(points == room.earned for points in told))

    def check_descriptors(self):
        """Who lives on has no more open than before the program and the guests came."""
        for program, count in self.baseline.values():
            limit = Limit(START)
            while program.descriptors() > count and not limit.is_over() and not program.has_ended():
                time.sleep(0.05)
            if program.descriptors() > count:
                program.note("open: " + ", ".join(program.open_files()))
                self.fault(6, f"{program.name} has {program.descriptors()} descriptors, and had {count}")

    def end_players(self):
        room = self.room
        for player in filter(None, (room.cleo, room.dan)):
            if not player.has_ended():
                player.signal("TERM")
            if self.expect(4, f"{player.name} does not end", player.ended(10) is not None):
                self.check_healthy(player)

    def leave_no_trace(self):
        strays = self.lab.strays()
        self.expect(6, f"files are left: {', '.join(strays)}", not strays)
        is_closed = not self.room.is_subject
        if self.run["reconnect"] == "host" and is_closed:
            self.expect(6, "the room is closed, and its state is still there", not self.room.state.exists())
