"""flood.py PROGRAMS: is a real service found while, before and after there are 4,000 false ones, and does memory stay bounded?

Runs on a private LAN of three hosts: `make flood`. Exit code 1 when it is not found in time or memory grows beyond LIMIT.
"""

import json
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
TYPE = "_flood._tcp"
# The engine's caches on two links (2 x 8 MiB as roughly counted), what the browser keeps of 4,000 services, and the program.
LIMIT = 64 * 1024
TIMEOUT = 5


class Program:
    def __init__(self, host, *command):
        self.lines = queue.SimpleQueue()
        self.process = subprocess.Popen(["on", host, *command], stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), json.loads(line)))

    def resident(self):
        """Kilobytes, now and at most."""
        inner = self.process.pid
        while below := pathlib.Path(f"/proc/{inner}/task/{inner}/children").read_text(encoding="ascii").split():
            inner = int(below[0])
        status = pathlib.Path(f"/proc/{inner}/status").read_text(encoding="ascii")
        return [int(re.search(rf"{what}:\s+(\d+)", status).group(1)) for what in ("VmRSS", "VmHWM")]

    def end(self):
        self.process.terminate()
        self.process.wait()


def main():
    bonjourish = str(pathlib.Path(sys.argv[1]) / "bonjourish")
    missed = []
    for kind in ("whole", "bare"):
        browser = Program("h2", bonjourish, "browse", TYPE, "--resolve", "--json", "--backend", "builtin")
        time.sleep(1)
        before = browser.resident()[0]
        published, rooms = {}, []

        def publish(name):
            rooms.append(Program("h1", bonjourish, "publish", name, TYPE, "4242", "--json", "--backend", "builtin"))
            published[name] = time.monotonic()

        publish("before")
        time.sleep(2)
        flood = subprocess.Popen(["on", "h3", "/usr/bin/python3", str(HERE / "false_services.py"), "4000", kind])
        time.sleep(0.3)
        publish("during")
        flood.wait()
        publish("after")
        found, seen, lost = {}, 0, set()
        deadline = time.monotonic() + 12
        while time.monotonic() < deadline:
            try:
                when, event = browser.lines.get(timeout=0.5)
            except queue.Empty:
                continue
            name = event.get("name")
            if event["event"] == "lost":
                lost.add(name)
            elif name in published and "host" in event:
                found.setdefault(name, when - published[name])
            elif name is not None:
                seen += 1
        now, most = browser.resident()
        times = ", ".join(f"{name} {found[name]:.2f} s" if name in found else f"{name} NOT" for name in published)
        print(f"{kind}: found {times} after it was published; {seen} false ones told")
        print(f"{kind}: memory {before} KB, with the flood {now} KB, {most} KB at most")
        missed += [name for name in published if found.get(name, TIMEOUT) >= TIMEOUT or name in lost]
        missed += ["memory"] * (most > LIMIT)
        for program in [*rooms, browser]:
            program.end()
    if missed:
        sys.exit(f"missed: {', '.join(missed)}")


main()
