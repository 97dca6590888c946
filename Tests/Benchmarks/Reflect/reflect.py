"""reflect.py PROGRAMS [--services N] [--runs N] [--json]: how fast and with how many datagrams services cross `bonjourish reflect`.

Runs on two private networks with the reflector between them: `make bench-reflect`. Half of the services are published on each side. The
delay of a service is the time from its first announcement on its own network to the first on the other; medians of all are told. All is IPv4:
a host announces with one family after the other, and a service crosses with the first.
"""

import argparse
import json
import pathlib
import re
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

TYPE = "_bench._tcp"
SO_TIMESTAMPNS = 35  # when the kernel has received a datagram, however late it is read
LABEL = re.compile(rb"Bench [ab] \d{4}")


def listen(seconds):
    """Hears the group for a while, and writes when each service was announced first, and how many datagrams each sender sent."""
    heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    heard.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    heard.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    heard.bind(("224.0.0.251", 5353))
    heard.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("224.0.0.251") + struct.pack("=i", 0) + struct.pack(
        "=i", socket.if_nametoindex("eth0")))
    first, senders, end = {}, {}, time.monotonic() + seconds
    print("listening", flush=True)
    while (left := end - time.monotonic()) > 0:
        heard.settimeout(left)
        try:
            data, ((_, _, stamp), *_), _, (address, _) = heard.recvmsg(9216, 64)
        except TimeoutError:
            break
        seconds, nanoseconds = struct.unpack("qq", stamp)
        now = seconds + nanoseconds / 1e9
        count = senders.setdefault(address, [0, 0])
        count[0] += 1
        count[1] += len(data)
        # Only answers announce: a response without questions.
        if data[2] & 0x80:
            for label in LABEL.findall(data):
                first.setdefault(label.decode(), now)
    print(json.dumps({"first": first, "senders": senders}), flush=True)


def start(host, *command):
    return subprocess.Popen(["on", host, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def browse(program, host, count, found):
    """Browses until all services are found; notes when."""
    names = set()
    for line in program.stdout:
        event = json.loads(line)
        if event["event"] == "found":
            names.add(event["name"])
            if len(names) == count:
                found[host] = time.monotonic()
                return


def run(programs, count, seconds):
    tool = str(programs / "bonjourish")
    with tempfile.TemporaryDirectory(dir="/run") as folder:
        listeners = {host: start(host, sys.executable, "-B", __file__, "--listen", str(seconds)) for host in ("h1", "h2")}
        for listener in listeners.values():
            listener.stdout.readline()
        reflector = start("h3", tool, "reflect", "--between", "eth0,eth1", "--type", "bench", "--family", "4", "--stats", "--json")
        reflector.stdout.readline()
        found, browsers, threads = {}, [], []
        for host in ("h1", "h2"):
            browser = start(host, tool, "browse", "bench", "--json", "--backend", "builtin", "--family", "4")
            thread = threading.Thread(target=browse, args=(browser, host, count, found), daemon=True)
            thread.start()
            browsers.append(browser)
            threads.append(thread)
        publishers = []
        began = time.monotonic()
        for host, side in (("h1", "a"), ("h2", "b")):
            file = pathlib.Path(folder) / f"{side}.json"
            services = [{"name": f"Bench {side} {number:04}", "type": "bench", "port": 80} for number in range(count // 2)]
            file.write_text(json.dumps({"services": services}), encoding="ascii")
            publishers.append(start(host, tool, "publish", "--file", str(file), "--json", "--backend", "builtin", "--family", "4"))
        for thread in threads:
            thread.join(seconds)
        heard = {host: json.loads(listener.communicate()[0]) for host, listener in listeners.items()}
        reflector.send_signal(2)
        lines = [json.loads(line) for line in reflector.communicate()[0].splitlines()]
        for program in publishers + browsers:
            program.kill()
            program.communicate()
    delays = {}
    for side, near, far in (("a", "h1", "h2"), ("b", "h2", "h1")):
        times = [
            (heard[far]["first"][name] - when) * 1000
            for name, when in heard[near]["first"].items() if name.startswith(f"Bench {side}") and name in heard[far]["first"]
        ]
        delays[f"{near} to {far}"] = times
    return {
        "delays": delays,
        "found": {host: when - began for host, when in found.items()},
        "datagrams": {host: {address: one[0] for address, one in heard[host]["senders"].items()} for host in heard},
        "kilobytes": {host: {address: one[1] // 1000 for address, one in heard[host]["senders"].items()} for host in heard},
        "passages": next(line for line in lines if line["event"] == "reflection")["passages"],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=pathlib.Path, nargs="?")
    parser.add_argument("--services", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--listen", type=float)
    options = parser.parse_args()
    if options.listen:
        listen(options.listen)
        return
    results = [run(options.programs, options.services, options.seconds) for _ in range(options.runs)]
    if options.json:
        print(json.dumps(results))
        return
    for number, result in enumerate(results, 1):
        print(f"run {number}: {options.services} services, half on each network")
        for way, times in result["delays"].items():
            if not times:
                print(f"  {way}: nothing crossed")
                continue
            high = sorted(times)[int(len(times) * 0.99) - 1]
            print(f"  {way}: {len(times)} crossed, median {statistics.median(times):.2f} ms later, 99 % within {high:.1f} ms")
        for host in ("h1", "h2"):
            all_found = f"all found after {result['found'][host]:.2f} s" if host in result["found"] else "not all found"
            print(f"  {host}: {all_found}; datagrams heard: {result['datagrams'][host]}; kB: {result['kilobytes'][host]}")
        for passage in result["passages"]:
            kept = ", ".join(f"{one['count']} {one['rule']}" for one in passage["kept"])
            print(f"  services of {passage['from']} on {passage['to']}: {passage['records']} records, {passage['questions']} questions; kept: {kept}")


main()
