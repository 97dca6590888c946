"""A program on a host of the private LAN: its lines with their times, its end, what it holds open."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time

from clock import Limit, now


class Program:
    def __init__(self, name, host, command, folder, environment=None):
        self.name, self.host, self.started = name, host, now()
        self.log = open(folder / f"{name}.log", "a", encoding="utf-8")
        self.replies = {}  # what is sent at once when an event comes
        self.lines, self.taken = [], set()  # lines: (time, "out" or "err", text, JSON or None)
        self.changed = threading.Condition()
        self.note(f"$ on {host} {' '.join(map(str, command))}")
        self.process = subprocess.Popen(
            ["on", host, *map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | (environment or {}), start_new_session=True)
        self.pid = self.process.pid
        self.readers = [threading.Thread(target=self.read, args=item, daemon=True)
                        for item in (("out", self.process.stdout), ("err", self.process.stderr))]
        for reader in self.readers:
            reader.start()

    def note(self, text):
        with contextlib.suppress(ValueError):  # a late line of a log that is closed
            print(f"{now() - self.started:7.2f} {text}", file=self.log, flush=True)

    def read(self, source, pipe):
        for raw in pipe:
            text, event = raw.decode("utf-8", "replace").rstrip("\n"), None
            if source == "out":
                with contextlib.suppress(ValueError):
                    event = json.loads(text)
            with self.changed:
                self.lines.append((now(), source, text, event if isinstance(event, dict) else None))
                self.note(f"{source}: {text}")
                self.changed.notify_all()
            reply = event and self.replies.get(event.get("event"))
            if reply:
                self.send(reply(event))

    def send(self, line):
        self.note(f"in: {line}")
        with contextlib.suppress(OSError):
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()

    def events(self, *names):
        with self.changed:
            return [event for _, _, _, event in self.lines if event and event.get("event") in names]

    def said(self):
        """All that people or programs are told in sentences: standard error, and the reasons in JSON."""
        with self.changed:
            return [text for _, source, text, event in self.lines
                    if source == "err" or event and (event.get("event") in ("interrupted", "limited", "closed")
                                                     or event.get("state") == "unavailable")]

    def wait(self, seconds, accept):
        """The first line that is accepted and was not taken before; None if the limit or the program ends first."""
        limit = Limit(seconds)
        while True:
            ended = self.has_ended() and not any(reader.is_alive() for reader in self.readers)
            with self.changed:
                for number, line in enumerate(self.lines):
                    if number not in self.taken and accept(*line):
                        self.taken.add(number)
                        return line
                if ended or limit.is_over():
                    return None
                self.changed.wait(0.1)

    def event(self, name, seconds=20, **fields):
        line = self.wait(seconds, lambda _, __, ___, event: event and event.get("event") == name and all(
            event.get(key) == value for key, value in fields.items()))
        return line and line[3]

    def has_ended(self):
        return self.process.poll() is not None

    def ended(self, seconds):
        """Waits for the end. Returns the exit code, negative for a signal; None if it does not end."""
        limit = Limit(seconds)
        while not self.has_ended():
            if limit.is_over():
                return None
            time.sleep(0.01)
        for reader in self.readers:
            reader.join(1)
        self.note(f"exit code {self.process.returncode}")
        return self.process.returncode

    def signal(self, name):
        self.note(f"SIG{name}")
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, getattr(signal, f"SIG{name}"))

    def handles(self, name):
        """Whether the program has taken care of a signal: caught, and no longer the kernel's to end it by."""
        with contextlib.suppress(OSError), open(f"/proc/{self.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("SigCgt:"):
                    return bool(int(line.split()[1], 16) >> (getattr(signal, f"SIG{name}") - 1) & 1)
        return False

    def descriptors(self):
        with contextlib.suppress(OSError):
            return len(os.listdir(f"/proc/{self.pid}/fd"))
        return 0

    def open_files(self):
        """What is open, for people."""
        links = []
        with contextlib.suppress(OSError):
            for number in os.listdir(f"/proc/{self.pid}/fd"):
                with contextlib.suppress(OSError):
                    links.append(f"{number}: {os.readlink(f'/proc/{self.pid}/fd/{number}')}")
        return sorted(links)

    def survivors(self):
        """What is left of its session after its end."""
        left = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{number}/stat", encoding="utf-8") as file:
                name, _, rest = file.read().rpartition(") ")
                fields = rest.split()
                if int(fields[3]) == self.pid and fields[0] != "Z":
                    left.append(name + ")")
        return left

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()
