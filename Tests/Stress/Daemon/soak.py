"""soak.py PROGRAMS [--kills N] [--minutes N] [--seed N]: what bonjourishd goes through in months, in minutes.

First it is killed again and again under 20 programs, unchanged ones of Avahi and one of this package: all that they publish must be back
within a minute after each return, under the same name, and their browsers must still browse. Then services, browsers and look-ups come
and go at random on both hosts, and interfaces flap. Between rounds of 20 seconds everything is ended, and what the daemons need is
printed: resident memory and descriptors. They must not grow.

Runs on a private LAN of two hosts with the daemon: `make soak-daemon`. Exit code 1 when something is missing, renamed or growing.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Discovery"))
import outages  # noqa: E402
from outages import Program, run  # noqa: E402

HOSTS = ("h1", "h2")
SERVICES = [f"Soak {number}" for number in range(12)]
ADDRESSES = [f"soak{number}.local" for number in range(2)]
OWN = 25
BACK, ROUND, REST = 60.0, 20.0, 5.0
# What an allocator may keep, and more when caches and tables are filled for the first time.
GROWTH = 2048

problems = []


def problem(text):
    problems.append(text)
    print(f"WRONG: {text}", flush=True)


def daemon_figures(host):
    return outages.figures(int(pathlib.Path(f"/run/lan/{host}/avahi.pid").read_text(encoding="ascii")))


def listed(host, kind):
    """The names of services that the daemon of a host knows on eth0 over IPv4."""
    lines = subprocess.run(
        ["on", host, "avahi-browse", "-tpk", kind], capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    fields = [line.split(";") for line in lines]
    unescape = re.compile(r"\\(\d{3})")
    return {
        unescape.sub(lambda match: chr(int(match[1])), field[3])
        for field in fields if field[:3] == ["+", "eth0", "IPv4"]}


def is_established(line):
    return "Established under name" in line


# ---- Kills

class Population:
    """20 programs on h1."""

    def __init__(self, programs):
        def avahi(*command):
            return Program("h1", *command, merged=True)

        self.publishers = [avahi("avahi-publish", "-f", "-s", name, "_soak._tcp", "80") for name in SERVICES]
        self.publishers += [
            avahi("avahi-publish", "-f", "-a", "-R", name, f"10.77.0.{200 + number}") for number, name in enumerate(ADDRESSES)]
        self.browsers = [avahi("avahi-browse", "-fpk", "_soak._tcp") for _ in range(5)]
        # What `outages` watches in all detail: services and a browser of this package.
        self.ours = Program("h1", str(programs / "stress-discovery"), "outages", str(OWN), "avahi")

    def all(self):
        return [*self.publishers, *self.browsers, self.ours]

    def wait(self, what):
        """Waits until all is published; the time that it took."""
        began = time.monotonic()
        for name, program in zip(SERVICES + ADDRESSES, self.publishers):
            when, line = program.wait(is_established, max(0.1, BACK - (time.monotonic() - began)))
            if when is None:
                problem(f"{what}: {name} is not published after {BACK:.0f} s: {line}")
            elif f"'{name}'" not in line:
                problem(f"{what}: {name} was renamed: {line}")
        when, line = self.ours.wait(self.is_whole, max(0.1, BACK - (time.monotonic() - began)))
        if when is None:
            problem(f"{what}: not whole after {BACK:.0f} s: {line}")
        return time.monotonic() - began

    @staticmethod
    def is_whole(line):
        return outages.is_whole(line, published=OWN, found=OWN)

    def check(self, what):
        for program in self.all():
            if program.process.poll() is not None:
                problem(f"{what}: a program has ended: {program.process.args}")
        names = listed("h1", "_soak._tcp")
        if names != set(SERVICES):
            problem(f"{what}: {sorted(set(SERVICES) ^ names)} are missing, or should not be there")


def kill_again_and_again(programs, kills):
    people = Population(programs)
    people.wait("at the beginning")
    people.check("at the beginning")
    delays, before = [], None
    for number in range(1, kills + 1):
        for program in people.all():
            program.forget()
        run("daemon", "h1", "kill")
        run("daemon", "h1", "start")
        delays.append(people.wait(f"kill {number}"))
        if number % 10 == 0 or number == kills:
            people.check(f"kill {number}")
        if number == max(1, kills // 10):
            before = people.ours.figures()
    # The browsers that have lived through all of it are told of what is new.
    for browser in people.browsers:
        browser.forget()
    news = Program("h1", "avahi-publish", "-f", "-s", "News", "_soak._tcp", "81", merged=True)
    for browser in people.browsers:
        if browser.wait(lambda line: line.startswith("+;") and ";News;" in line, BACK)[0] is None:
            problem("a browser is not told of a new service after the kills")
    after = people.ours.figures()
    delays.sort()
    print(f"{kills} kills under {len(people.all())} programs: all back after {delays[len(delays) // 2]:.2f} s (median), "
          f"{delays[-1]:.2f} s at most", flush=True)
    print(f"our program: descriptors {before[0]} -> {after[0]}, resident {before[1]} -> {after[1]} KiB", flush=True)
    if after[0] > before[0] or after[1] > before[1] + 4096:
        problem("our program grows")
    for program in [*people.all(), news]:
        program.kill()


# ---- Churn

class Churn:
    """Programs that come and go. Their names are few, so that caches are bounded by what there is, not by what was."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.alive = []
        self.counts = dict.fromkeys(("services", "browsers", "look-ups", "flaps"), 0)

    def start(self, what, *command):
        host = self.random.choice(HOSTS)
        self.counts[what] += 1
        self.alive.append(subprocess.Popen(
            ["on", host, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def step(self):
        number = self.random.randrange(20)
        match self.random.randrange(6):
            case 0: self.start("services", "avahi-publish", "-s", f"Churn {number}", f"_churn{number % 3}._tcp", str(number + 1))
            case 1: self.start("services", "avahi-publish", "-aR", f"churn{number}.local", f"10.77.0.{100 + number}")
            case 2: self.start("browsers", "avahi-browse", "-rk", f"_churn{number % 3}._tcp")
            case 3: self.start("browsers", "avahi-browse", "-ak")
            case 4: self.start("look-ups", "avahi-resolve", "-n", f"churn{number}.local")
            case 5: self.start("look-ups", "avahi-resolve", "-a", f"10.77.0.{number + 1}")
        # Half of them end by themselves or in order, half are killed.
        while len(self.alive) > 16:
            process = self.alive.pop(self.random.randrange(len(self.alive)))
            if self.random.random() < 0.5:
                process.terminate()
            else:
                process.kill()
            process.wait()

    def flap(self):
        host = self.random.choice(HOSTS)
        self.counts["flaps"] += 1
        down, up = self.random.choice((("down", "up"), ("remove", "add")))
        run("link", host, down)
        time.sleep(self.random.choice((0, 0.1, 2)))
        run("link", host, up)

    def end(self):
        for process in self.alive:
            process.kill()
            process.wait()
        self.alive = []

    def round(self):
        end, flap = time.monotonic() + ROUND, time.monotonic() + 4
        while time.monotonic() < end:
            self.step()
            time.sleep(0.1)
            if time.monotonic() > flap:
                self.flap()
                flap = time.monotonic() + self.random.uniform(2, 6)
        self.end()
        time.sleep(REST)


def churn(minutes, seed):
    trouble, began, figures = Churn(seed), time.monotonic(), []
    print("  time  " + "".join(f"{host + ' descriptors':>16}{host + ' KiB':>10}" for host in HOSTS), flush=True)
    pids = [pathlib.Path(f"/run/lan/{host}/avahi.pid").read_text(encoding="ascii") for host in HOSTS]
    while time.monotonic() - began < 60 * minutes:
        trouble.round()
        figures.append([daemon_figures(host) for host in HOSTS])
        print(f"{time.monotonic() - began:6.0f} s" + "".join(f"{one[0]:16}{one[1]:10}" for one in figures[-1]), flush=True)
    print(", ".join(f"{count} {what}" for what, count in trouble.counts.items()), flush=True)
    if pids != [pathlib.Path(f"/run/lan/{host}/avahi.pid").read_text(encoding="ascii") for host in HOSTS]:
        problem("a daemon was started anew")
    # From the end of the first quarter on.
    first = figures[len(figures) // 4]
    for place, host in enumerate(HOSTS):
        (descriptors, memory), (later, more) = first[place], figures[-1][place]
        if later > descriptors:
            problem(f"the daemon of {host} has {later - descriptors} descriptors more")
        if more > memory + GROWTH:
            problem(f"the daemon of {host} has grown by {more - memory} KiB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.kills:
        kill_again_and_again(options.programs, options.kills)
    if options.minutes:
        churn(options.minutes, options.seed)
    if problems:
        sys.exit(f"MISSED: {len(problems)} things are wrong")


if __name__ == "__main__":
    main()
