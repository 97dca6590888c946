#!/usr/bin/env python3
"""Draws mutants blind, builds all of them at once, and sees which of them the tests notice.

    Tests/Mutants/mutants.py --seed 7 8 9 --count 100

A mutant is one small change: a comparison, a constant, a dropped statement, swapped arguments, a negated condition, an early
return, a dropped argument. It stands in a random line of Sources or Examples, of any module that unit tests use. All mutants are in
one build, in a copy of the package in .build-mutants; an environment variable chooses one at run time. One that does not compile is
replaced by the next.

At first the unit tests run without a mutant: they must pass, and tell which mutants each of them reaches. Then each mutant is tried
with the tests that reach it, those of its module first, until one fails or hangs. With --lan, what they all let pass is tried with
those suites of whole programs on a private network that reach it, first those that reach few others. A run that was interrupted goes
on where it was, as long as no source and no test has changed. The table of all results is .build-mutants/report.md.

Ends with 0, with 1 if something does not build or fails without a mutant, with 2 below the mark.
"""

import argparse
import concurrent.futures
import fcntl
import json
import os
import re
import signal
import sys
import threading

from copying import MOST, WORK, Copy
from drawing import Drawing
from package import Package
from report import report
from running import Tests, build, stopped

# Whole programs on a private network: only for what all other tests let pass. What hangs must hang alone.
NETWORK, ALONE = "LANTests", "HangingOnALAN"
NOTICED, SURVIVED, UNREACHED = "noticed", "SURVIVED", "NOT REACHED"
# Seconds that the tests of a module, or a suite, may take without a mutant.
TEST_LIMIT = 600


def tell(text):
    print(text, flush=True)


class Session:
    """What is known of these sources and tests: what does not compile, and results."""

    def __init__(self, digest, again):
        self.path = WORK / "known.json"
        known = json.loads(self.path.read_text()) if self.path.is_file() and not again else {}
        self.known = known if known.get("digest") == digest else {"digest": digest}
        self.uncompiled, self.results = self.known.setdefault("uncompiled", []), self.known.setdefault("results", {})
        self.reached = self.known.setdefault("reached", {})

        self.lock = threading.Lock()

    def save(self, kind=None, name=None, value=None):
        """Writes what is known, after it was set."""
        with self.lock:
            if kind is not None:
                kind[name] = value
            self.path.write_text(json.dumps(self.known, indent=1))

    @staticmethod
    def name(mutant):
        return f"{mutant.file}:{mutant.start}-{mutant.end} {mutant.kind} {mutant.edits[0].changed}"


def draw(drawing, session, count, rejected, spare=0):
    """The mutants of which is not known that they do not compile: at least `count` of each seed, and of those that are drawn, so many
    more."""
    for mutant in drawing.drawn:
        if session.name(mutant) in session.uncompiled:
            rejected.add(mutant.number)
    chosen = [mutant for mutant in drawing.drawn if mutant.number not in rejected]
    while (any(len(of(seed, chosen)) < count or len(of(seed, drawing.drawn)) < count + spare for seed in drawing.randoms)
           and (mutant := drawing.next())):
        if mutant.number >= MOST:
            sys.exit(f"mutants: no more than {MOST - 1} can be drawn")
        if session.name(mutant) in session.uncompiled:
            rejected.add(mutant.number)
        else:
            chosen.append(mutant)
    return chosen


def of(seed, mutants):
    return [mutant for mutant in mutants if mutant.seed == seed]


def build_all(copy, drawing, session, count):
    """Builds until all mutants compile, and returns them."""
    rejected = set()
    while True:
        # A few more than needed: one that does not compile need not be replaced then, which could build nearly everything anew.
        mutants = draw(drawing, session, count, rejected, max(count // 8, 1))
        copy.refresh(mutants)
        tell(f"building {len(mutants)} mutants")
        fine, errors, output = build()
        if fine:
            return [mutant for seed in drawing.randoms for mutant in of(seed, mutants)[:count]]
        bad = {mutant.number: mutant for error in errors for mutant in copy.at(error, mutants)}
        if not bad:
            tell(output[-6000:])
            sys.exit("mutants: the copy does not build, and no mutant seems to be the cause")
        for mutant in bad.values():
            tell(f"  does not compile: {mutant.file}:{mutant.line} ({mutant.kind})")
            session.uncompiled.append(session.name(mutant))
        for line in sorted(set(re.findall(r"error: (.*)", output)))[:20]:
            tell(f"    {line}")
        session.save()


def run_without(tests, session, names, mutants, jobs):
    """Runs these tests without a mutant: seconds and what they reach, by test. Those that fail are not in it."""
    key = str(sorted(session.name(mutant) for mutant in mutants))
    if session.reached.get("key") != key:
        session.reached.clear()
        session.reached.update({"key": key, "tests": {}})
    known, numbers = session.reached["tests"], {mutant.number for mutant in mutants}

    def measure(name):
        for attempt in (1, 2):
            run = tests.run(tests.filter(name), TEST_LIMIT)
            if not run.failure:
                tell(f"  {name}: {run.seconds:.0f} s, reaches {len(run.reached & numbers)} of {len(mutants)}")
                return session.save(known, name, {"seconds": run.seconds, "reached": sorted(run.reached)})
            tell(f"  {name} without a mutant: {run.failure}" + ("; once more" if attempt == 1 else "\n" + run.output[-3000:]))
    each(jobs, measure, [name for name in names if name not in known])
    return {name: known[name] for name in names if name in known}


def each(jobs, function, values):
    """The results of several calls at a time, in order."""
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        return list(pool.map(function, values))
    finally:
        pool.shutdown(cancel_futures=True)


def by_units(package, tests, mutant, known, users):
    """What the unit tests make of a mutant: the result, and what to tell of it."""
    reaching = [name for name, test in known.items() if mutant.number in test["reached"]]
    own = [name for name in package.nearest(known, mutant.module)[:1] if name in reaching]
    # Then others of it, and those of near users, the quickest first.
    others = sorted(set(reaching) - set(own), key=lambda name: (
        package.kinship(name, mutant.module), min(package.distance(name, mutant.module) or 3, 2), known[name]["seconds"]))
    return try_out(tests, mutant, known, own + others[:users])


def by_suites(tests, mutant, known, count):
    """What so many suites on a network make of it: those that reach it, first those that reach few others, which are about it."""
    reaching = [name for name, test in known.items() if mutant.number in test["reached"]]
    return try_out(tests, mutant, known, sorted(reaching, key=lambda name: len(known[name]["reached"]))[:count])


def try_out(tests, mutant, known, names):
    doubts = []
    for name in names:
        limit = 3 * known[name]["seconds"] + 30
        for _ in (1, 2):
            run = tests.run(tests.filter(name), limit, mutant.number)
            if not run.failure:
                break
            # A test that fails now and then must not count: once more, alone.
            if not run.is_test or is_confirmed(tests, name, run.failure, limit, mutant):
                return NOTICED, f"{name}: {run.failure}"
            doubts.append(f"{name}: {run.failure} (not again)")
    if not names:
        return UNREACHED, "no test reaches it"
    return SURVIVED, "passed: " + ", ".join(names) + ("; " + "; ".join(doubts) if doubts else "")


def is_confirmed(tests, name, test, limit, mutant):
    """Whether the test fails once more. A test that is not found by its words counts as one that does."""
    words = r".*".join(re.findall(r"\w+", test))
    run = tests.run(tests.filter(name) + ".*" + words, limit, mutant.number)
    return bool(run.failure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="which mutants are drawn (1 unless told); several in one build")
    parser.add_argument("--count", type=int, default=100, help="how many of each seed (100 unless told)")
    parser.add_argument("--only", action="append", metavar="PATH", help="files with this in their path; may be given again")
    parser.add_argument("--users", type=int, default=4, help="tests of so many other modules try a mutant too (4 unless told)")
    parser.add_argument("--mark", type=float, metavar="PERCENT", help="fail if fewer are noticed of a seed")
    parser.add_argument("--list", action="store_true", help="show what is drawn, and build nothing")
    parser.add_argument("--build", action="store_true", help="build, and run nothing")
    parser.add_argument("--again", action="store_true", help="forget what is known")
    parser.add_argument("--lan", type=int, nargs="?", const=3, default=0, metavar="SUITES",
                        help=f"try what survives with so many suites of {NETWORK} that reach it too (3 unless told)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many mutants are tried at a time (one for each processor)")
    options = parser.parse_args()

    package = Package.read()
    units = [name for name in package.tests() if name != NETWORK]
    drawing = Drawing(package, package.modules(units), options.seed, options.only or ())
    if options.list:
        for mutant in draw(drawing, Session("", True), options.count, set()):
            original, changed = mutant.shown(drawing.texts[mutant.file])
            tell(f"{mutant.number}. {mutant.file}:{mutant.line} {mutant.kind}\n  - {original}\n  + {changed}")
        return 0

    WORK.mkdir(exist_ok=True)
    lock = open(WORK / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("mutants: another run is at work in .build-mutants; wait for its end")
    if options.only:
        drawn = {drawing.modules[path] for path in drawing.sources}
        units = sorted({name for module in drawn for name in package.nearest(units, module)[:1 + options.users]})
    copy = Copy(package, drawing, set(package.targets) if options.lan else package.needed(units))
    session = Session(copy.digest(), options.again)
    mutants = build_all(copy, drawing, session, options.count)
    if options.build:
        return 0
    tests = Tests(package)
    tell("running the tests without a mutant")
    known = run_without(tests, session, units, mutants, options.jobs)
    if len(known) < len(units):
        sys.exit("mutants: tests fail without a mutant")
    try_all(session, "results", mutants, options.jobs, lambda mutant: by_units(package, tests, mutant, known, options.users))
    results = session.results
    left = [mutant for mutant in mutants if results[session.name(mutant)][0] != NOTICED]
    if options.lan and left:
        tell("running the tests on a network without a mutant")
        # They mostly wait.
        suites = run_without(tests, session, tests.suites(NETWORK, ALONE), mutants, 2 * options.jobs)
        try_all(session, "on a network", left, 2 * options.jobs, lambda mutant: by_suites(tests, mutant, suites, options.lan))
        results = results | {name: result for name, result in session.known["on a network"].items() if result[0] != UNREACHED}
    text, rate = report([(mutant, *results[session.name(mutant)], drawing.texts[mutant.file]) for mutant in mutants])
    (WORK / "report.md").write_text(text)
    tell(text)
    return 2 if options.mark is not None and rate < options.mark else 0


def try_all(session, kind, mutants, jobs, judge):
    """Adds the results of those that have none yet."""
    results = session.known.setdefault(kind, {})

    def judged(mutant):
        result = judge(mutant)
        session.save(results, session.name(mutant), result)
        tell(f"{len(results)} {result[0]}: {mutant.file}:{mutant.line} ({mutant.kind}); {result[1]}")
    each(jobs, judged, [mutant for mutant in mutants if session.name(mutant) not in results])


if __name__ == "__main__":
    # What runs is ended.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: (stopped.set(), sys.exit(128 + number)))
    sys.exit(main())
