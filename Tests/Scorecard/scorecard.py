#!/usr/bin/env python3
"""scorecard.py [--check] [--slice] [--axis AXIS ...] [--subject NAME ...] [PROGRAMS]: what each mDNS stack keeps, survives and costs.

Three axes: conformance (the cases of Tests/Conformance), hostility (one row for each public fault of an mDNS stack) and load. Each run
is on private LANs of its own; what is mostly waiting runs side by side. Writes SCORECARD.md and scorecard.json at the root.
--check writes nothing, and ends with 1 if our engine has lost a PASS of the committed scorecard.json.
--slice is our engine's conformance alone, for `make check`. --render writes the page anew from scorecard.json.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import platform
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "Conformance"))

import page  # noqa: E402
from others import ALL  # noqa: E402

LAN = str(HERE.parent / "lan")
PYTHON = ["/usr/bin/python3", "-B"]
JSON = ROOT / "scorecard.json"
AXES = ("conformance", "hostility", "load")
STACKS = ("ours", "avahi", "zeroconf", "zeroconf-pypi")  # those that publish and browse in one process, many services
BROWSERS = (*STACKS, "jmdns")
SIZES, SERVICES, RECORDS = (1, 10, 100), (1, 100, 500, 1500), (1000, 10_000)
# Three renewals of 96 s (80 % of 120 s), once the questions of the beginning are over.
SETTLE, WINDOW = 200, 288


LIVE, FOUND = set(), threading.Lock()


def end_all(*_):
    """Leaves no private network behind when this program is told to end."""
    for process in list(LIVE):
        process.terminate()
    os._exit(143)


class Job:
    """A command on a LAN of its own, which writes JSON lines; `take` is given each, and `saved` is called once it has ended."""

    saved = staticmethod(lambda: None)

    def __init__(self, title, take, *command, daemons=False, seconds=700):
        self.title, self.take, self.seconds = title, take, seconds
        self.command = [LAN, "-n", "2", *(["-d"] if daemons else []), "--", *command]

    def run(self):
        began = time.monotonic()
        process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        LIVE.add(process)
        try:
            said, errors = process.communicate(timeout=self.seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            said, errors = process.communicate()
            errors += f"\nstopped after {self.seconds} s"
        LIVE.discard(process)
        lines = [line for line in said.splitlines() if line.startswith("{")]
        with FOUND:
            for line in lines:
                self.take(json.loads(line))
            self.saved()
        verdict = f"{len(lines)} lines"
        if process.returncode not in (0, 1) or not lines:
            verdict += f", ended with {process.returncode}: {errors.strip()[-600:]}"
        print(f"{time.monotonic() - began:6.0f} s  {self.title}: {verdict}", file=sys.stderr, flush=True)


def together(jobs, width):
    with concurrent.futures.ThreadPoolExecutor(width) as pool:
        list(pool.map(Job.run, jobs))


WORST = {"FAIL": 0, "SKIP": 1, "PASS": 2}


class Card:
    def __init__(self, programs, engine=None):
        self.programs = str(pathlib.Path(programs).resolve())
        self.engine = engine or str(pathlib.Path(self.programs) / "bench-engine")
        self.found = {"subjects": {}, "conformance": {}, "hostility": {}, "load": {}}

    # ---- What each axis runs

    def conformance(self, name, parts, only=()):
        cases = self.found["conformance"].setdefault(name, {})

        def take(result):
            kept = {key: result[key] for key in ("verdict", "level", "sections", "reason", "warnings", "failures", "deviations", "again")}
            kept["failures"] = kept["failures"][:3]
            before = cases.get(result["case"])
            # The case of all packets is run in each part: the worst counts.
            if not before or only or WORST[kept["verdict"]] < WORST[before["verdict"]]:
                cases[result["case"]] = kept

        peer = [*PYTHON, str(HERE.parent / "Conformance" / "peer.py"), "--json", "--again", "--subject", name, *(f"--case={each}" for each in only)]
        for part in range(parts):
            yield Job(f"conformance of {name}, part {part + 1} of {parts}", take, "on", "h2", *peer, f"--part={part}/{parts}", self.programs)

    def hostility(self, name, parts):
        rows = self.found["hostility"].setdefault(name, {})
        command = ["on", "h2", *PYTHON, str(HERE / "hostile.py"), "--subject", name, self.programs]
        for part in range(parts):
            yield Job(f"hostility to {name}, part {part + 1} of {parts}", lambda result: rows.update({str(result["attack"]): result}),
                      *command, f"--part={part}/{parts}")

    def load_job(self, part, name, count, *options):
        figures = self.found["load"].setdefault(part, {}).setdefault(name, {})
        command = [*PYTHON, str(HERE / "load.py"), part, "--stack", name, "--count", str(count), *options, self.programs]

        def take(result):
            figures[str(count)] = {key: value for key, value in result.items() if key not in ("part", "stack", "count")}

        return Job(f"{part} of {name}, {count}", take, *command, daemons=name == "avahi")

    def message(self):
        """The time for python-zeroconf's kind of message, here and there. Needs no LAN."""
        said = {}
        for name in ("zeroconf", "zeroconf-pypi"):
            subject = ALL[name](self.programs)
            if not subject.missing():
                environment = {**os.environ, "PYTHONPATH": subject.folder}
                made = json.loads(subprocess.run([*PYTHON, str(HERE / "message.py")], check=True, capture_output=True, text=True,
                                                 env=environment).stdout)
                said[name] = made["zeroconf"]
        digits = subprocess.run([*PYTHON, "-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); import message; "
                                 "print(message.message().hex())"], check=True, capture_output=True, text=True).stdout.strip()
        try:
            lines = subprocess.run([self.engine, "--message", digits], check=True, capture_output=True, text=True, timeout=120).stdout
            figures = dict(line.split() for line in lines.splitlines())
            said["ours"] = {"parse": int(figures["parse_nanoseconds"]), "write": int(figures["write_nanoseconds"])}
        except (OSError, subprocess.SubprocessError, KeyError) as error:
            print(f"no time of our own: {error}", file=sys.stderr)
        self.found["load"]["message"] = said

    # ---- All

    def subjects(self, wanted):
        """Those that are here."""
        here = []
        for name, make in ALL.items():
            if wanted and name not in wanted:
                continue
            subject = make.__new__(make)
            if name == "ours":
                subject = make(self.programs)
            reason = subject.missing()
            self.found["subjects"][name] = {"title": subject.title, "missing": reason, "version": None if reason else subject.version(),
                                            "deviations": sorted(subject.deviations)}
            if reason:
                print(f"{subject.title}: missing: {reason}", file=sys.stderr)
            else:
                here.append(name)
        return here

    def run(self, axes, here):
        timed, waiting, heavy, hostile, one_by_one = [], [], [], [], []
        if "conformance" in axes:
            for name in reversed(here):  # the slowest begin first
                timed += self.conformance(name, 6)
        if "load" in axes:
            for name in here:
                if name in STACKS:
                    waiting += [self.load_job("traffic", name, size, f"--settle={SETTLE}", f"--window={WINDOW}") for size in SIZES]
                if name in BROWSERS:
                    waiting.append(self.load_job("killed", name, 1))
                    one_by_one += [self.load_job("resolve", name, size) for size in SERVICES]
                    heavy += [self.load_job("memory", name, size) for size in RECORDS]
        if "hostility" in axes:
            for name in here:
                hostile += self.hostility(name, 2)
        with concurrent.futures.ThreadPoolExecutor(len(waiting) or 1) as pool:
            waited = [pool.submit(job.run) for job in waiting]
            together(timed, 24)  # most of it is waiting
            together(heavy + hostile, 6)
            concurrent.futures.wait(waited)
        together(one_by_one, 2)
        if "load" in axes:
            self.message()


def head(programs, seconds):
    git = ["git", "-C", str(ROOT), "log", "-1", "--format=%cs %h"]
    processor = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")), "?")
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()), "sources": subprocess.run(git, capture_output=True, text=True).stdout.strip(),
        "machine": f"{os.cpu_count()} × {processor}, Linux {platform.release()}, {pretty_name()}", "seconds": round(seconds),
        "build": pathlib.Path(programs).resolve().name, "load": os.getloadavg()[2],
    }


def pretty_name():
    lines = pathlib.Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    return next(line.split("=", 1)[1].strip('"') for line in lines if line.startswith("PRETTY_NAME"))


def merge(into, found, depth=3):
    """What was run replaces what was there, row by row; the rest stays."""
    for key, value in found.items():
        if depth and isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value, depth - 1)
        else:
            into[key] = value


def lost(card, committed):
    """The rows of our engine that passed and do not pass any more, among what was run."""
    for axis in ("conformance", "hostility"):
        now, before = card.found[axis].get("ours"), committed[axis].get("ours", {})
        for key, row in before.items() if now is not None else ():
            if row["verdict"] == "PASS" and now.get(key, {"verdict": "not run"})["verdict"] != "PASS":
                yield axis, key


def check(card):
    """Ends with 1 if a PASS is lost, also when what was lost is tried again, alone."""
    committed = json.loads(JSON.read_text(encoding="utf-8"))
    for _ in range(2):
        again = [key for axis, key in lost(card, committed) if axis == "conformance"]
        if again:
            together(list(card.conformance("ours", 1, again)), 1)
    rows = list(lost(card, committed))
    for axis, key in rows:
        now = card.found[axis]["ours"].get(key, {"verdict": "not run"})
        print(f"lost: {axis}, {key}: {now['verdict']}  {'; '.join([*now.get('failures', ()), *now.get('wrong', ())])[:500]}")
    ran = sum(len(card.found[axis].get("ours", ())) for axis in ("conformance", "hostility"))
    print(f"scorecard: {ran} rows of our engine, {len(rows)} lost")
    return 1 if rows or not ran else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", default=".build/debug", help="the folder of our programs")
    parser.add_argument("--check", action="store_true", help="compare with scorecard.json, and write nothing")
    parser.add_argument("--slice", action="store_true", help="our engine's conformance alone, in less than three minutes")
    parser.add_argument("--axis", action="append", choices=AXES, help="only this axis (may be repeated)")
    parser.add_argument("--subject", action="append", choices=ALL, help="only this one (may be repeated)")
    parser.add_argument("--engine", help="another bench-engine than that of PROGRAMS")
    parser.add_argument("--render", action="store_true", help="write SCORECARD.md from scorecard.json, and run nothing")
    options = parser.parse_args()
    if options.render:
        (ROOT / "SCORECARD.md").write_text(page.rendered(json.loads(JSON.read_text(encoding="utf-8"))), encoding="utf-8")
        return 0
    able = subprocess.run([LAN, "-n", "2", "--check"], capture_output=True, text=True)
    if able.returncode:
        print(f"scorecard: {able.stderr.strip()}", file=sys.stderr)
        return 1 if os.environ.get("REQUIRE_LAN") else 0
    signal.signal(signal.SIGTERM, end_all)
    began = time.monotonic()
    card = Card(options.programs, options.engine)
    if not options.check:
        Job.saved = staticmethod(lambda: write(card, options, began))
    if options.slice:
        card.subjects(["ours"])
        together(list(card.conformance("ours", 4)), 4)
    else:
        card.run(options.axis or AXES, card.subjects(options.subject))
    if options.check:
        return check(card)
    write(card, options, began)
    return 0


def write(card, options, began):
    merged = json.loads(JSON.read_text(encoding="utf-8")) if JSON.exists() else {}
    merge(merged, card.found)
    merged["head"] = head(options.programs, time.monotonic() - began)
    JSON.write_text(json.dumps(merged, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    (ROOT / "SCORECARD.md").write_text(page.rendered(merged), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
