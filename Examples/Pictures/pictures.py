#!/usr/bin/python3
"""Makes the pictures of the program bonjourish in the README: publishes what a home or an office has on a private LAN, and draws
what the program shows at a real terminal as SVG.

usage (within Tests/lan -n 4 -d): pictures.py FOLDER-OF-THE-PROGRAMS FOLDER-FOR-THE-PICTURES
"""
import subprocess
import sys

sys.dont_write_bytecode = True
from terminal import Terminal

programs, pictures = sys.argv[1:]
HOSTS = {"h2": "printer", "h3": "nas", "h4": "ada"}
SERVICES = [
    ("h2", "Laser printer, 2nd floor", "_ipp._tcp", 631, "rp=ipp/print", "Color=F", "Duplex=T"),
    ("h2", "Laser printer, 2nd floor", "_http._tcp", 80, "path=/status"),
    ("h2", "Laser printer, 2nd floor", "_uscan._tcp", 8080, "rs=eSCL"),
    ("h3", "Archive", "_smb._tcp", 445),
    ("h3", "Archive", "_nfs._tcp", 2049, "path=/srv/archive"),
    ("h3", "Archive", "_http._tcp", 5000, "path=/admin"),
    ("h3", "Archive", "_ssh._tcp", 22),
    ("h3", "Music", "_daap._tcp", 3689),
    ("h4", "Ada's pages", "_http._tcp", 8080, "path=/"),
    ("h4", "ada", "_ssh._tcp", 22),
    ("h4", "李雷's game", "_twentyfour._tcp", 4242, "players=3"),
    ("h4", "Kitchen speaker", "_raop._tcp", 7000),
]
processes = []


def start(*command):
    processes.append(subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return processes[-1]


def publish(host, name, kind, port, *txt):
    return start("on", host, "avahi-publish", "-s", name, kind, str(port), *txt)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


try:
    for host, name in HOSTS.items():
        run("on", host, "hostname", name)
        run("daemon", host, "restart")
    for service in SERVICES:
        publish(*service)

    with Terminal("h1", programs, columns=98, rows=12) as terminal:
        terminal.enter("clear; bonjourish browse http --resolve")
        terminal.wait_for("Ada's pages", "Archive", "Laser printer", "3 services", "avahi-daemon", without="looking")
        blog = publish("h4", "Lei's blog", "_http._tcp", 8081, "path=/blog")
        terminal.wait_for("+  Lei's blog")
        terminal.picture(
            f"{pictures}/browse.svg", "bonjourish browse http --resolve: web servers, one of which has just come")
        blog.terminate()
        terminal.wait_for("-  Lei's blog")
        terminal.press("q")

    with Terminal("h1", programs, columns=118, rows=27) as terminal:
        terminal.enter("clear; bonjourish browse --all --backend builtin")
        terminal.wait_for(f"{len(SERVICES)} services", "_uscan._tcp", "built-in engine", without="looking")
        publish("h2", "Laser printer, 2nd floor", "_printer._tcp", 515)
        terminal.wait_for("_printer._tcp")
        terminal.press("Down", "Down", "Down", "Down")
        terminal.wait_for("http://10.77.0.", "records", "history")
        terminal.picture(
            f"{pictures}/browse-all.svg",
            "bonjourish: every service on the network by type, and all that is known of the selected one")
        terminal.press("q")

    run("on", "h1", "nft", "add table inet wall; add chain inet wall in { type filter hook input priority 0; };"
        " add rule inet wall in udp dport 5353 drop")
    with Terminal("h1", programs, rows=13) as terminal:
        terminal.wait_for("$")
        terminal.enter("bonjourish doctor")
        terminal.wait_for("does not work here")
        terminal.picture(
            f"{pictures}/doctor.svg", "bonjourish doctor: a firewall drops multicast, and the commands that show and allow it")
finally:
    for process in processes:
        process.terminate()
