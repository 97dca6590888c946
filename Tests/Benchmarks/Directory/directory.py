"""directory.py PROGRAMS [--sizes N ...] [--runs N] [--only PART] [--json]: what a directory of many rooms costs, and whether it holds.

Runs on the loopback interface with a nats-server of its own: `make bench-directory`. Rooms are published, listed and seen by the
module itself; only the thousand watchers are clients that count. Medians are told where there are several runs. Ends with 1 when a
mark is missed.
"""

import argparse
import atexit
import json
import pathlib
import queue
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from nats import Client, Server, Watchers

ROOMS, SHARD, REAL = "_room._tcp", "_shard._tcp", "Ada's game"
# The rooms in one of 64 shards when there are 100,000 of a type.
SHARD_SIZE = 1_563
# What a browser may take: 65,536 records, and the program.
MEMORY = 256 << 20


class Program:
    """A program with a directory, whose lines are taken with the time at which they came."""

    def __init__(self, *command):
        self.lines, self.said = queue.SimpleQueue(), []
        # What publishes stands for thousands of other machines, so it gives way to what is measured on this one.
        before = ["nice", "-n", "19"] if "publish" in command else []
        self.process = subprocess.Popen(
            before + [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        threading.Thread(target=self.read, daemon=True).start()
        # Nothing is left when the bench fails or is told to end.
        atexit.register(self.process.kill)

    def read(self):
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            self.lines.put((time.monotonic(), line.rstrip("\n")))

    def wait(self, start, seconds=60):
        """The time of the first line with this beginning, and the line."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                when, line = self.lines.get(timeout=max(0.001, deadline - time.monotonic()))
            except queue.Empty:
                sys.exit(f"{self.process.args[1:3]}: '{start}' did not come within {seconds} s")
            if line.startswith(start):
                return when, line

    def most_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status).group(1))

    def end(self, brutally=False):
        (self.process.kill if brutally else self.process.stdin.close)()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Bench:
    def __init__(self, options):
        self.runs, self.sizes = options.runs, options.sizes
        self.program = pathlib.Path(options.programs) / "bench-directory"
        self.figures, self.judged, self.is_quiet = {}, [], options.json
        self.requests = {kind: json.loads(self.run("requests", kind)) for kind in (ROOMS, SHARD)}

    def run(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], check=True, capture_output=True, text=True, timeout=100).stdout

    def start(self, verb, place, *arguments):
        """A part of the program, on a server or in a bucket of it."""
        return Program(self.program, verb, place if isinstance(place, str) else place.url, *arguments)

    def note(self, group, figure, value):
        if group not in self.figures:
            self.tell(group)
        self.figures.setdefault(group, {})[figure] = value
        self.tell(f"  {figure:<58} {number(value):>12}")

    def tell(self, line):
        if not self.is_quiet:
            print(line, flush=True)

    def mark(self, name, value, bound, is_least=False):
        met = value >= bound if is_least else value <= bound
        self.judged.append({"mark": name, "is": round(value, 2), "at least" if is_least else "at most": bound, "met": met})

    def publish(self, server, kind, count, connections=4):
        publisher = self.start("publish", server, kind, count, connections)
        _, line = publisher.wait("established", 120)
        return publisher, int(line.split()[1]) / 1000

    def growth(self):
        """Rooms are registered and renewed, one size after the other."""
        for size in self.sizes:
            group, server = f"{size:,} rooms", Server()
            try:
                self.one_size(group, size, server)
            finally:
                server.end()
        small, large = (self.figures[f"{size:,} rooms"] for size in (self.sizes[0], self.sizes[-1]))
        if len(self.sizes) > 1:
            share = "processor of the server for 1,000 renewals a second, %"
            self.mark("bytes a room, the most rooms to the fewest", large["bytes a room as the server counts"] / small["bytes a room as the server counts"], 1.1)
            if small[share] > 5:
                self.mark("processor a renewal, the most rooms to the fewest", large[share] / small[share], 2)

    def one_size(self, group, size, server):
        empty = server.resident_bytes()
        publisher, seconds = self.publish(server, ROOMS, size)
        self.note(group, "registered a second", size / seconds)
        self.mark(f"registered a second, {group}", size / seconds, 1000, is_least=True)
        # The longest renewal is 20 s, so this is a whole round of them, and all of the first.
        dying = self.start("publish", server, "_dying._tcp", 1, 1) if size == self.sizes[-1] else None
        mourner = self.start("browse", server, "_dying._tcp") if dying else None
        if dying:
            dying.wait("established")
            mourner.wait("found")
            died = time.monotonic()
            dying.end(brutally=True)
        time.sleep(max(0, 20 - seconds))
        load = server.load(20)
        records, counted = server.bucket()
        self.note(group, "renewals a second", load["in"])
        self.note(group, "bytes a second, both ways", load["bytes in"] + load["bytes out"])
        self.note(group, "processor of the server, % of one", 100 * load["processor"])
        self.note(group, "processor of the server for 1,000 renewals a second, %", 100 * load["processor"] / max(load["in"], 1) * 1000)
        self.note(group, "bytes a room as the server counts", counted / records)
        self.note(group, "memory of the server, MB", server.resident_bytes() / 1e6)
        self.note(group, "memory of the server a room, bytes", (server.resident_bytes() - empty) / size)
        if publisher.said.count("interrupted"):
            self.mark(f"rooms interrupted among {group}", publisher.said.count("interrupted"), 0)
        self.mark(f"records in the bucket, {group}", records, size, is_least=True)
        self.seen(group, server.url)
        self.listings(group, server, size)
        if dying:
            lost, _ = mourner.wait("lost", 70)
            self.note(group, "a dead room is gone after, s", lost - died)
            self.mark("a dead room is gone, s", lost - died, 65)
            mourner.end(brutally=True)
        publisher.end(brutally=True)

    def restart(self, count=10_000):
        """The server dies and forgets everything, and all rooms come back at once."""
        group, server = f"{count:,} rooms when the server is killed and started again", Server()
        try:
            publisher, _ = self.publish(server, ROOMS, count)
            server.kill()
            time.sleep(1)
            began = time.monotonic()
            server.start()
            while server.bucket()[0] < count and time.monotonic() < began + 60:
                time.sleep(0.2)
            took = time.monotonic() - began
            self.note(group, "all are back after, s", took)
            self.mark(f"{group}, all are back, s", took, 60)
            publisher.end(brutally=True)
        finally:
            server.end()

    def owned(self, seconds=10, size=1_000):
        """States of matches that are written every second, in files."""
        for count in (100, 1_000, 10_000):
            group, server = f"{count:,} owned values of {size:,} bytes that change every second", Server()
            try:
                owner = self.start("own", server, count, size, seconds)
                began = time.monotonic()
                time.sleep(3)
                load = server.load(seconds - 5)
                ended, line = owner.wait("", 120)
                self.note(group, "messages to the server a second", load["in"])
                self.note(group, "processor of the server, % of one", 100 * load["processor"])
                self.note(group, "writes for each change", int(line) / (count * seconds))
                self.note(group, "the last change is stored after, s", ended - began - (seconds - 1))
                owner.end()
            finally:
                server.end()

    def seen(self, group, place):
        """How long it takes until a new room is seen."""
        times = sorted(int(word) / 1000 for word in self.run("see", place, "_new._tcp", 200, 40).split())
        self.note(group, "a new room seen, ms, half of them within", statistics.median(times))
        self.note(group, "a new room seen, ms, 99 of 100 within", times[int(0.99 * len(times)) - 1])
        self.mark(f"a new room seen among {group}, 99 of 100, ms", times[int(0.99 * len(times)) - 1], 1000)

    def listings(self, group, server, size):
        """One shard, by itself and as a type of its size; and the whole type, of which a browser keeps a part."""
        client = Client(server)
        times = [client.list(self.requests[ROOMS], "shard", number) for number in range(self.runs)]
        count = times[0][0]
        self.note(group, f"one shard ({count:,}) listed by the server, ms", 1000 * statistics.median(seconds for _, seconds in times))
        publisher, _ = self.publish(server, SHARD, SHARD_SIZE, 1)
        lines = [line.split() for line in self.run("list", server.url, SHARD, self.runs + 1).splitlines()][1:]
        took = statistics.median(int(line[1]) / 1000 for line in lines)
        self.note(group, f"a type of {SHARD_SIZE:,} listed by a browser, ms", took)
        self.mark(f"a type of {SHARD_SIZE:,} listed by a browser among {group}, ms", took, 100)
        self.mark(f"rooms listed among {group}", min(int(line[0]) for line in lines), SHARD_SIZE, is_least=True)
        publisher.end()
        if size < 100_000:
            return
        (line,) = self.run("list", server.url, ROOMS, 1).splitlines()
        self.note(group, "the whole type: rooms that a browser keeps", int(line.split()[0]))
        self.note(group, "the whole type: listed after, ms", int(line.split()[1]) / 1000)

    def buckets(self, size=100_000, count=4):
        """As many rooms as the article about sizes recommends for a bucket, where a shard is listed at once."""
        group, server, shard = f"{size:,} rooms in {count} buckets", Server(), SHARD_SIZE // count
        try:
            places = [f"{server.url}#rooms-{number}" for number in range(count)]
            publishers = [self.start("publish", place, ROOMS, size // count, 1) for place in places]
            for publisher in publishers:
                publisher.wait("established", 120)
            # Renewals are spread then.
            time.sleep(20)
            other = self.start("publish", places[0], SHARD, shard, 1)
            other.wait("established")
            lines = [line.split() for line in self.run("list", places[0], SHARD, self.runs + 1).splitlines()][1:]
            took = statistics.median(int(line[1]) / 1000 for line in lines)
            self.note(group, f"as many as a shard has ({shard:,}) listed by a browser, ms", took)
            self.mark(f"a shard of {group} listed by a browser, ms", took, 100)
            self.mark(f"rooms listed of {group}", min(int(line[0]) for line in lines), shard, is_least=True)
            self.mark(f"rooms interrupted among {group}", sum(publisher.said.count("interrupted") for publisher in publishers), 0)
            self.seen(group, places[0])
            for publisher in [*publishers, other]:
                publisher.end(brutally=True)
        finally:
            server.end()

    def watchers(self, count=1_000):
        """A thousand watch a type of a shard's size."""
        group, server = f"{count:,} watchers of {SHARD_SIZE:,} rooms", Server()
        try:
            publisher, _ = self.publish(server, SHARD, SHARD_SIZE)
            time.sleep(1)
            before = server.resident_bytes()
            watchers = Watchers(server, count)
            time.sleep(1)
            connected = server.resident_bytes()
            self.note(group, "memory of the server a connection, bytes", (connected - before) / count)
            began = time.monotonic()
            watchers.watch(self.requests[SHARD], "type")
            while watchers.messages < count * SHARD_SIZE and time.monotonic() < began + 60:
                time.sleep(0.1)
            self.note(group, "all have listed all after, s", time.monotonic() - began)
            self.mark(f"values listed by {count:,} watchers", watchers.messages, count * SHARD_SIZE, is_least=True)
            self.note(group, "memory of the server a watcher, bytes", (server.resident_bytes() - before) / count)
            # The publishers have renewed at once; a round later they are spread over 4 s.
            time.sleep(max(0, began + 20 - time.monotonic()))
            load = server.load(20)
            self.note(group, "messages out a second", load["out"])
            self.note(group, "bytes out a second", load["bytes out"])
            self.note(group, "processor of the server, % of one", 100 * load["processor"])
            self.note(group, "processor for 1,000 messages, ms", 1_000_000 * load["processor"] / load["out"])
            times = sorted(int(word) / 1000 for word in self.run("see", server.url, SHARD, 50, 10).split())
            self.note(group, "a new room seen, ms, half of them within", statistics.median(times))
            self.note(group, "a new room seen, ms, at most", times[-1])
            self.mark(f"a new room seen among {group}, ms", times[-1], 1000)
            watchers.end()
            publisher.end(brutally=True)
        finally:
            server.end()

    def hostile(self, count=100_000):
        """A stranger fills the shard of a real room."""
        group, server = f"{count:,} false records in the shard of a real room", Server()
        try:
            host = self.start("name", server, ROOMS, REAL)
            host.wait("established")
            known = self.start("browse", server, ROOMS)
            known.wait("settled")
            stranger = Client(server)
            shares = {"plausible": count * 6 // 10, "imitations": count // 10, "malformed": count * 3 // 10}
            with tempfile.NamedTemporaryFile() as file:
                for kind, share in shares.items():
                    subprocess.run([self.program, "falsehoods", kind, str(share), ROOMS, REAL], check=True, stdout=file, timeout=100)
                began = time.monotonic()
                stranger.write(file.name)
            self.note(group, "written within, s", time.monotonic() - began)
            records, _ = server.bucket()
            self.note(group, "records in the bucket", records)
            time.sleep(2)
            port, took = self.run("resolve", server.url, ROOMS, REAL).split()
            self.note(group, "the real room is resolved by its name within, ms", int(took) / 1000)
            self.mark("the real room is resolved, port", int(port), 4242, is_least=True)
            other, _ = self.publish(server, ROOMS, 200, 1)
            late = self.start("browse", server, ROOMS)
            late.wait("settled")
            names = {line for line in late.said if line.startswith("found")}
            rooms = {line for line in names if re.fullmatch(r"found Room \d+ of somebody", line)}
            self.note(group, "rooms that a new browser lists", len(names))
            self.note(group, "of 200 real rooms of all shards it lists", len(rooms))
            self.mark("of 200 real rooms, all but those of the shard are listed", len(rooms), 190, is_least=True)
            self.note(group, "memory of a browser that was there, MB", known.most_bytes() / 1e6)
            self.note(group, "memory of a new browser, MB", late.most_bytes() / 1e6)
            self.mark("memory of a browser, MB", max(known.most_bytes(), late.most_bytes()) / 1e6, MEMORY / 1e6)
            self.mark("the browser that was there lost the real room", known.said.count(f"lost {REAL}"), 0)
            self.full(group, server, stranger, host, shares["plausible"])
            for program in (other, late, known, host):
                program.end(brutally=True)
        finally:
            server.end()

    def crowd(self, count=20_000):
        """A stranger writes false records to all shards, and a real room comes last."""
        group, server = f"{count:,} false records in all shards before a real room", Server()
        try:
            first = self.start("name", server, ROOMS, "First")
            first.wait("established")
            stranger = Client(server)
            with tempfile.NamedTemporaryFile() as file:
                subprocess.run([self.program, "falsehoods", "spread", str(count), ROOMS, REAL], check=True, stdout=file, timeout=100)
                stranger.write(file.name)
            host = self.start("name", server, ROOMS, REAL)
            host.wait("established")
            began = time.monotonic()
            late = self.start("browse", server, ROOMS)
            when, _ = late.wait(f"found {REAL}")
            self.note(group, "a new browser lists the real room, resolved, after, s", when - began)
            self.mark(f"the real room after {count:,} false ones, s", when - began, 2)
            for program in (late, host, first):
                program.end(brutally=True)
        finally:
            server.end()

    def full(self, group, server, stranger, host, known):
        """The stranger fills the whole bucket: who is in stays in, and who is not is told why."""
        # Large records, and small ones for the rest.
        for kind, count in {"oversized": 20_000, "plausible": known + 500}.items():
            with tempfile.NamedTemporaryFile() as file:
                subprocess.run([self.program, "falsehoods", kind, str(count), ROOMS, REAL], check=True, stdout=file, timeout=100)
                stranger.write(file.name)
        _, counted = server.bucket()
        self.note(group, "bytes of a bucket that is full, MB", counted / 1e6)
        late = self.start("name", server, ROOMS, "Late")
        _, words = late.wait("interrupted", 60)
        self.note(group, "what a new room is told when it is full", words)
        self.mark("a new room is told that the directory is full", int("the directory is full" in words), 1, is_least=True)
        # A renewal needs no more room than the record has already.
        time.sleep(21)
        self.mark("a room that is in is interrupted by a full directory", host.said.count("interrupted"), 0)
        late.end(brutally=True)


def number(value):
    return value if isinstance(value, str) else f"{value:,.0f}" if value >= 100 else f"{value:,.2f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", choices=["growth", "buckets", "restart", "watchers", "owned", "hostile", "crowd"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to end"))
    bench = Bench(options)
    for part in (bench.growth, bench.buckets, bench.restart, bench.watchers, bench.owned, bench.hostile, bench.crowd):
        if options.only in (None, part.__name__):
            part()
    if options.json:
        print(json.dumps({"figures": bench.figures, "marks": bench.judged}))
    else:
        for mark in bench.judged:
            bound = f"at most {mark['at most']}" if "at most" in mark else f"at least {mark['at least']}"
            print(f"{'met   ' if mark['met'] else 'MISSED'} {mark['mark']}: {mark['is']} ({bound})")
    sys.exit(not all(mark["met"] for mark in bench.judged))


main()
