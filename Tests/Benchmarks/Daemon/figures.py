"""figures.py [TIMES]: prints what the daemons of h1 and h2 need, and how long unchanged programs of Avahi wait for them.

`make bench-daemon` runs it on a private LAN, once with each daemon, and prints both.
"""

import os
import statistics
import subprocess
import sys
import time

TIMES = int(sys.argv[1]) if len(sys.argv) > 1 else 20
HOSTS = ("h1", "h2")


def process(host):
    with open(f"/run/lan/{host}/avahi.pid", encoding="ascii") as file:
        return int(file.read())


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
    return subprocess.Popen(["on", host, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def publish_and_resolve(browser, number):
    """The time from the start of avahi-publish on h1 until avahi-browse on h2 has resolved its service, in milliseconds."""
    name, began = f"number{number}", time.monotonic()
    publisher = start("h1", "avahi-publish", "-s", name, "_bench._tcp", "1")
    try:
        for line in browser.stdout:
            if line.startswith("=;eth0;IPv4;") and f";{name};" in line:
                return 1000 * (time.monotonic() - began)
    finally:
        publisher.kill()
        publisher.wait()
    raise SystemExit("avahi-browse has ended")


def restart():
    """The time from the start of the daemon of h2 until it resolves a name of h1, in milliseconds."""
    subprocess.run(["daemon", "h2", "kill"], check=True)
    began = time.monotonic()
    starting = subprocess.Popen(["daemon", "h2", "start"])
    while subprocess.run(["on", "h2", "avahi-resolve", "-4", "-n", "h1.local"], capture_output=True, check=False).returncode:
        time.sleep(0.01)
    try:
        return 1000 * (time.monotonic() - began)
    finally:
        starting.wait()


def main():
    time.sleep(3)
    idle = [processor_time(host) for host in HOSTS]
    rows = [("resident, MiB, idle", max(memory(host, "VmRSS") for host in HOSTS), "%.1f")]
    rows.append(("of it private, MiB", max(private(host) for host in HOSTS), "%.1f"))
    time.sleep(20)
    used = max(processor_time(host) - before for host, before in zip(HOSTS, idle))
    rows.append(("processor, ms in 20 s, idle", 1000 * used, "%.0f"))
    browser = start("h2", "avahi-browse", "-rp", "_bench._tcp")
    times = [publish_and_resolve(browser, number) for number in range(TIMES)]
    browser.kill()
    rows.append(("published until resolved, ms, median", statistics.median(times), "%.0f"))
    rows.append(("published until resolved, ms, worst", max(times), "%.0f"))
    rows.append(("resident, MiB, afterwards", max(memory(host, "VmRSS") for host in HOSTS), "%.1f"))
    rows.append(("start until the first answer, ms", statistics.median(restart() for _ in range(5)), "%.0f"))
    for what, value, form in rows:
        print(f"{what:40}{form % value:>10}")


if __name__ == "__main__":
    main()
