"""discovery.py PROGRAMS [--runs N] [--json]: how fast services are found, beside Avahi's tools and python3-zeroconf.

Runs on a private LAN of two hosts with an avahi-daemon each: `make bench-discovery`. What is compared takes turns, and medians are
told. A time begins when a program is started, for Python when it has started.
"""

import argparse
import json
import pathlib
import queue
import re
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
PEER = ["/usr/bin/python3", str(HERE / "zeroconf_peer.py")]
TYPE = "_bench._tcp"


class Program:
    """A program on a host, whose lines are taken with the time at which they came."""

    def __init__(self, host, *command):
        self.lines = queue.SimpleQueue()
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            ["on", host, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        threading.Thread(target=self.read, daemon=True).start()
        if command[: len(PEER)] == tuple(PEER):
            self.started = self.wait(lambda line: line == "start")

    def read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line.rstrip("\n")))

    def wait(self, is_awaited, seconds=60):
        """The time of the first line that is awaited."""
        deadline = time.monotonic() + seconds
        while True:
            when, line = self.lines.get(timeout=max(0.001, deadline - time.monotonic()))
            if is_awaited(line):
                return when

    def wait_for_names(self, count, pattern, seconds=60):
        """When so many different names have been seen, or how many were when time was up."""
        names, deadline = set(), time.monotonic() + seconds
        while len(names) < count:
            try:
                when, line = self.lines.get(timeout=max(0.001, deadline - time.monotonic()))
            except queue.Empty:
                break
            if found := re.search(pattern, line):
                names.add(found.group(1))
                last = when
        return (last if names else None), len(names)

    def resident_kilobytes(self):
        """The most memory that the program has had."""
        inner = self.process.pid
        while True:
            children = pathlib.Path(f"/proc/{inner}/task/{inner}/children")
            below = children.read_text(encoding="ascii").split()
            if not below:
                break
            inner = int(below[0])
        status = pathlib.Path(f"/proc/{inner}/status").read_text(encoding="ascii")
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1))

    def end(self):
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait()


class Bench:
    def __init__(self, options):
        self.runs = options.runs
        self.programs = pathlib.Path(options.programs)
        self.figures = {}

    def ours(self, *arguments):
        return [str(self.programs / "bonjourish"), *arguments]

    # How each tells that a service is resolved, and that it is gone.
    RESOLVED = {"ours": r'"event":"found".*"host":', "avahi": r"^=;", "zeroconf": r"^= "}
    NAME = {
        "ours": r'"event":"found"(?=.*"host":).*"name":"([^"]*)"',
        "avahi": r"^=;[^;]*;[^;]*;([^;]*);",
        "zeroconf": r"^= (.*)",
    }
    LOST = {"ours": r'"event":"lost".*"name":"([^"]*)"', "avahi": r"^-;[^;]*;[^;]*;([^;]*);"}

    def browse(self, how, kind=TYPE):
        if how == "avahi tools":
            return Program("h2", "avahi-browse", "-rp", kind)
        if how == "zeroconf":
            return Program("h2", *PEER, "browse", kind)
        return Program("h2", *self.ours("browse", kind, "--resolve", "--json", "--backend", how))

    def publish(self, how, name):
        if how == "avahi tools":
            return Program("h1", "avahi-publish", "-s", name, "_one._tcp", "4242")
        if how == "zeroconf":
            return Program("h1", *PEER, "publish", name, "_one._tcp")
        return Program("h1", *self.ours("publish", name, "_one._tcp", "4242", "--backend", how))

    def note(self, group, figure, value):
        self.figures.setdefault(group, {}).setdefault(figure, []).append(round(value, 1))

    def publishing(self):
        """Publish, until another host has resolved it."""
        for run in range(self.runs):
            for how in ("builtin", "avahi", "avahi tools", "zeroconf"):
                name = f"run {run} of {how}".replace(" ", "-")
                browser = self.browse(how, "_one._tcp")
                time.sleep(1.5)
                publisher = self.publish(how, name)
                resolved = browser.wait(lambda line: name in line and re.search(self.RESOLVED[self.kind(how)], line))
                self.note("publish until resolved, ms", how, 1000 * (resolved - publisher.started))
                publisher.end()
                browser.end()
                time.sleep(0.3)

    def many(self):
        """Browse until all of 500 are resolved, by one who knows nothing yet."""
        publisher = Program("h1", str(self.programs / "bench-publish"), "500", TYPE, "builtin")
        self.note("500 services", "until established, ms", 1000 * (publisher.wait(lambda line: True) - publisher.started))
        time.sleep(5)
        for _ in range(self.runs):
            for how in ("builtin", "avahi tools", "zeroconf"):
                subprocess.run(["daemon", "h2", "restart"], check=True)
                time.sleep(2)
                browser = self.browse(how)
                when, count = browser.wait_for_names(500, self.NAME[self.kind(how)])
                if count == 500:
                    self.note("browse until 500 are resolved, ms", how, 1000 * (when - browser.started))
                else:
                    self.note("browse until 500 are resolved: resolved at all", how, count)
                browser.end()
        self.goodbyes(publisher)

    def goodbyes(self, publisher):
        """All goodbyes of a burst."""
        browsers = {how: self.browse(how) for how in ("builtin", "avahi tools")}
        for how, browser in browsers.items():
            browser.wait_for_names(500, self.NAME[self.kind(how)])
        time.sleep(1)
        begin = time.monotonic()
        publisher.process.stdin.close()
        for how, browser in browsers.items():
            when, count = browser.wait_for_names(500, self.LOST[self.kind(how)], 10)
            self.note("500 goodbyes at once", f"{how}: seen", count)
            if when:
                self.note("500 goodbyes at once", f"{how}: until the last, ms", 1000 * (when - begin))
            browser.end()
        publisher.process.wait()

    def very_many(self):
        """2,000 services of one process."""
        publisher = Program("h1", str(self.programs / "bench-publish"), "2000", TYPE, "builtin")
        group = "2,000 services of one process"
        self.note(group, "until established, ms", 1000 * (publisher.wait(lambda line: True) - publisher.started))
        time.sleep(5)
        for _ in range(min(3, self.runs)):
            browser = self.browse("builtin")
            when, count = browser.wait_for_names(2000, self.NAME["ours"])
            self.note(group, "resolved", count)
            self.note(group, "browse until then, ms", 1000 * (when - browser.started))
            self.note(group, "memory of the browser, KB", browser.resident_kilobytes())
            browser.end()
            time.sleep(1.5)
        self.note(group, "memory of the publisher, KB", publisher.resident_kilobytes())
        publisher.end()

    def engine(self):
        for _ in range(min(3, self.runs)):
            said = subprocess.run([self.programs / "bench-engine"], check=True, capture_output=True, text=True).stdout
            for line in said.splitlines():
                figure, value = line.split()
                self.note("engine", figure.replace("_", " "), float(value))

    @staticmethod
    def kind(how):
        return {"avahi tools": "avahi", "zeroconf": "zeroconf"}.get(how, "ours")

    def medians(self):
        return {group: {name: statistics.median(values) for name, values in figures.items()} for group, figures in self.figures.items()}


def marks(medians):
    """What is to be reached: a name, what it is, what it shall be, and whether it is."""
    publish = medians["publish until resolved, ms"]
    browse = medians.get("browse until 500 are resolved, ms", {})
    many, goodbyes = medians["2,000 services of one process"], medians["500 goodbyes at once"]
    ratios = [
        ("publish until resolved, built-in to avahi-publish and avahi-browse", publish["builtin"] / publish["avahi tools"], 1.05),
        ("publish until resolved, over Avahi to avahi-publish and avahi-browse", publish["avahi"] / publish["avahi tools"], 1.05),
        ("500 resolved, built-in to avahi-browse", browse["builtin"] / browse["avahi tools"], 0.5) if len(browse) > 1 else None,
    ]
    for ratio in filter(None, ratios):
        yield {"mark": ratio[0], "is": round(ratio[1], 2), "at most": ratio[2], "met": ratio[1] <= ratio[2]}
    yield {"mark": "2,000 services resolved", "is": many["resolved"], "at least": 2000, "met": many["resolved"] == 2000}
    seen = goodbyes["builtin: seen"]
    slowest = medians["engine"]["slowest datagram microseconds"]
    yield {"mark": "slowest hostile datagram of 9,000 bytes, µs of a processor", "is": round(slowest), "at most": 500, "met": slowest <= 500}
    yield {"mark": "500 goodbyes seen", "is": seen, "at least": 500, "met": seen == 500}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", choices=["publishing", "many", "very_many", "engine"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    bench = Bench(options)
    for part in (bench.engine, bench.publishing, bench.many, bench.very_many):
        if options.only in (None, part.__name__):
            part()
    medians = bench.medians()
    judged = list(marks(medians)) if options.only is None else []
    if options.json:
        print(json.dumps({"medians": medians, "runs": bench.figures, "marks": judged}))
        return
    for group, figures in medians.items():
        print(group)
        for name, value in figures.items():
            spread = bench.figures[group][name]
            print(f"  {name:<32}{value:>10,.0f}" + (f"   ({min(spread):,.0f} to {max(spread):,.0f})" if len(spread) > 1 else ""))
    for mark in judged:
        bound = f"at most {mark['at most']}" if "at most" in mark else f"at least {mark['at least']}"
        print(f"{'met   ' if mark['met'] else 'MISSED'} {mark['mark']}: {mark['is']} ({bound})")


main()
