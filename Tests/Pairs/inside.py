"""inside.py PRODUCTS FOLDER RUN: one run, inside its private LAN. Prints one JSON object: what is wrong, and how long it took.

The assertions, each with its number:
1. it starts, or says why not, within 6 s;
2. it tells the truth: of the network, the daemon and the directory, and of what is published and listed;
3. it obeys a signal within 2 s;
4. nothing of another player is lost;
5. its exit code is as documented;
6. no process, descriptor or file is left.
"""

import json
import pathlib
import sys
import time
import traceback

import expected
from clock import Limit, now
from lab import SUBJECT, LabError, control
from subject import RESTORE, START, Subject
from trial import Trial


class Story(Trial):
    def story(self):
        self.lab.prepare()
        self.subject = Subject(self.lab, self.room)
        if not self.room.is_subject:
            if not self.room.start() or not self.room.wait_open():
                raise LabError("the room of a healthy host does not open")
            self.people()
        self.lab.break_network()
        self.lab.break_daemon()  # what is broken for it, too, it must not have heard before
        if self.run["moment"] == "start":
            self.stop_at_start()
        if self.begin():
            self.happen()
        self.finish()
        self.leave_no_trace()

    def people(self):
        """Lets Cleo in, and remembers what is open then."""
        problem = self.room.fill()
        if problem:
            if not self.room.is_subject:
                raise LabError(problem)
            self.fault(4, problem)
            return
        self.baseline = {program.name: (program, program.descriptors()) for program in (self.room.program, self.room.cleo)}

    def stop_at_start(self):
        """Sends the signal as soon as the program handles it: before that, the kernel obeys."""
        program, name = self.subject.start(), self.run["signal"]
        limit = Limit(START)
        while not program.handles(name) and not program.has_ended():
            if limit.is_over():
                self.fault(3, f"it does not handle SIG{name} within {START} s")
                break
            time.sleep(0.002)
        self.stop(program, expected.codes(self.run) | {0}, "at the start")

    def begin(self):
        """Starts the program. Returns whether it runs, as it should."""
        run, subject = self.run, self.subject
        program = subject.start()
        start = Limit(START)
        if self.role == "once" and (run["network"] == "cable" or run["daemon"] == "restarted" or run["directory"] == "leaves"):
            return self.disturbed_once(program)
        if not subject.wait_beginning(START) and not program.has_ended():
            self.fault(1, f"nothing is written ({start})")
        for trouble in sorted(expected.troubles(run)):
            self.expect(2, f"it does not tell of {trouble} within {START} s", subject.tells(trouble, start.left()))
        codes = expected.codes(run)
        if self.role == "once":
            return self.once(program, codes)
        if 0 not in codes:
            if program.ended(20) is None:
                self.fault(1, f"it goes on, and should end with {' or '.join(map(str, sorted(codes)))}")
                return False
            self.check_code(program, codes, "by itself")
            self.check_refusal(program)
            return not self.room.is_subject
        if self.role in expected.PLAYERS:
            return self.join(program)
        if codes != {0}:  # a daemon that hangs: it may end, or wait for the daemon
            program.ended(2)
        if program.has_ended():
            self.check_code(program, codes - {0} or {"none: it should run on"}, "by itself")
            return False
        if self.room.is_subject:
            if not self.room.wait_open(RESTORE):
                self.fault(1, "the room does not open")
                return False
            self.people()
        self.check_sight(start)
        return not self.room.is_subject or bool(self.room.earned)

    def once(self, program, codes):
        if program.ended(12) is None:
            self.fault(1, "browse --once still runs after 12 s")
            program.kill()
            return True
        self.check_code(program, codes, "by itself")
        finds = expected.reaches_room(self.run)
        if program.process.returncode == 0:
            self.expect(2, f"listed: {self.subject.listed()}", (self.room.name in self.subject.listed()) == finds)
        answered = program.process.returncode in (0, expected.NOTHING)
        # Without a network this machine alone is asked, which is told.
        self.expect(2, f"exit code {program.process.returncode} and 'settled'",
                    answered or not program.events("settled") or program.events("limited"))
        self.expect(1, "it has failed and says nothing", answered or program.said())
        return True

    def disturbed_once(self, program):
        """What changes in a second is not foreseen: it ends in time, with a code that has a reason."""
        self.disturb()
        if program.ended(12) is None:
            self.fault(1, "browse --once still runs after 12 s")
            program.kill()
            return True
        self.check_code(program, {0, expected.NOTHING, expected.UNAVAILABLE}, "by itself")
        self.expect(1, "it has failed and says nothing", program.process.returncode != expected.UNAVAILABLE or program.said())
        return True

    def check_refusal(self, program):
        """A refused player is told why."""
        text = " ".join(program.said()).lower()
        self.expect(1, "it has failed and says nothing", text)
        if self.role in expected.PLAYERS and expected.reaches_room(self.run) and not expected.lacks_daemon(self.run):
            words = {expected.NOT_PERMITTED: ("passcode",), expected.UNAVAILABLE: ("full", "taken", "no room with a free place")}
            right = words.get(program.process.returncode, ())
            self.expect(2, f"it does not say why it is refused: {text}", any(word in text for word in right))

    def join(self, program):
        """The player gets in, and has a seat."""
        opened = program.event("open", RESTORE)
        if not opened:
            self.fault(1, f"it does not get into the room (exit code {program.process.poll()})")
            return True
        self.expect(2, f"it is in {opened.get('name')}", opened.get("name") == self.room.name)
        joined = self.room.is_server or self.room.program.event("joined", RESTORE, player="Bob")
        self.expect(2, "the room does not know of the player", joined)
        if program.event("round", RESTORE):
            program.send("1+1")
            self.expect(2, "a wrong answer is not refused", program.event("refused", RESTORE, reason="wrongDigits"))
        else:
            self.fault(2, "the player gets no round")
        return True

    def check_sight(self, start):
        """What the program says is what others see."""
        run, subject, program = self.run, self.subject, self.subject.program
        if self.role == "browse":
            if expected.reaches_room(run):
                self.expect(2, "it does not list the room", subject.lists_room(max(1, start.left())))
            elif not self.run["directory"] == "leaves":
                self.expect(2, f"it lists {subject.listed()}, and reaches nobody", not subject.listed())
            return
        if subject.is_visible():
            self.expect(2, f"nobody sees it ({start})", subject.is_seen(0, max(1, start.left())))
            if self.role == "publish":
                self.expect(2, "it is seen, and does not say 'published'", program.event("published", START))
        else:
            self.expect(2, "others see it, and cannot", not subject.last_seen())
            if self.role == "publish" and run["network"] == "firewall" and not expected.uses_directory(run):
                self.expect(2, "it says 'published', and nobody can see it", not program.events("published"))
        if subject.is_listed():
            self.expect(2, "it is not in the directory", subject.is_in_directory())

    # ---- What happens while it runs

    def happen(self):
        run, room = self.run, self.room
        if run["web"] == "phone":
            self.guest(room.phone())
        if run["security"] == "wrong":
            self.guest(room.wrong_guest())
        if run["room"] == "full" and run["security"] != "wrong":
            self.guest(room.late_guest())
        if self.role != "once":
            self.disturb()
        if run["reconnect"] == "host":
            self.restart_host()
        elif run["reconnect"] == "player":
            self.break_player()

    def guest(self, problem):
        if problem:
            self.fault(2, problem)

    def runs(self):
        return not self.subject.program.has_ended()

    def disturb(self):
        """What was good at the start fails and comes back."""
        run, subject = self.run, self.subject
        watches = self.runs() and self.role not in ("once", *expected.PLAYERS)
        since = now()
        if run["daemon"] == "restarted":
            control("daemon", SUBJECT, "restart")
        if run["network"] == "cable":
            control("link", SUBJECT, "down")
            if watches and not expected.lacks_daemon(run):
                self.expect(2, f"the cable is out, and it does not say so within {START} s", subject.tells("no-link", START, since))
            else:
                time.sleep(1)
            control("link", SUBJECT, "up")
        if run["directory"] == "leaves":
            self.lab.end_directory()
            if self.runs() and self.role != "once" and not expected.lacks_daemon(run):
                self.expect(2, "the directory is gone, and it does not say so",
                            subject.tells("directory", RESTORE, since) or self.run["network"] == "no-link")
            self.lab.start_directory()
        if now() - since > 0.1 and watches:
            self.restored(now())

    def restored(self, since):
        subject = self.subject
        if self.role == "browse" and expected.reaches_room(self.run):
            self.expect(2, f"all is well again, and it lists no room within {RESTORE} s", subject.lists_room(RESTORE))
        elif subject.is_visible():
            self.expect(2, f"all is well again, and nobody sees it within {RESTORE} s", subject.is_seen(since, RESTORE))

    def restart_host(self):
        """The host goes, by the signal or killed, and goes on with its state."""
        room = self.room
        time.sleep(1.5)  # what has happened is on the disk a second later
        if room.is_subject:
            self.stop(room.program, {0}, "before it goes on with its state")
        else:
            room.program.signal("KILL")
            room.program.ended(10)
        self.subject.start() if room.is_subject else room.start()
        if not room.wait_open(RESTORE):
            self.fault(4, "the host does not open its room again")
            return
        if room.is_subject:
            self.baseline = {}
        players = [room.cleo] + ([room.dan] if room.dan else [])
        if self.role in expected.PLAYERS and self.runs():
            players.append(self.subject.program)
        for player in players:
            self.expect(4, f"{player.name} does not come back after the host", player.event("resumed", 40))

    def break_player(self):
        """A player's connections break, and the cable is out for a while."""
        room = self.room
        is_subject = self.role in expected.PLAYERS and self.runs()
        player = self.subject.program if is_subject else room.cleo
        self.lab.cut_connections(player.host, pull=not room.is_alone)
        # A relayed connection may outlive those to the directory.
        if self.run["relay"] == "no" or room.is_alone:
            self.expect(4, f"{player.name} does not come back after the cable", player.event("resumed", 40))
        self.expect(4, f"{player.name} does not play on after the cable", room.plays_on(player, 40))


def main(products, folder, text):
    start, trial, lab_error = now(), Story(products, folder, json.loads(text)), None
    try:
        trial.story()
    except Exception as error:  # whatever it is, it is told with the run
        lab_error = str(error) if isinstance(error, LabError) else traceback.format_exc()
    finally:
        trial.lab.end()
    print(json.dumps({"faults": trial.faults, "error": lab_error, "seconds": round(now() - start, 1)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3])
