"""load.py PART --stack NAME [--count N] [--window SECONDS] [--settle SECONDS] PROGRAMS: one figure of the load axis, as a JSON line.

Runs at the switch of a private LAN of two hosts (for Avahi with daemons). PART:
  traffic   packets and bytes at the switch while h2 keeps COUNT services of h1 resolved, both with the same stack, once it is steady
            (for Avahi by our tool over its daemon: avahi-browse resolves each once, and asks no more)
  resolve   seconds until a browser on h2 that knows nothing has resolved COUNT services of one publisher on h1 (bench-publish for all)
  killed    seconds until a browser on h2 tells that a publisher on h1 is gone that was killed without a goodbye
  memory    kilobytes that COUNT records in the cache of a browser on h2 take
"""

import argparse
import json
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Conformance"))

import dns  # noqa: E402
import subject as subjects  # noqa: E402
from dns import A, PTR, SRV, TXT, Record  # noqa: E402
from others import ALL  # noqa: E402
from subject import Avahi, OurEngine, Program  # noqa: E402
from wire import ETHERTYPES, OUTGOING, PORT, parsed  # noqa: E402

KIND = "_load._tcp"
TYPE = (*dns.dotted(KIND), b"local")


class Counter:
    """All mDNS packets that pass the switch."""

    def __init__(self):
        self.packets = self.bytes = 0
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self.socket.bind(("br0", 3))
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            data, address = self.socket.recvfrom(65536)
            family = ETHERTYPES.get(address[1])
            if address[2] != OUTGOING and family and (found := parsed(data, family)) and PORT in (found[1], found[3]):
                self.packets += 1
                self.bytes += len(data)


class Stack:
    """A subject of the suite, with its publisher on h1 and its browser on h2."""

    def __init__(self, name, programs):
        self.name, self.programs = name, pathlib.Path(programs).resolve()
        self.subject = ALL[name](programs)
        self.publishers = []

    def publish(self, count):
        """Publishes so many from one process where the stack can, and waits until all are published."""
        subjects.HOST = "h1"
        if self.name == "ours":
            self.run(str(self.programs / "bench-publish"), str(count), KIND, "builtin")
        elif self.name == "avahi":
            for number in range(1, count + 1):
                command = ["on", "h1", "avahi-publish", "-s", f"Service {number}", KIND, "4242", f"number={number}"]
                self.publishers.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        elif self.name.startswith("zeroconf"):
            self.run(*self.subject.command(), "many", str(count), KIND)
        else:
            raise SystemExit(f"{self.subject.title} has no publisher here")

    def publish_by_ours(self, count):
        subjects.HOST = "h1"
        self.run(str(self.programs / "bench-publish"), str(count), KIND, "builtin")

    def run(self, *command):
        process = subprocess.Popen(["on", "h1", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.publishers.append(process)
        process.stdout.readline()

    def kill(self):
        for process in self.publishers:
            process.kill()
            process.wait()

    def browse(self, keep=False):
        """Starts a browser on h2 that knows nothing, and maybe keeps resolved what it finds; gives it and the time when it began."""
        subjects.HOST = "h2"
        start = time.monotonic()
        if self.name == "avahi" and keep:
            command = [str(self.programs / "bonjourish"), "browse", "--resolve", "--json", "--backend", "avahi", KIND]
            return Program(OurEngine.translated, *command), start
        if self.name == "avahi":
            return Program(Avahi.translated, "avahi-browse", "-rp", KIND), start
        browser = self.subject.browse(KIND)
        return browser, start

    def forget(self):
        if self.name == "avahi":
            subprocess.run(["daemon", "h2", "restart"], check=True)
            time.sleep(2)

    def processes(self, browser):
        return [int(pathlib.Path("/run/lan/h2/avahi.pid").read_text())] if self.name == "avahi" else [browser.process.pid]


def names(browser, kind="found"):
    with browser.changed:
        return {name for _, event, name, details in browser.events if event == kind and (kind == "lost" or details.get("addresses"))}


def wait_for(browser, count, seconds, kind="found"):
    """When so many were told, or None."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if len(names(browser, kind)) >= count:
            return time.monotonic()
        time.sleep(0.005)
    return None


def traffic(stack, options):
    counter = Counter()
    stack.publish(options.count)
    browser, _ = stack.browse(keep=True)
    complete = wait_for(browser, options.count, 60) is not None
    time.sleep(options.settle)
    before = counter.packets, counter.bytes
    time.sleep(options.window)
    packets, size = counter.packets - before[0], counter.bytes - before[1]
    return {"packets": packets, "bytes": size, "window": options.window, "settle": options.settle, "complete": complete,
            "lost": len(names(browser, "lost"))}


def resolve(stack, options):
    stack.publish_by_ours(options.count)
    time.sleep(4)
    seconds, found = [], []
    for _ in range(options.runs):
        stack.forget()
        browser, start = stack.browse()
        when = wait_for(browser, options.count, 30)
        found.append(len(names(browser)))
        if when:
            seconds.append(when - start)
        browser.stop()
        time.sleep(1.5)
    return {"seconds": round(statistics.median(seconds), 3) if len(seconds) == options.runs else None, "found": min(found)}


def killed(stack, options):
    stack.publish_by_ours(1)
    browser, _ = stack.browse()
    if wait_for(browser, 1, 20) is None:
        return {"seconds": None}
    time.sleep(3)
    start = time.monotonic()
    stack.kill()
    when = wait_for(browser, 1, 150, "lost")
    return {"seconds": when and round(when - start, 1)}


def memory(stack, options):
    """Four records a service: pointer, SRV, TXT, and the address of a host of its own."""
    browser, _ = stack.browse()
    time.sleep(3)
    before = resident(stack.processes(browser))
    command = [sys.executable, "-B", __file__, "tell", "--stack", stack.name, "--count", str(options.count), str(stack.programs)]
    subprocess.run(["on", "h1", *command], check=True)
    time.sleep(6)
    found = len({name for _, kind, name, _ in browser.events if kind == "found"})
    return {"kilobytes": resident(stack.processes(browser)) - before, "before": before, "services": found}


def tell(stack, options):
    """On h1: tells so many records, 20 of them a packet."""
    from wire import Voice
    voice = Voice("10.77.0.1")
    for first in range(0, options.count // 4, 5):
        records = []
        for number in range(first, min(first + 5, options.count // 4)):
            name, host = (b"Service %d" % number, *TYPE), (b"host%d" % number, b"local")
            records += [
                Record(TYPE, PTR, name, 4500), Record(name, SRV, (0, 0, 80, host), 4500, True),
                Record(name, TXT, b"\x0bnumber=%04d" % number, 4500, True),
                Record(host, A, f"10.77.{number // 250}.{1 + number % 250}", 4500, True),
            ]
        voice.send(dns.response(*records))
        time.sleep(0.01)
    voice.close()
    return None


def resident(processes):
    status = (pathlib.Path(f"/proc/{process}/status").read_text() for process in processes)
    return sum(int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) for text in status)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["traffic", "resolve", "killed", "memory", "tell"])
    parser.add_argument("programs")
    parser.add_argument("--stack", choices=ALL, default="ours")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--window", type=int, default=288)
    parser.add_argument("--settle", type=int, default=200)
    options = parser.parse_args()
    stack = Stack(options.stack, options.programs)
    result = {"traffic": traffic, "resolve": resolve, "killed": killed, "memory": memory, "tell": tell}[options.part](stack, options)
    if result is not None:
        print(json.dumps({"part": options.part, "stack": options.stack, "count": options.count, **result}), flush=True)


main()
