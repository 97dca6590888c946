"""What is examined: our built-in engine, or avahi-daemon (others: `others.py`). It lives on HOST and is driven through its programs."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import time
from xml.sax.saxutils import escape

import dns

PATH = os.environ["PATH"] + ":/usr/local/sbin:/usr/sbin:/sbin"
HOST, ADDRESSES = "h1", {4: "10.77.0.1", 6: "fe80::1"}
STATIC_SERVICES = pathlib.Path("/etc/avahi/services")  # a folder of the LAN's own


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Program:
    """A program on the host and the events that it has told: ("found" | "lost" | "published" | "renamed", name, details)."""

    def __init__(self, translate, *command):
        self.events, self.changed, self.translate = [], threading.Condition(), translate
        self.process = subprocess.Popen(
            ["on", HOST, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            if event := self.translate(line.rstrip("\n")):
                with self.changed:
                    self.events.append((time.monotonic(), *event))
                    self.changed.notify_all()

    def wait(self, is_awaited, seconds):
        """The first event that is awaited, (time, kind, name, details), or None."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while True:
                for event in self.events:
                    if is_awaited(*event[1:]):
                        return event
                if (left := deadline - time.monotonic()) <= 0:
                    return None
                self.changed.wait(left)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Cannot(Exception):
    """The subject has no such feature."""


class Subject:
    """`deviations` names what is known to differ from the RFC on purpose: the cases check exactly that instead."""

    title = ""
    deviations = frozenset()
    tells_updates = True  # a browser tells what has changed of a service that it has told
    is_daemon = False  # caches while nobody browses

    def __init__(self):
        self.host_name = ()
        self.browsers = []

    def version(self):
        """The version of what is examined."""
        raise NotImplementedError

    def missing(self):
        """Why it cannot be examined here, None if it can."""
        return None

    def processes(self):
        """The numbers of its processes."""
        return [browser.process.pid for browser in self.browsers]

    def start(self):
        """Starts what runs also while nothing is published or browsed for, if there is such a thing."""

    def started(self):
        """Waits until what was started is ready."""

    def set_host_name(self, label):
        """The name that the host has when the subject is started next."""
        run("on", HOST, "hostname", label)
        self.host_name = (label.encode(), b"local")

    def stop_browsing(self):
        for browser in self.browsers:
            browser.stop()
        self.browsers = []


class OurEngine(Subject):
    title = "our engine"
    deviations = frozenset({"QM probes", "random names"})

    def __init__(self, programs):
        super().__init__()
        self.program = str(pathlib.Path(programs).resolve() / "bonjourish")
        self.publishers = []

    @staticmethod
    def translated(line):
        event = json.loads(line)
        details = {key: event[key] for key in ("host", "port", "addresses") if key in event}
        kind = {"updated": "found"}.get(event["event"], event["event"])
        return kind, event.get("name"), details

    def version(self):
        return run(self.program, "--version").split()[-1]

    def missing(self):
        return None if pathlib.Path(self.program).exists() else f"{self.program} is not built"

    def processes(self):
        return [publisher.process.pid for publisher in self.publishers] + super().processes()

    def publish(self, name, kind, port, *texts, subtypes=()):
        options = [part for subtype in subtypes for part in ("--subtype", subtype)]
        arguments = ["publish", "--json", "--backend", "builtin", *options, "--", name, kind, str(port), *texts]
        self.publishers.append(Program(self.translated, self.program, *arguments))

    def withdraw(self):
        """Ends what was published as a user would."""
        for publisher in self.publishers:
            publisher.stop()
        self.publishers = []

    def browse(self, kind):
        browser = Program(self.translated, self.program, "browse", "--resolve", "--json", "--backend", "builtin", kind)
        self.browsers.append(browser)
        return browser

    def stop(self):
        self.stop_browsing()
        self.withdraw()

    def close(self):
        self.stop()


class Avahi(Subject):
    title = "avahi-daemon"
    tells_updates = False  # avahi-browse resolves a service once
    is_daemon = True

    def __init__(self, programs=None):
        super().__init__()
        self.starting = None
        self.count = 0

    @staticmethod
    def translated(line):
        fields = line.split(";")
        if fields[0] not in "+=-" or len(fields) < 6:
            return None
        name = re.sub(rb"\\(\d{3})", lambda found: bytes([int(found[1])]), fields[3].encode())
        name = re.sub(rb"\\(.)", rb"\1", name).decode("utf-8", "replace")
        if fields[0] != "=":
            return ("lost" if fields[0] == "-" else "found"), name, {}
        return "found", name, {"host": fields[6], "port": int(fields[8]), "addresses": [fields[7]]}

    def version(self):
        return run("avahi-daemon", "--version").split()[-1]

    def missing(self):
        return None if shutil.which("avahi-daemon", path=PATH) else "Debian's package avahi-daemon is not installed"

    def processes(self):
        file = pathlib.Path(f"/run/lan/{HOST}/avahi.pid")
        return [int(file.read_text())] if file.exists() else []

    def started(self):
        self.starting.wait()

    def start(self):
        if self.starting is None:
            # It says that it has started once it has a host name, which may take long: not waited for.
            self.starting = subprocess.Popen(["daemon", HOST, "start"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def publish(self, name, kind, port, *texts, subtypes=()):
        self.count += 1
        lines = [f"<subtype>{subtype}._sub.{kind}</subtype>" for subtype in subtypes]
        lines += [f"<port>{port}</port>", *(f"<txt-record>{escape(text)}</txt-record>" for text in texts)]
        service = f"<service><type>{kind}</type>{''.join(lines)}</service>"
        text = f'<?xml version="1.0"?><service-group><name>{escape(name)}</name>{service}</service-group>'
        hidden = STATIC_SERVICES / f".{self.count}"
        hidden.write_text(text, encoding="utf-8")
        hidden.rename(STATIC_SERVICES / f"{self.count}.service")
        self.start()

    def withdraw(self):
        for file in STATIC_SERVICES.glob("*.service"):
            file.unlink()
        time.sleep(0.5)  # the daemon watches the folder

    def browse(self, kind):
        self.start()
        self.started()
        browser = Program(self.translated, "avahi-browse", "-rp", kind)
        self.browsers.append(browser)
        return browser

    def stop(self):
        self.stop_browsing()
        if self.starting is not None:
            for file in STATIC_SERVICES.glob("*.service"):
                file.unlink()
            while self.starting.poll() is None:
                run("daemon", HOST, "stop")
                time.sleep(0.05)
            run("daemon", HOST, "stop")
            self.starting = None

    def close(self):
        self.stop()


def resolved(name, port=None):
    """Awaits the instance with host and addresses, and with the port if one is given."""

    def is_awaited(kind, found, details):
        return kind == "found" and found == name and details.get("addresses") and port in (None, details["port"])

    return is_awaited


def lost(name):
    return lambda kind, found, details: kind == "lost" and found == name


def instance(name, kind):
    return (name.encode(), *dns.dotted(kind), b"local")
