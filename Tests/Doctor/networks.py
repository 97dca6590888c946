#!/usr/bin/env -S python3 -B
"""Breaks 32 private networks, one after another, and asks `bonjourish doctor` in each what is wrong.

usage: networks.py [PROGRAMS] [--only NAME,NAME ...] [--at-once 3] [--least 30] [--list]

PROGRAMS is the folder of `bonjourish`, .build/debug unless told. Each network is a LAN of three hosts of its own (Tests/lan),
each with avahi-daemon; h2 and h3 publish a service, and h1 is examined after something was broken. The table tells the true
cause and what doctor names first. A first finding is right if it is the cause. The verdict is right if it is not "works" where
`bonjourish browse`, with the same backend, finds no service whose host can be reached. A command is right if it succeeds when
typed as it was printed; of those that would change more than the LAN, if their program is installed and nothing in them has to
be replaced. Exit code 1 if fewer than --least first findings are right (of all, with --only), or a verdict or a command is
wrong, or an examination took longer than eight seconds.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = os.path.join(TESTS, "LANTests", "peers")
# The longest examination in seconds, on a busy machine; doctor itself promises five, and the time that threads wait comes to it.
LIMIT = 8


class Network:
    """One broken network.

    `right` are the findings that name the cause.
    """

    def __init__(self, name, cause, right, script, backend="auto"):
        self.name, self.cause, self.right = name, cause, right.split()
        self.script, self.backend = script, backend


def nft(rules):
    return f"on h1 nft '{rules}'\n"


def chain(table, hook, rules, priority="0", policy="accept", family="inet"):
    return nft(
        f"add table {family} {table}; add chain {family} {table} {hook} "
        f"{{ type filter hook {hook} priority {priority}; policy {policy}; }}; "
        + "; ".join(f"add rule {family} {table} {hook} {rule}" for rule in rules)
    )


def setting(line, section="server"):
    """A line of the daemon's configuration, which is where Debian has it."""
    return (
        f"sed -i '/^\\[{section}\\]/a {line}' /run/lan/h1/avahi.conf\n"
        "on h1 mount --bind /run/lan/h1/avahi.conf /etc/avahi/avahi-daemon.conf\n"
        "daemon h1 restart\n"
    )


ONLY_IPV4 = 'for host in $LAN_HOSTS; do on "$host" sh -c "echo 1 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6"; done\n'
HEARD = "multicast-not-heard"
NETWORKS = [
    Network(
        "nft-input-policy", "a firewall lets in ssh alone", HEARD,
        chain("filter", "input", ["iif lo accept", "meta l4proto ipv6-icmp accept", "tcp dport 22 accept"], policy="drop"),
    ),
    Network(
        "nft-output-reject", "a firewall rejects what is sent to multicast", "sending-refused",
        chain("filter", "output", ["ip daddr 224.0.0.0/4 reject", "ip6 daddr ff02::fb reject"]),
    ),
    Network(
        "nft-output-drop", "a firewall drops what is sent to port 5353", "sending-refused",
        chain("filter", "output", ["udp dport 5353 drop"]),
    ),
    Network(
        "nft-table-fw", "a firewall in a table of another name", HEARD,
        chain("fw", "arriving", ["udp dport 5353 drop"]).replace("hook arriving", "hook input"),
    ),
    Network(
        "nft-ipv6-group", "a firewall drops ff02::fb, in a network of IPv6 alone", HEARD,
        'for host in $LAN_HOSTS; do on "$host" ip -4 address flush dev eth0; done\n'
        + chain("filter", "input", ["ip6 daddr ff02::fb drop"], family="ip6"),
    ),
    Network(
        "nft-raw-prerouting", "a firewall drops before anything else", HEARD,
        chain("raw", "prerouting", ["udp dport 5353 drop"], priority="-300"),
    ),
    Network(
        "nft-ipv4-alone", "a firewall for IPv4 alone", HEARD,
        "daemon h1 stop\n" + chain("filter", "input", ["udp dport 5353 drop"], family="ip"),
    ),
    Network(
        "snooping", "the switch passes no multicast", "multicast-not-forwarded",
        # The hosts know each other.
        "on h1 bash -c 'echo >/dev/udp/10.77.0.2/9; echo >/dev/udp/10.77.0.3/9'\n"
        "for host in $LAN_HOSTS; do bridge link set dev $host mcast_flood off; done\n",
    ),
    Network(
        "isolation", "the access point isolates its clients", "nobody-answers",
        "for host in $LAN_HOSTS; do bridge link set dev $host isolated on; done\n",
    ),
    Network(
        "blackhole-route", "a route throws multicast away", "multicast-route-blocked",
        "on h1 ip route del 224.0.0.0/4\non h1 ip route add blackhole 224.0.0.0/4\n",
    ),
    Network(
        "prohibit-rule", "a rule prohibits multicast", "multicast-route-blocked",
        "on h1 ip rule add to 224.0.0.0/4 prohibit\n",
    ),
    Network(
        "port-held", "a program has port 5353 for itself", "port-held-alone",
        f"daemon h1 stop\non h1 /usr/bin/python3 -B {PEERS}/deaf.py alone >/run/deaf &\n"
        "until grep -q ready /run/deaf; do sleep 0.05; done\n",
    ),
    Network(
        "other-stacks", "disallow-other-stacks=yes, and the built-in engine", "port-held-alone",
        setting("disallow-other-stacks=yes"), backend="builtin",
    ),
    Network("deny-interfaces", "deny-interfaces=eth0", "avahi-interfaces", setting("deny-interfaces=eth0")),
    Network(
        "use-ipv4-no", "use-ipv4=no, without IPv6", "avahi-family avahi-silent",
        ONLY_IPV4 + "sed -i 's/^use-ipv4=yes/use-ipv4=no/' /run/lan/h1/avahi.conf\n" + setting("use-iff-running=no"),
    ),
    Network("multicast-flag", "multicast is switched off", "no-multicast-flag", "on h1 ip link set eth0 multicast off\n"),
    Network("interface-down", "the interface is switched off", "interface-down", "on h1 ip link set eth0 down\n"),
    Network("no-address", "the interface has no address", "no-address", "on h1 ip address flush dev eth0\n"),
    Network(
        "wrong-subnet", "10.88.0.1/24 among 10.77.0.x", "other-subnet reverse-path-filter",
        ONLY_IPV4 + "on h1 ip -4 address flush dev eth0\non h1 ip address add 10.88.0.1/24 dev eth0\n"
        "on h1 ip route replace 224.0.0.0/4 dev eth0\n",
    ),
    Network(
        "prefix-30", "/30 instead of /24", "other-subnet",
        # Deleting the first address of a network deletes the others.
        "on h3 ip address del 10.77.0.3/24 dev eth0\non h3 ip address add 10.77.0.13/24 dev eth0\n"
        "on h1 ip -4 address flush dev eth0\non h1 ip address add 10.77.0.1/30 dev eth0\n"
        "on h1 ip route replace 224.0.0.0/4 dev eth0\n",
    ),
    Network(
        "prefix-32", "/32, and rp_filter drops what comes", "reverse-path-filter",
        ONLY_IPV4 + "on h1 sh -c 'echo 1 >/proc/sys/net/ipv4/conf/eth0/rp_filter'\n"
        "on h1 ip -4 address flush dev eth0\non h1 ip address add 10.77.0.1/32 dev eth0\n"
        "on h1 ip route replace 224.0.0.0/4 dev eth0\n",
    ),
    Network(
        "same-ipv4", "another host has the IPv4 address too", "ipv4-duplicate-address",
        "on h3 ip address add 10.77.0.1/24 dev eth0\n",
    ),
    Network(
        "same-ipv6", "another host has an IPv6 address too", "ipv6-duplicate-address",
        "on h1 ip address add 2001:db8:77::2/64 dev eth0\n"
        "until on h1 ip -6 address show dev eth0 | grep -q dadfailed; do sleep 0.1; done\n",
    ),
    Network(
        "same-name", "another host has the name", "host-renamed host-name-taken",
        "on h1 hostname h2\ndaemon h1 restart\n",
    ),
    Network("daemon-stopped", "avahi-daemon is stopped by a signal", "avahi-hung", "daemon h1 pause\n"),
    Network("bus-dead", "the system bus is gone", "bus-not-running bus-missing", "bus h1 kill\n"),
    Network(
        "bus-refuses", "the bus's policy lets nobody talk to the daemon", "avahi-denied bus-denied",
        "sed -i 's|</policy>|<deny send_destination=\"org.freedesktop.Avahi\"/></policy>|' /run/lan/h1/bus.conf\n"
        "bus h1 start\ndaemon h1 restart\n",
    ),
    Network("bus-hangs", "the system bus hangs", "bus-hung", "bus h1 pause\n"),
    Network(
        "not-read", "a program at the port does not read", "receive-buffer-drops",
        f"on h1 /usr/bin/python3 -B {PEERS}/deaf.py shared >/run/deaf &\nuntil grep -q ready /run/deaf; do sleep 0.05; done\n",
    ),
    Network(
        "two-responders", "systemd-resolved answers too", "other-responder",
        # Its name is what counts; the real one wants a bus of its own.
        "cp /usr/bin/python3 /run/systemd-resolve\n"
        f"on h1 /run/systemd-resolve -B {PEERS}/reader.py >/run/reader &\n"
        "until grep -q ready /run/reader; do sleep 0.05; done\n",
    ),
    Network(
        "memberships", "one membership for three interfaces", "membership-limit",
        "for number in 1 2; do\n"
        "  ip link add h1-$number type veth peer name eth$number netns h1\n"
        "  ip link set h1-$number master br0 up\n"
        "  on h1 ip address add 10.7$number.1.1/24 dev eth$number\n"
        "  on h1 ip link set eth$number up\n"
        "done\non h1 sh -c 'echo 1 >/proc/sys/net/ipv4/igmp_max_memberships'\n",
    ),
    Network("loss", "70 % of all packets are lost", "packet-loss", "loss h1 70\n"),
]  # fmt: skip


# What these change is not the LAN's alone.
WIDE = re.compile(r"sysctl -w net\.core\.|systemctl |timedatectl |ulimit |firewall-cmd |ufw |apt|dnf|pacman|zypper|apk")
# Types each printed command, as root of h1.
TYPE = """
import json, re, subprocess, sys
wide = re.compile(sys.argv[2])
for line in open(sys.argv[1]):
    for remedy in json.loads(line).get("remedies", []):
        command = remedy.get("command")
        if command and not wide.match(command):
            run = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
            print(json.dumps({"command": command, "code": run.returncode, "said": run.stderr.strip()}))
"""


def examine(network, program):
    """Makes the network; returns doctor's findings, its summary, the services that are reached, and what came of its commands."""
    script = f"""
    for host in h2 h3; do
      on $host avahi-publish -s "$host's" _http._tcp 80 >/run/$host.said 2>&1 &
      until grep -q Established /run/$host.said; do sleep 0.05; done
    done
    {network.script}
    on h1 {program} doctor --json --backend {network.backend} >/run/doctor || true
    on h1 timeout -k 1 20 {program} browse _http._tcp --once --resolve --json --backend {network.backend} >/run/found || true
    cat /run/doctor
    echo reached
    on h1 /usr/bin/python3 -B {PEERS}/reach.py </run/found
    echo typed
    on h1 /usr/bin/python3 -B -c {shlex.quote(TYPE)} /run/doctor {shlex.quote(WIDE.pattern)}
    """
    command = [os.path.join(TESTS, "lan"), "-n", "3", "-d", "--", "bash", "-ec", script]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    lines = run.stdout.splitlines()
    if run.returncode != 0 or "reached" not in lines or "typed" not in lines:
        raise RuntimeError(f"{network.name}: {run.stderr or run.stdout}")
    reached, typed = lines.index("reached"), lines.index("typed")
    report = [json.loads(line) for line in lines[:reached]]
    if not report or report[-1]["event"] != "summary":
        raise RuntimeError(f"{network.name}: doctor said nothing: {run.stderr}")
    names = [name for name in lines[reached + 1 : typed] if name]
    return report[:-1], report[-1], names, [json.loads(line) for line in lines[typed + 1 :]]


def is_typeable(command):
    """Whether the program of a command is installed, and nothing in it has to be replaced."""
    environment = os.environ | {"PATH": os.environ["PATH"] + ":/usr/local/sbin:/usr/sbin:/sbin"}
    # The shell itself has some, such as kill.
    look = subprocess.run(["sh", "-c", 'command -v "$0"', command.split()[0]], env=environment, stdout=subprocess.DEVNULL)
    return look.returncode == 0 and not re.search(r" [A-Z]{3,}\b", command)


def judge(network, program):
    """Returns a row of the table, and the kinds of what is wrong."""
    try:
        findings, summary, reached, typed = examine(network, program)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return [network.name, network.cause, "–", "no network", "", " ".join(str(error).split())], {"first"}
    first = findings[0]["id"] if findings else "nothing"
    wrong = set() if first in network.right else {"first"}
    if summary["verdict"] == "works" and not reached:
        wrong.add("verdict")
    if summary["seconds"] > LIMIT:
        wrong.add("time")
    commands = [remedy["command"] for finding in findings for remedy in finding["remedies"] if "command" in remedy]
    failed = [command for command in commands if not is_typeable(command)]
    failed += [f"{result['command']} ({result['said'] or result['code']})" for result in typed if result["code"] != 0]
    if failed:
        wrong.add("command")
    others = " ".join(finding["id"] for finding in findings[1:])
    notes = "; ".join(([f"then {others}"] if others else []) + [f"cannot be typed: {command}" for command in failed])
    judgement = "right" if not wrong else "wrong: " + ", ".join(sorted(wrong))
    verdict = f"{summary['verdict']}, {len(reached)} reached, {summary['seconds']:.1f} s"
    return [network.name, network.cause, first, judgement, verdict, notes], wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", default=os.path.join(os.path.dirname(TESTS), ".build", "debug"))
    parser.add_argument("--only", default="", help="the names of networks, with commas")
    parser.add_argument("--at-once", type=int, default=3)
    parser.add_argument("--least", type=int, default=30)
    parser.add_argument("--list", action="store_true", help="tell the networks, and break none")
    options = parser.parse_args()
    names = [name for name in options.only.split(",") if name]
    unknown = set(names) - {network.name for network in NETWORKS}
    if unknown:
        parser.error("there is no network " + ", ".join(sorted(unknown)))
    networks = [network for network in NETWORKS if not names or network.name in names]
    if options.list:
        for network in networks:
            print(f"{network.name:20}{network.cause} ({', '.join(network.right)})")
        return 0
    program = os.path.join(os.path.abspath(options.programs), "bonjourish")
    print("| network | true cause | first finding | | verdict, services reached, time | notes |\n| --- | --- | --- | --- | --- | --- |")
    right, others = 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        for row, wrong in pool.map(lambda network: judge(network, program), networks):
            print("| " + " | ".join(row) + " |", flush=True)
            right += "first" not in wrong
            others += bool(wrong - {"first"})
    least = len(networks) if names else options.least
    print(f"\n{right} of {len(networks)} causes are named first; {others} networks with another fault.")
    return 0 if right >= least and not others else 1


if __name__ == "__main__":
    sys.exit(main())
