"""outages.py PROGRAMS [--times N] [--backend WHICH]: kills avahi-daemon or its bus again and again under a program that publishes
50 services and browses 200 others, and checks that all is back within two seconds after each return, and that nothing grows.

Runs on a private LAN of two hosts: `make outages`. Exit code 1 when something is missing, late or growing.
"""

import argparse
import json
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

PUBLISHED, OTHERS, TIMEOUT = 50, 200, 2.0


def figures(process):
    """Descriptors and resident KiB of a process."""
    status = pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii")
    descriptors = len(list(pathlib.Path(f"/proc/{process}/fd").iterdir()))
    return descriptors, int(re.search(r"VmRSS:\s+(\d+)", status).group(1))


class Program:
    def __init__(self, host, *command, merged=False):
        """Starts a program on a host. Its errors are lines, too, if they are merged."""
        self.lines = queue.SimpleQueue()
        self.process = subprocess.Popen(
            ["on", host, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else None, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line))

    def wait(self, test, limit):
        """The time of the first line that passes the test, and the last line that was seen."""
        deadline, line = time.monotonic() + limit, None
        while (left := deadline - time.monotonic()) > 0:
            try:
                when, line = self.lines.get(timeout=left)
            except queue.Empty:
                break
            if test(line):
                return when, line
        return None, line

    def forget(self):
        """Forgets the lines until now."""
        while not self.lines.empty():
            self.lines.get()

    def figures(self):
        """Descriptors and resident KiB of the program itself, below `on`."""
        inner = self.process.pid
        while below := pathlib.Path(f"/proc/{inner}/task/{inner}/children").read_text(encoding="ascii").split():
            inner = int(below[0])
        return figures(inner)

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()


def is_whole(line, published=PUBLISHED, found=PUBLISHED + OTHERS):
    state = json.loads(line)
    return state["browses"] and state["published"] == published and state["found"] == found


def run(*command):
    subprocess.run(command, check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--backend", choices=["avahi", "auto"], default="avahi")
    options = parser.parse_args()
    programs = pathlib.Path(options.programs)
    others = Program("h2", str(programs / "bench-publish"), str(OTHERS), "_stress._tcp", "builtin")
    others.wait(lambda line: "established" in line, 30)
    stressed = Program("h1", str(programs / "stress-discovery"), "outages", str(PUBLISHED), options.backend)
    when, line = stressed.wait(is_whole, 30)
    if when is None:
        sys.exit(f"not all was published and found at the beginning: {line}")

    delays, late, before = [], 0, None
    for number in range(options.times):
        kind = "bus" if number % 4 == 3 else "daemon"
        run(kind, "h1", "kill")
        if kind == "bus":
            # The daemon ends with its bus.
            run("daemon", "h1", "kill")
            run("bus", "h1", "start")
        run("daemon", "h1", "start")
        back = time.monotonic()
        when, line = stressed.wait(is_whole, 15)
        if when is None:
            print(f"{number}: {kind}: not whole after 15 s: {line}")
            late += 1
            continue
        delays.append(max(0, when - back))
        if delays[-1] > TIMEOUT:
            print(f"{number}: {kind}: whole after {delays[-1]:.2f} s")
            late += 1
        if number == options.times // 10:
            before = stressed.figures()
    after = stressed.figures()
    delays.sort()
    print(f"{options.times} kills: whole again after {delays[len(delays) // 2]:.2f} s (median), {delays[-1]:.2f} s at most")
    print(f"late: {late}")
    print(f"descriptors {before[0]} -> {after[0]}, resident {before[1]} -> {after[1]} KiB")
    stressed.end()
    others.end()
    # Allocators keep some pages.
    if late or after[0] > before[0] or after[1] > before[1] + 4096:
        sys.exit("MISSED")


if __name__ == "__main__":
    main()
