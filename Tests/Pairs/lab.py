"""The private LAN of a run, from inside: what is done to its hosts, and the directory on h4."""

import os
import pathlib
import signal
import subprocess
import time

from program import Program

# The network, daemon and bus of h1 are in question. h2 has the room, unless h1 has it; h3 the honest player and the observer; h4 the
# directory. All of them are well.
SUBJECT, ROOM, HONEST, DIRECTORY = "h1", "h2", "h3", "h4"
URL = "nats://10.77.0.4:4222"


class LabError(Exception):
    """The private LAN does not do what it should: no verdict about the program."""


def control(*command):
    """Runs one of the LAN's commands to its end."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise LabError(f"'{' '.join(command)}' ends with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def address(host):
    return f"10.77.0.{host[1:]}"


class Lab:
    def __init__(self, products, folder, run):
        self.products, self.folder, self.run = pathlib.Path(products), pathlib.Path(folder), run
        self.programs, self.nats = [], None
        self.homes = self.folder / "homes"
        self.names = {}

    # ---- Programs

    def start(self, name, host, *command, **settings):
        """Starts a program; `name` names its log and its own home, which it has again when it is started again."""
        program, words = command[0], list(command[1:])
        if "/" not in str(program):
            program = self.products / program
        home = self.homes / name
        for part in ("state", "config", "tmp"):
            (home / part).mkdir(parents=True, exist_ok=True)
        self.names[name] = self.names.get(name, 0) + 1
        log = name if self.names[name] == 1 else f"{name}-{self.names[name]}"
        own = {"HOME": home, "XDG_STATE_HOME": home / "state", "XDG_CONFIG_HOME": home / "config", "TMPDIR": home / "tmp"}
        made = Program(log, host, [program, *words], self.folder, {key: str(value) for key, value in own.items()})
        self.programs.append(made)
        return made

    def python(self, name, host, script, *words):
        return self.start(name, host, "/usr/bin/python3", "-B", pathlib.Path(__file__).with_name(script), *words)

    # ---- What is broken before the program starts

    def prepare(self):
        """What is so before anybody comes."""
        run = self.run
        if run["relay"] == "yes":
            for one, other in ((SUBJECT, ROOM), (SUBJECT, HONEST), (ROOM, HONEST)):
                control("cut", one, other)
        if run["directory"] in ("there", "hung", "leaves"):
            self.start_directory()
        if run["directory"] == "hung":
            self.nats.signal("STOP")

    def hang_bus(self):
        os.kill(int(pathlib.Path(f"/run/lan/{SUBJECT}/bus.pid").read_text(encoding="ascii")), signal.SIGSTOP)

    def break_network(self):
        network = self.run["network"]
        if network == "firewall":
            control("on", SUBJECT, "nft", "add table inet wall; add chain inet wall c { type filter hook input priority 0; }; "
                    "add rule inet wall c udp dport 5353 drop")
        elif network == "no-link":
            control("link", SUBJECT, "down")
        elif network == "loss":
            control("loss", SUBJECT, "10")

    def break_daemon(self):
        run = self.run
        if run["daemon"] not in ("absent", "bus-gone"):
            control("daemon", SUBJECT, "start")
        if run["daemon"] == "hung":
            control("daemon", SUBJECT, "pause")
        if run["daemon"] == "bus-gone":
            control("bus", SUBJECT, "kill")
        if run["daemon"] == "bus-hung":
            self.hang_bus()

    # ---- What happens while it runs

    def cut_connections(self, host, pull):
        """Breaks all connections of a host, with its cable out for two seconds if `pull`."""
        if pull:
            control("link", host, "down")
        control("on", host, "ss", "-K", "-tn", "state", "established")
        left = control("on", host, "ss", "-H", "-tn", "state", "established")
        if left.strip():
            raise LabError(f"connections of {host} survive 'ss -K', this kernel has no INET_DIAG_DESTROY: {left}")
        if pull:
            time.sleep(2)
            control("link", host, "up")

    def start_directory(self):
        folder = self.folder / "nats"
        folder.mkdir(exist_ok=True)
        file = folder / "nats.conf"
        file.write_text(f'listen: "{address(DIRECTORY)}:4222"\njetstream {{ store_dir: "{folder}/store" }}\n', encoding="utf-8")
        self.nats = self.start("nats-server", DIRECTORY, "/usr/sbin/nats-server", "-c", file)
        if not self.nats.wait(20, lambda _, source, text, __: source == "err" and "Server is ready" in text):
            raise LabError("nats-server does not start, see nats-server.log")

    def end_directory(self):
        self.nats.signal("KILL")
        self.nats.ended(20)

    # ---- Afterwards

    def end(self):
        for program in self.programs:
            program.signal("CONT")
            program.kill()

    def strays(self):
        """Files in the homes that should not be there, after all programs have ended."""
        known = {"state/bonjourish/key.pem", "state/bonjourish/known-keys.lock", "state/bonjourish/known-keys", "config/bonjourish/name"}
        left = []
        for path in sorted(self.homes.rglob("*")):
            if path.is_dir() and not path.is_symlink():
                continue
            inside = path.relative_to(self.homes)
            if str(pathlib.Path(*inside.parts[1:])) not in known:
                left.append(str(inside))
        return left


