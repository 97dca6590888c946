"""compare.py PROGRAMS [--minutes N] [--only times|memory|minutes]: bonjourishd beside avahi-daemon, with the same unchanged programs.

Each has private LANs of two hosts. First one daemon is measured after the other; then what takes only waiting is measured for some minutes
with both at once, each row on a LAN of its own: how long it takes until a service is found, and how many datagrams there are. `make
bench-daemon` runs it.
"""

import argparse
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
DAEMONS = ("bonjourishd", "avahi-daemon")
SERVICES = (1, 10, 100)


def measure(options, daemon, *what):
    command = [ROOT / "Tests/lan", "-n", "2", "-d", "-D", daemon, "--", "/usr/bin/python3", "-B", pathlib.Path(__file__).parent / "figures.py"]
    return subprocess.Popen(
        [*command, *what], stdout=subprocess.PIPE, text=True, env={**os.environ, "LAN_PROGRAMS": options.programs})


def figures(program):
    rows = [json.loads(line) for line in program.stdout]
    if program.wait():
        raise SystemExit(program.returncode)
    return {name: (value, form) for name, value, form in rows}


def show(heading, ours, theirs):
    print(f"{heading:56}{'bonjourishd':>13}{'avahi-daemon':>14}{'ratio':>8}")
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        (value, form), (other, _) = ours.get(name, (None, "%.0f")), theirs.get(name, (None, ""))
        texts = ["–" if one is None else form % one for one in (value, other)]
        ratio = f"{value / other:.2f}" if value is not None and other else ""
        print(f"{name:56}{texts[0]:>13}{texts[1]:>14}{ratio:>8}")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--only", choices=["times", "memory", "minutes"])
    options = parser.parse_args()
    for part in ("memory", "times"):
        if options.only in (part, None):
            show(part, *(figures(measure(options, daemon, part)) for daemon in DAEMONS))
    if options.only in ("minutes", None):
        minutes = f"{options.minutes:g}"
        parts = [("publications", minutes), *(("packets", str(services), minutes) for services in SERVICES)]
        runs = {daemon: [measure(options, daemon, *part) for part in parts] for daemon in DAEMONS}
        rows = [{name: row for run in runs[daemon] for name, row in figures(run).items()} for daemon in DAEMONS]
        # Both have the TTLs of RFC 6762 section 10: in ten minutes records of hosts are asked for again five times, pointers and texts not.
        show(f"in {minutes} minutes, TTLs of 2 and 75 minutes", *rows)


if __name__ == "__main__":
    main()
