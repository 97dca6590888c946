"""figures.py times | memory | publications MINUTES | packets SERVICES MINUTES: measures the daemons of h1 and h2, which are the same, as unchanged programs see them.

`compare.py` runs it on a private LAN with each daemon. Each figure is a line of JSON: [NAME, VALUE, FORMAT].
"""

import json
import os
import pathlib
import socket
import statistics
import struct
import subprocess
import sys
import time

HOSTS = ("h1", "h2")
PROGRAM = ["/usr/bin/python3", "-B", str(pathlib.Path(__file__).resolve())]
CLIENTS = [*PROGRAM[:2], str(pathlib.Path(PROGRAM[2]).parent / "clients.py")]
ETH_P_ALL, ETHERTYPES = 3, (0x0800, 0x86DD)
RESOLVED, OF_ONE_HOST, CACHED = 500, 1500, (1000, 10000)


def tell(name, value, form="%.0f"):
    print(json.dumps([name, value, form]), flush=True)


def process(host):
    return int(pathlib.Path(f"/run/lan/{host}/avahi.pid").read_text(encoding="ascii"))


def memory(host, field):
    with open(f"/proc/{process(host)}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) / 1024


def private(host):
    with open(f"/proc/{process(host)}/smaps_rollup", encoding="ascii") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_")) / 1024


def processor_time(host):
    with open(f"/proc/{process(host)}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(host, *command):
    return subprocess.Popen(["on", host, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def end(*programs):
    for program in programs:
        program.stdin.close()
        program.kill()
        program.wait()


def milliseconds(began):
    return 1000 * (time.monotonic() - began)


def wait_for(program, line):
    for said in program.stdout:
        if said.rstrip("\n") == line:
            return
    raise SystemExit(f"a program has ended that was to say: {line}")


def datagrams(seconds):
    """How many datagrams of mDNS pass the switch in that time."""
    count, until = 0, time.monotonic() + seconds
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL)) as listener:
        listener.bind(("br0", 0))
        while (left := until - time.monotonic()) > 0:
            listener.settimeout(left)
            try:
                packet, address = listener.recvfrom(65535)
            except TimeoutError:
                break
            if address[1] not in ETHERTYPES or address[2] == socket.PACKET_OUTGOING:
                continue
            kind, udp = (packet[9], packet[(packet[0] & 15) * 4 :]) if packet[0] >> 4 == 4 else (packet[6], packet[40:])
            count += kind == socket.IPPROTO_UDP and int.from_bytes(udp[2:4], "big") == 5353
    return count


def publish_and_resolve(browser, number):
    """The time from the start of avahi-publish on h1 until avahi-browse on h2 has resolved its service, in milliseconds."""
    name, began = f"number{number}", time.monotonic()
    publisher = start("h1", "avahi-publish", "-s", name, "_bench._tcp", "1")
    try:
        for line in browser.stdout:
            if line.startswith("=;eth0;IPv4;") and f";{name};" in line:
                return milliseconds(began)
    finally:
        end(publisher)
    raise SystemExit("avahi-browse has ended")


def resolve(host):
    """Waits until the daemon of h2 resolves the name of a host."""
    while subprocess.run(["on", "h2", "avahi-resolve", "-4", "-n", f"{host}.local"], capture_output=True, check=False).returncode:
        time.sleep(0.01)


def restart():
    """The time from the start of the daemon of h2 until it resolves a name of h1, in milliseconds."""
    subprocess.run(["daemon", "h2", "kill"], check=True)
    began = time.monotonic()
    starting = subprocess.Popen(["daemon", "h2", "start"])
    resolve("h1")
    try:
        return milliseconds(began)
    finally:
        starting.wait()


def publish(count):
    """Publishes services on h1; returns the program, and how long it took until they were established, in milliseconds."""
    began = time.monotonic()
    publisher = start("h1", *CLIENTS, "publish", str(count), "_many._tcp")
    wait_for(publisher, f"published {count}")
    return publisher, milliseconds(began)


def browse(count, prefix, seconds):
    """How many services avahi-browse finds on h2 over IPv4, at most `count`, and how long that takes in milliseconds."""
    began, names, last = time.monotonic(), set(), 0
    browser = start("h2", "timeout", str(seconds), "avahi-browse", "-rp" if prefix == "=" else "-p", "_many._tcp")
    for line in browser.stdout:
        if line.startswith(f"{prefix};eth0;IPv4;"):
            names.add(line.split(";")[3])
            last = milliseconds(began)
        if len(names) == count:
            break
    end(browser)
    return len(names), last


def many():
    publisher, _ = publish(RESOLVED)
    # One that knows nothing of them.
    restart()
    found, took = browse(RESOLVED, "=", 60)
    tell(f"browse until {RESOLVED} are resolved, ms", took if found == RESOLVED else None)
    if found < RESOLVED:
        tell("  of them resolved in a minute", found)
    end(publisher)
    time.sleep(3)
    for host in HOSTS:
        subprocess.run(["daemon", host, "restart"], check=True)
    resolve("h1")
    publisher, took = publish(OF_ONE_HOST)
    tell(f"{OF_ONE_HOST} services of one host published, ms", took)
    tell("  found by a daemon that was there, in 20 s", browse(OF_ONE_HOST, "+", 20)[0])
    restart()
    tell("  found by one that was started then, in 20 s", browse(OF_ONE_HOST, "+", 20)[0])
    tell("  resident of the publishing daemon, MiB", memory("h1", "VmRSS"), "%.1f")
    end(publisher)


def announce(count):
    """Says on h1, where no daemon runs, that there are so many services, each once, a hundred in a tenth of a second."""

    def name(*labels):
        return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        sender.bind(("", 5353))
        for first in range(0, count, 20):
            records = b""
            for number in range(first, first + 20):
                instance = name(f"service {number}", "_cached", "_tcp", "local")
                records += name("_cached", "_tcp", "local") + struct.pack("!HHIH", 12, 1, 4500, len(instance)) + instance
            sender.sendto(struct.pack("!6H", 0, 0x8400, 0, 20, 0, 0) + records, ("224.0.0.251", 5353))
            time.sleep(0.02)


def cached(count):
    """How many services of others avahi-browse finds on h2 of so many that are announced at once, and what its daemon needs then."""
    subprocess.run(["daemon", "h2", "restart"], check=True)
    browser = start("h2", "timeout", "20", "avahi-browse", "-p", "_cached._tcp")
    time.sleep(2)
    subprocess.run(["on", "h1", *PROGRAM, "announce", str(count)], check=True)
    found = 0
    for line in browser.stdout:
        found += line.startswith("+;")
        if found == count:
            break
    tell(f"resident, MiB, {count} services of another host announced", memory("h2", "VmRSS"), "%.1f")
    tell(f"  found of {count}", found)
    end(browser)


def resident():
    time.sleep(3)
    tell("resident, MiB, idle", max(memory(host, "VmRSS") for host in HOSTS), "%.1f")
    tell("  of it private, MiB", max(private(host) for host in HOSTS), "%.1f")
    subprocess.run(["daemon", "h1", "stop"], check=True)
    for count in CACHED:
        cached(count)


def times():
    time.sleep(3)
    idle = [processor_time(host) for host in HOSTS]
    time.sleep(20)
    tell("processor, ms in 20 s, idle", 1000 * max(processor_time(host) - before for host, before in zip(HOSTS, idle)))
    tell("start until the first answer, ms", statistics.median(restart() for _ in range(5)))
    many()


def publications(minutes):
    """One service after the other.

    Of each time 0 to 250 ms are random (RFC 6762 section 8.1). avahi-daemon 0.8 draws them anew every ten seconds, and the same ones after
    each start: what a minute shows is luck.
    """
    took, until = [], time.monotonic() + 60 * minutes
    browser = start("h2", "avahi-browse", "-rp", "_bench._tcp")
    while time.monotonic() < until:
        took.append(publish_and_resolve(browser, len(took)))
        time.sleep(1)
    end(browser)
    tell("published until resolved, ms, mean", statistics.mean(took))
    tell("published until resolved, ms, median", statistics.median(took))
    tell("published until resolved, ms, worst", max(took))
    tell("resident, MiB, afterwards", max(memory(host, "VmRSS") for host in HOSTS), "%.1f")


def packets(services, minutes):
    """The datagrams of mDNS once all that is published is resolved and announced."""
    services = int(services)
    publisher, _ = publish(services)
    resolver = start("h2", *CLIENTS, "resolve", "_many._tcp")
    wait_for(resolver, f"resolved {services}")
    time.sleep(30)
    tell(f"datagrams, {services} service{'s' if services > 1 else ''} and a browser that resolves", datagrams(60 * minutes))
    end(publisher, resolver)


if __name__ == "__main__":
    what, *numbers = sys.argv[1:]
    parts = {"times": times, "memory": resident, "publications": publications, "packets": packets, "announce": announce}
    parts[what](*map(int if what == "announce" else float, numbers))
