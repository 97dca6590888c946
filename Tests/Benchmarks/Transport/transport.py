"""transport.py PROGRAM [--runs N] [--growth] [--json] [--report]: how fast frames go, beside C written by hand: `make bench`.

PROGRAM is transport-bench. The baseline in C is compiled by the run. Server and client are two processes, each pinned to a core
of its own, for ping-pong both to the same, for --growth to none. What is compared takes turns, every server is a fresh one, and medians are told, as
ratios to the baseline. A ratio beyond the threshold in marks.json makes the exit code 1, unless --report is given.
"""

import argparse
import contextlib
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys

import plot

HERE = pathlib.Path(__file__).parent
SOURCES = ["raw.c", "server.c", "client.c"]
SIZES = [64, 256, 1024, 4096, 16_384, 65_536]
CLIENTS = [10, 100, 1000, 5000]
# Where the kernel's buffers hide nothing: 200 frames of 256 bytes are 52 KB for each client.
FRAMES, FRAME_SIZE = 200, 256
PARTS = ["allocations", "one_way", "ping_pong", "accept", "fan_out", "encrypted", "web"]
MEMBERS = 1000


def compiled(target, *arguments):
    """What is made of C sources with whatever compiler there is."""
    compiler = next(filter(None, map(shutil.which, ["cc", "gcc", "clang"])), None)
    if not compiler:
        sys.exit("transport.py: there is no C compiler; install gcc, or put that of Swift (clang) on the PATH")
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-o", target, *arguments], check=True)
    return target


class Bench:
    def __init__(self, options):
        self.runs = options.runs
        self.program = pathlib.Path(options.program).resolve()
        self.folder = self.program.parent
        self.raw = compiled(self.folder / "raw", *(HERE / name for name in SOURCES))
        self.figures = {}
        cores = sorted(os.sched_getaffinity(0))
        # Loops have to have cores to themselves, so what they bring is measured without pins.
        self.server_cores, self.client_cores = (cores, cores) if options.growth else (cores[:1], cores[-1:])

    def note(self, group, who, figures):
        for figure, value in figures.items():
            self.figures.setdefault(group, {}).setdefault(who, {}).setdefault(figure, []).append(value)

    counted = None

    def environment(self, who):
        """Whose allocations are counted has the counter preloaded."""
        if who != self.counted:
            return None
        return {**os.environ, "LD_PRELOAD": str(self.folder / "allocations.so"), "ALLOCATIONS": str(self.folder / "allocations")}

    @contextlib.contextmanager
    def server(self, who, *more):
        """A fresh server on its core, and its port."""
        ours = [self.program, "serve", "--port", "0", "--interface", "lo", *more]
        others = {"raw": [self.raw, "serve", "0"], "python3-websockets": ["/usr/bin/python3", HERE / "websockets_peer.py"]}
        command = others.get(who, ours)
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=self.environment(who),
            preexec_fn=lambda: os.sched_setaffinity(0, self.server_cores),
        )
        try:
            yield process.stdout.readline().split()[1]
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()

    def client(self, *command, cores=None):
        """What a client has measured."""
        said = subprocess.run(
            [str(word) for word in command], check=True, capture_output=True, text=True, timeout=120,
            env=self.environment("client"), preexec_fn=lambda: os.sched_setaffinity(0, cores or self.client_cores),
        )
        return json.loads(said.stdout)

    def measure_with_c(self, port, measure, *numbers, cores=None):
        return self.client(self.raw, measure, "127.0.0.1", port, *numbers, cores=cores)

    def measure_with_swift(self, port, measure, *options, cores=None):
        return self.client(self.program, "client", measure, "--json", "--port", port, *options, cores=cores)

    def one_way(self):
        for _ in range(self.runs):
            for size in SIZES:
                group = f"one way, {size} B"
                count = max(20_000, min(10_000_000, 1_500_000_000 // size))
                with self.server("raw") as port:
                    self.note(group, "raw", self.measure_with_c(port, "one-way", count, size, 0))
                for mode, most in ("frames", 5_000_000), ("batches", 10_000_000):
                    options = ["--size", size, "--count", min(count, most)]
                    with self.server("ours", "--mode", mode) as port:
                        self.note(group, mode, self.measure_with_swift(port, "one-way", *options))
                    with self.server("ours", "--mode", mode) as port:
                        self.note(group, f"{mode}, sent by C", self.measure_with_c(port, "one-way", min(count, most), size, 0))

    def ping_pong(self):
        cores = self.server_cores
        for _ in range(self.runs):
            with self.server("raw") as port:
                self.note("ping-pong, 64 B, one core", "raw", self.measure_with_c(port, "ping-pong", 20_000, 64, cores=cores))
            with self.server("ours") as port:
                figures = self.measure_with_swift(port, "ping-pong", "--size", 64, "--count", 20_000, cores=cores)
                self.note("ping-pong, 64 B, one core", "ours", figures)
            with self.server("ours") as port:
                figures = self.measure_with_c(port, "ping-pong", 20_000, 64, cores=cores)
                self.note("ping-pong, 64 B, one core", "ours, asked by C", figures)

    def accept(self):
        for _ in range(self.runs):
            for who in "raw", "ours":
                with self.server(who) as port:
                    self.note("accept, hello, answer, close", who, self.measure_with_c(port, "accept", 15_000, 32))

    def fan_out(self):
        """The client is in C for both: what is compared is the server."""
        for _ in range(self.runs):
            for clients in CLIENTS:
                for who in "raw", "ours":
                    with self.server(who) as port:
                        figures = self.measure_with_c(port, "fan-out", clients, FRAMES, FRAME_SIZE)
                        self.note(f"fan-out to {clients}, coalesced", who, figures)

    def encrypted(self):
        """The same with and without encryption, one after the other, with our client at the other end."""
        for _ in range(self.runs):
            for who, more in ("plaintext", []), ("encrypted", ["--encrypted"]):
                for size, count in (64, 3_000_000), (65_536, 40_000):
                    with self.server("ours", "--mode", "batches", *more) as port:
                        figures = self.measure_with_swift(port, "one-way", "--size", size, "--count", count, *more)
                        self.note(f"encryption, one way, {size} B", who, figures)
                with self.server("ours", *more) as port:
                    figures = self.measure_with_swift(port, "accept", "--count", 2_000, *more)
                    self.note("encryption, accept, hello, answer, close", who, figures)
                with self.server("ours", *more) as port:
                    options = ["--clients", MEMBERS, "--count", FRAMES, "--size", FRAME_SIZE]
                    figures = self.measure_with_swift(port, "fan-out", *options, *more)
                    self.note(f"encryption, fan-out to {MEMBERS}", who, figures)

    def web(self):
        """The same over WebSockets and without, one after the other, with our client at the other end; and python3-websockets."""
        for _ in range(self.runs):
            for who, on, more in ("native", [], []), ("native beside WebSockets", ["--web"], []), ("WebSocket", ["--web"], ["--web"]):
                for size, count in (64, 3_000_000), (65_536, 40_000):
                    with self.server("ours", "--mode", "batches", *on) as port:
                        figures = self.measure_with_swift(port, "one-way", "--size", size, "--count", count, *more)
                        self.note(f"WebSockets, one way, {size} B", who, figures)
                with self.server("ours", *on) as port:
                    options = ["--size", 64, "--count", 20_000, *more]
                    figures = self.measure_with_swift(port, "ping-pong", *options, cores=self.server_cores)
                    self.note("WebSockets, echo, 64 B, one core", who, figures)
                with self.server("ours", *on) as port:
                    options = ["--clients", MEMBERS, "--count", FRAMES, "--size", FRAME_SIZE, *more]
                    self.note(f"WebSockets, fan-out to {MEMBERS}", who, self.measure_with_swift(port, "fan-out", *options))
            for size, count in (64, 100_000), (65_536, 10_000):
                with self.server("python3-websockets") as port:
                    figures = self.measure_with_swift(port, "one-way", "--size", size, "--count", count, "--web")
                    self.note(f"WebSockets, one way, {size} B", "python3-websockets", figures)
            with self.server("python3-websockets") as port:
                options = ["--size", 64, "--count", 5_000, "--web"]
                figures = self.measure_with_swift(port, "ping-pong", *options, cores=self.server_cores)
                self.note("WebSockets, echo, 64 B, one core", "python3-websockets", figures)

    def allocations(self):
        """How much is allocated for a million messages more, by server and client; once, for it is no matter of time."""
        compiled(self.folder / "allocations.so", "-shared", "-fPIC", HERE / "allocations.c")
        group = "allocations per million messages of 64 B"
        million = 1_000_000
        self.counted = "ours"
        for mode in "frames", "batches":
            with self.counting() as count, self.server("ours", "--mode", mode) as port:
                self.measure_with_c(port, "one-way", million // 10, 64, 0)
                before = count()
                self.measure_with_c(port, "one-way", million, 64, 0)
                # The client has sent a twentieth more before it began to measure.
                self.note(group, f"received, {mode}", {"allocations": (count() - before) / 1.05})
        with self.counting() as count, self.server("ours") as port:
            self.measure_with_c(port, "fan-out", 10, 1000, 64)
            before = count()
            self.measure_with_c(port, "fan-out", 10, million // 10, 64)
            self.note(group, "broadcast to 10", {"allocations": count() - before})
        self.counted = "client"
        for batch in 1, 256:
            sent = []
            for millions in 1, 2:
                with self.counting() as count, self.server("raw") as port:
                    self.measure_with_swift(port, "one-way", "--count", millions * million, "--batch", batch)
                    sent.append(count())
            who = "sent" if batch == 1 else f"sent, {batch} at a time"
            self.note(group, who, {"allocations": (sent[1] - sent[0]) / 1.05})
        self.counted = None

    @contextlib.contextmanager
    def counting(self):
        """A counter of allocations that starts at zero."""
        path = self.folder / "allocations"
        path.write_bytes(bytes(8))
        yield lambda: int.from_bytes(path.read_bytes()[:8], sys.byteorder)

    def growth(self):
        """How cost grows with clients, with messages, and with loops."""
        for _ in range(self.runs):
            for loops in 1, 2:
                more, ours = ["--loops", str(loops)], f"{loops} loop{'s' * (loops > 1)}"
                for clients in [*CLIENTS, 10_000]:
                    with self.server("ours", *more) as port:
                        self.note(f"{clients} clients", ours, self.measure_with_c(port, "fan-out", clients, FRAMES, FRAME_SIZE))
                    with self.server("ours", *more) as port:
                        at_once = min(clients, 256)
                        self.note(f"{clients} clients", ours, self.measure_with_c(port, "accept", max(clients, 2000), at_once))
                for size in [1024 << power for power in range(7)]:
                    for mode in "frames", "batches":
                        with self.server("ours", "--mode", mode, *more) as port:
                            figures = self.measure_with_c(port, "one-way", max(20_000, 1_000_000_000 // size), size, 0)
                            self.note(f"messages of {size} B, {mode}", ours, figures)

    def medians(self):
        return {
            group: {who: {name: statistics.median(values) for name, values in figures.items()} for who, figures in rows.items()}
            for group, rows in self.figures.items()
        }


def ratios(medians):
    """What the marks are about: a name, what was measured and, where there is one, the same by processor time."""
    if "one way, 64 B" in medians:
        by_frame = medians["one way, 64 B"]["frames"]
        yield "64 B one way, by frame, to raw", *speeds(medians, 64, "frames")
        yield "64 B one way, by frame, CPU seconds per million", by_frame["clientCPUPerMillion"] + by_frame["serverCPUPerMillion"], None
        yield "64 B one way, batches in place, to raw", *speeds(medians, 64, "batches, sent by C")
        yield "1 KiB one way, by frame, to raw", *speeds(medians, 1024, "frames")
        yield "64 KiB one way, by frame, to raw", *speeds(medians, 65_536, "frames")
    if rows := medians.get("ping-pong, 64 B, one core"):
        p50 = {who: figures["p50Microseconds"] for who, figures in rows.items()}
        # By the same client in C, as any load generator would measure a server; and as those have it who use it at both ends.
        yield "64 B ping-pong p50, one core, server, to raw", p50["ours, asked by C"] / p50["raw"], None
        yield "64 B ping-pong p50, one core, both ends, to raw", p50["ours"] / p50["raw"], None
    most = CLIENTS[-1]
    if rows := medians.get(f"fan-out to {most}, coalesced"):
        yield f"fan-out to {most}, coalesced, to raw", *times(rows)
        yield f"fan-out to {most}, growth to 10 MB and 4 KB per connection", rows["ours"]["growthBytes"] / (10e6 + 4e3 * most), None
        yield "bytes per idle connection", rows["ours"]["idleBytesPerConnection"], None
    if rows := medians.get("allocations per million messages of 64 B"):
        yield "allocations per million messages, whichever way", max(figures["allocations"] for figures in rows.values()), None
    if rows := medians.get("encryption, one way, 64 B"):
        yield "64 B one way, encrypted, to plaintext", *speeds_to(rows, "encrypted", "plaintext")
        rows = medians["encryption, one way, 65536 B"]
        yield "64 KiB one way, encrypted, to plaintext", *speeds_to(rows, "encrypted", "plaintext")
        yield "64 KiB one way, encrypted, MB/s", rows["encrypted"]["messagesPerSecond"] * 65_536 / 1e6, None
        joins = medians["encryption, accept, hello, answer, close"]["encrypted"]
        yield "encrypted join p99, milliseconds", joins["joinP99Milliseconds"], None
        rows = medians[f"encryption, fan-out to {MEMBERS}"]
        yield "bytes per idle encrypted connection", rows["encrypted"]["idleBytesPerConnection"], None
        yield f"fan-out to {MEMBERS}, encrypted, to plaintext", rows["encrypted"]["seconds"] / rows["plaintext"]["seconds"], None
    if rows := medians.get("WebSockets, one way, 64 B"):
        yield "64 B one way, WebSocket, to native", *speeds_to(rows, "WebSocket", "native")
        yield "64 B one way, native beside WebSockets, to native", *speeds_to(rows, "native beside WebSockets", "native")
        rows = medians["WebSockets, one way, 65536 B"]
        yield "64 KiB one way, WebSocket, to native", *speeds_to(rows, "WebSocket", "native")
        p50 = {who: figures["p50Microseconds"] for who, figures in medians["WebSockets, echo, 64 B, one core"].items()}
        yield "64 B echo, one core, WebSocket, to native", p50["native"] / p50["WebSocket"], None
        rows = medians[f"WebSockets, fan-out to {MEMBERS}"]
        by_cpu = rows["WebSocket"]["serverCPUSeconds"] / rows["native"]["serverCPUSeconds"]
        yield f"fan-out to {MEMBERS}, WebSocket, to native, by the server's CPU", by_cpu, None
    if rows := medians.get("accept, hello, answer, close"):
        raw, ours = rows["raw"], rows["ours"]
        by_cpu = raw["serverCPUMicroseconds"] / ours["serverCPUMicroseconds"]
        yield "accept, hello, answer, close, to raw", ours["connectionsPerSecond"] / raw["connectionsPerSecond"], by_cpu


def speeds(medians, size, who):
    """How fast to raw, and how fast by the processor time of the side that needs more."""
    rows = medians[f"one way, {size} B"]
    cost = {name: max(rows[name]["clientCPUPerMillion"], rows[name]["serverCPUPerMillion"]) for name in (who, "raw")}
    return rows[who]["messagesPerSecond"] / rows["raw"]["messagesPerSecond"], cost["raw"] / cost[who]


def speeds_to(rows, who, other):
    """How fast to another, and how fast by the processor time of the side that needs more."""
    cost = {name: max(rows[name]["clientCPUPerMillion"], rows[name]["serverCPUPerMillion"]) for name in (who, other)}
    return rows[who]["messagesPerSecond"] / rows[other]["messagesPerSecond"], cost[other] / cost[who]


def times(rows):
    """How long to raw, and how much processor time of the server's."""
    ours, raw = rows["ours"], rows["raw"]
    return ours["seconds"] / raw["seconds"], ours["serverCPUSeconds"] / raw["serverCPUSeconds"]


def judged(medians):
    """Each mark: what was measured, what it shall be, and whether it is a regression.

    Others who are busy on the machine take time from one side more than from the other. So what is beyond the threshold in time
    is a regression only if it is in processor time too.
    """
    marks = json.loads((HERE / "marks.json").read_text(encoding="utf-8"))
    for name, value, by_cpu in ratios(medians):
        mark = marks[name]
        sign = 1 if mark["sense"] == "at least" else -1
        is_beyond = [sign * number < sign * mark["threshold"] for number in (value, by_cpu) if number is not None]
        yield {
            "name": name, "value": round(value, 3), "byCPU": by_cpu and round(by_cpu, 3), **mark,
            "met": sign * value >= sign * mark["mark"], "regressed": all(is_beyond),
        }


def show(bench, medians, marks):
    for group, rows in medians.items():
        print(group)
        for who, figures in rows.items():
            told = []
            for figure, value in figures.items():
                if figure not in ("size", "clients"):
                    values = bench.figures[group][who][figure]
                    spread = f" ({min(values):.4g} to {max(values):.4g})" if len(values) > 1 else ""
                    told.append(f"{figure} {value:.4g}{spread}")
            print(f"  {who:<20} " + "\n                       ".join(told))
    for mark in marks:
        verdict = "met      " if mark["met"] else "REGRESSED" if mark["regressed"] else "missed   "
        by_cpu = f", {mark['byCPU']:g} by CPU" if mark["byCPU"] else ""
        bounds = f"{mark['sense']} {mark['mark']:g}, regression beyond {mark['threshold']:g}"
        print(f"{verdict} {mark['name']}: {mark['value']:g}{by_cpu} ({bounds})")


def draw(medians, path):
    """Throughput by message size, and fan-out time by clients."""
    sizes = [size for size in SIZES if f"one way, {size} B" in medians]
    clients = [number for number in CLIENTS if f"fan-out to {number}, coalesced" in medians]
    panels = []
    if sizes:
        megabytes = lambda who: [(size, medians[f"one way, {size} B"][who]["messagesPerSecond"] * size / 1e6) for size in sizes]
        panels.append(plot.Panel("One way, by message size", "bytes", "MB/s", {who: megabytes(who) for who in ("raw", "frames", "batches")}))
    if clients:
        times = lambda who: [(number, 1e3 * medians[f"fan-out to {number}, coalesced"][who]["seconds"]) for number in clients]
        title = f"Fan-out of {FRAMES} frames of {FRAME_SIZE} B, coalesced"
        panels.append(plot.Panel(title, "clients", "ms", {who: times(who) for who in ("raw", "ours")}))
    if panels:
        path.write_text(plot.svg(panels), encoding="utf-8")
    return bool(panels)


def main():
    parser = argparse.ArgumentParser(prog="make bench OPTIONS=...")
    parser.add_argument("program", metavar="PROGRAM", help="transport-bench, built for release")
    parser.add_argument("--runs", type=int, default=5, help="how often everything is measured; 5 unless told")
    parser.add_argument("--only", action="append", choices=PARTS, help="measure only this")
    parser.add_argument("--growth", action="store_true", help="measure how cost grows instead, up to 10,000 clients")
    parser.add_argument("--json", action="store_true", help="write everything as one JSON object")
    parser.add_argument("--report", action="store_true", help="exit with 0 even if there is a regression")
    parser.add_argument("--plot", type=pathlib.Path, help="where to draw; transport.svg beside PROGRAM's folder unless told")
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    folder = pathlib.Path(options.program).resolve().parent
    bench = Bench(options)
    for part in ["growth"] if options.growth else options.only or PARTS:
        getattr(bench, part)()
    medians = bench.medians()
    marks = list(judged(medians))
    path = options.plot or folder / "transport.svg"
    is_drawn = draw(medians, path)
    if options.json:
        print(json.dumps({"medians": medians, "runs": bench.figures, "marks": marks}))
    else:
        show(bench, medians, marks)
        if is_drawn:
            print(f"drawn: {path}")
    sys.exit(1 if any(mark["regressed"] for mark in marks) and not options.report else 0)


main()
