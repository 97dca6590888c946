"""Compares the example Files with encrypted frames of 64 KiB, on one host of a private network: `make bench-files`.

A file of random bytes in memory is fetched from another process, and written to memory; each process has a core of its own, in both cases.
The time of a file runs from its first quarter to its end, so that looking for the service and its passcode do not count.
"""
import json, os, re, statistics, subprocess, sys, tempfile, time
from pathlib import Path

SIZE = 1 << 30  # of the file; the example tells its progress after each quarter
PASSCODE = "471123"


def start(core, *command, **more):
    """Starts a program on a core, with its output as lines."""
    return subprocess.Popen(
        ["stdbuf", "-oL", *map(str, command)], stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}), **more)


def frames(folder):
    """Megabytes of encrypted frames in a second."""
    server = start(0, folder / "transport-bench", "serve", "--port", 0, "--interface", "lo", "--mode", "batches", "--encrypted")
    port = server.stdout.readline().split()[1]
    options = ["--json", "--port", port, "--size", 65_536, "--count", SIZE // 65_536, "--encrypted"]
    client = start(1, folder / "transport-bench", "client", "one-way", *options)
    figures = json.loads(client.communicate(timeout=120)[0])
    server.terminate()
    server.wait()
    return figures["messagesPerSecond"] * 65_536 / 1e6


def file(folder, offered, fetched):
    """Megabytes of a file in a second."""
    server = start(0, folder / "files", "offer", offered, PASSCODE)
    name = server.stdout.readline().removeprefix("offered as ").strip()
    client = start(1, folder / "files", "get", name, PASSCODE, "big", cwd=fetched)
    times = []
    for line in client.stdout:
        if re.match(r"\d+ of \d+ MiB", line):
            times.append(time.monotonic())
    assert client.wait() == 0, f"files get has ended with {client.returncode}"
    server.terminate()
    server.wait()
    (fetched / "big").unlink()
    return SIZE * 3 / 4 / (times[3] - times[0]) / 1e6


def main():
    folder, runs = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        offered, fetched = Path(place, "offered"), Path(place, "fetched")
        offered.mkdir()
        fetched.mkdir()
        with open(offered / "big", "wb") as big:
            for _ in range(SIZE >> 20):
                big.write(os.urandom(1 << 20))
        figures = [(frames(folder), file(folder, offered, fetched)) for _ in range(runs)]
    for one, other in figures:
        print(f"frames {one:7.0f} MB/s   file {other:7.0f} MB/s   {other / one:.2f}")
    print(f"median of {runs}: {statistics.median(other / one for one, other in figures):.2f} of the speed of frames")


main()
