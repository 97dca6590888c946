"""siege.py PROGRAM [--seconds N] [--mode frames|batches] [--slice] [--json]: does a server serve those who behave while others besiege it?
siege.py PROGRAM --game matches|room [--web] [--seconds N] [--json]: the same of a host of the game that asks for a passcode, or, with
--web, that is open and lets pages in, too.
siege.py PROGRAM --nothing [--seconds N] [--json]: does an open room with pages serve its players while others send bytes that give
nothing, of one kind after another, as nothing.c tells?

PROGRAM is transport-bench. 100 honest clients ask it as fast as they are answered: for a while alone, then while some thousand
attackers do all at once what attack.c tells, then alone again. The server has few descriptors, so that the attackers can take
them all. Everything is on the loopback interface, the attackers on addresses of their own. The server has a core to itself, the
clients have the other; the attackers take what is left of that one, as they would not have any of it if they came over a network.
Who may (root) lets both go before whatever else runs on the machine.

Exit code 1 when an honest answer is lost, wrong or out of order, when their p99 more than doubles, when the server needs more than
64 MiB (a host of the game 96), or when it does not get everything back. With --slice, which is for a few seconds on a machine that
has other things to do, nothing is asked that depends on how fast it is.

With --game, twentyfour-host and siege-players must be beside PROGRAM. The host is full of players, who send wrong answers as fast as
they are refused, over TLS; the besiegers are joined by those who complete handshakes, know the passcode or guess it. With --web every other player is a page, and
the port for pages is besieged as well: with endless heads, requests a byte a second, half of the way to WebSockets, wrong masks, large
files that nobody reads, and pages of other sites.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).parent
CLIENTS = 100
DESCRIPTORS = 640
MOST_MEMORY = 64 * 1024
# A host of the game, with 640 encrypted connections.
MOST_MEMORY_OF_GAME = 96 * 1024
MOST_SLOWER = 2
# What peers send that gives nothing, for each layer.
NOTHING = {"TLS": ["keys", "records", "padding"], "WebSocket": ["pings", "messages", "continuations"]}
# How often a visitor may have to try.
MOST_TRIES = 10
# What the allocator may keep of what the siege needed.
MOST_KEPT = 32 * 1024


def compiled(name, folder, *libraries):
    """A program in C, compiled with whatever compiler there is."""
    compiler = next(filter(None, map(shutil.which, ["cc", "gcc", "clang"])), None)
    if not compiler:
        sys.exit("siege.py: there is no C compiler; install gcc, or put that of Swift (clang) on the PATH")
    program = folder / name
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-o", program, HERE / f"{name}.c", *libraries], check=True)
    return program


class Process:
    """A program with lines in and out, on a core of its own, with so many descriptors."""

    def __init__(self, *command, core, descriptors=8192, niceness=-20, **settings):
        def prepare():
            os.sched_setaffinity(0, {core})
            # Where the system shares a core among sessions, niceness counts within one only (sched(7)).
            os.setsid()
            with contextlib.suppress(OSError):
                os.nice(niceness)
                pathlib.Path("/proc/self/autogroup").write_text(str(niceness), encoding="ascii")
            if niceness > 0:
                os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, text=True, preexec_fn=prepare,
            **{"stdout": subprocess.PIPE} | settings,
        )

    def ask(self):
        """What has happened since the last time."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def finish(self):
        """What is told after the end of the input."""
        self.process.stdin.close()
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return json.loads(self.process.stdout.readline())

    def memory(self):
        """Resident kilobytes, now and at most."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return [int(re.search(rf"{what}:\s+(\d+)", status).group(1)) for what in ("VmRSS", "VmHWM")]

    def seconds(self):
        """Processor time used so far."""
        return sum(map(int, pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").split()[13:15])) / 100

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def queued(self, port):
        """How many connections to its port wait in the system to be accepted."""
        count = 0
        for table in ("tcp", "tcp6"):
            for line in pathlib.Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
                _, local, _, state, queues, *_ = line.split()
                # Of a listening socket (0A) the queue to be received is that of connections.
                if state == "0A" and int(local.split(":")[1], 16) == port:
                    count += int(queues.split(":")[1], 16)
        return count

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def measured(server, honest, body):
    """What the honest clients say of a phase, and how much processor time the server took for it."""
    honest.ask()
    begin = server.seconds()
    body()
    return honest.ask() | {"cpu": round(server.seconds() - begin, 2)}


def await_answers(honest):
    time.sleep(1)
    deadline = time.monotonic() + 30
    while not honest.ask()["answers"] and time.monotonic() < deadline:
        time.sleep(0.5)


def besieged(server, port, honest, attackers, seconds):
    """The phases, each with what the honest clients say of it, and how much processor time the server took for them."""

    def phase(body):
        return measured(server, honest, body)

    await_answers(honest)
    alone = max(2, seconds // 6)
    before = phase(lambda: time.sleep(alone))
    descriptors, (memory, _) = server.descriptors(), server.memory()

    most = 0

    def watch():
        nonlocal most
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.25)
            most = max(most, server.descriptors())

    with contextlib.ExitStack() as stack:
        # Those who count themselves end with their input, the others by a signal.
        crowds = [stack.enter_context(Process(*words, core=max(os.sched_getaffinity(0)), niceness=10)) for words in attackers]
        during = phase(watch)
        attacked = {}
        for (name, *_), crowd in zip(attackers, crowds, strict=True):
            counts = crowd.stop() if name.name == "attack" else crowd.finish()
            attacked |= {kind if kind not in attacked else f"{kind}, web": count for kind, count in counts.items()}

    # Of those that have gone some still wait to be accepted. A visitor may be there, or not.
    deadline = time.monotonic() + 30
    while (server.queued(port) or server.descriptors() > descriptors + 1) and time.monotonic() < deadline:
        time.sleep(0.1)
    after = phase(lambda: time.sleep(alone))
    now, highest = server.memory()
    return {
        "before": before, "during": during, "after": after, "attack": attacked,
        "descriptors": {"before": descriptors, "most": most, "after": server.descriptors()},
        "memory": {"before": memory, "most": highest, "after": now},
    }  # fmt: skip


def verdicts(figures, is_slice):
    before, during, rest = figures["before"], figures["during"], figures["rest"]
    memory, descriptors, counters = figures["memory"], figures["descriptors"], figures["counters"]
    told = {
        "nothing lost, changed or out of order": rest["wrong"] == rest["broken"] == 0,
        "honest clients served": during["answers"] > 0,
        f"memory at most {MOST_MEMORY // 1024} MiB": memory["most"] <= MOST_MEMORY,
        "memory given back": memory["after"] <= memory["before"] + MOST_KEPT,
        "descriptors given back": descriptors["after"] <= descriptors["before"] + 1,
        "connections counted to the end": counters["connections"] == counters["pending"] == 0,
    }
    if not is_slice:
        guards = ("refusedFromAddress", "displaced", "frameTimedOut", "sendTimedOut", "malformed", "shed")
        told |= {
            f"honest p99 at most {MOST_SLOWER} times that before": during["p99"] <= MOST_SLOWER * before["p99"],
            "all descriptors taken": descriptors["most"] >= DESCRIPTORS - 1,
            "every guard needed": all(counters[name] > 0 for name in guards),
        }
    return told


def game_verdicts(figures):
    before, during, after, rest = figures["before"], figures["during"], figures["after"], figures["rest"]
    memory, descriptors, attack = figures["memory"], figures["descriptors"], figures["attack"]

    def came(*kinds):
        return sum(attack[kind]["connected"] for kind in kinds) > 0

    return {
        "nothing wrong, nobody cut off": rest["wrong"] == rest["broken"] == 0,
        "players served": min(before["answers"], during["answers"], after["answers"]) > 0,
        f"players' p99 at most {MOST_SLOWER} times that before": during["p99"] <= MOST_SLOWER * before["p99"],
        f"memory at most {MOST_MEMORY_OF_GAME // 1024} MiB": memory["most"] <= MOST_MEMORY_OF_GAME,
        "memory given back": memory["after"] <= memory["before"] + MOST_KEPT,
        "descriptors given back": descriptors["after"] <= descriptors["before"] + 1,
        # Of those who come from thousands of addresses at a time, most are sent away; a visitor needs a few tries at most.
        f"a visitor let in, once in {MOST_TRIES} tries": during["visits"] * MOST_TRIES >= during["turned_away"] + during["visits"],
        # Whoever is behind the crowd of openers does not always get through a handshake, nor who is behind them.
        # Whoever is behind the crowd does not always get through.
        "openers and strangers were there": came("openers") and came("knocking", "babbling", "silent"),
    } | (
        {
            "pages of strangers were there, none of other sites": came("browsing", "scribbling")
            and attack["cross_site"]["refused"] > 0 == attack["cross_site"]["connected"],
            "the port for pages was besieged": came("half_open, web") and came("dribblers, web") and came("crowd, web", "openers, web"),
        }
        if "cross_site" in attack
        else {"guessers were there": attack["guessing"]["refused"] > 0}
    )  # fmt: skip


def client_hello():
    """What a client of the game says first."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["bonjourish-passcode/1", "bonjourish/1"])
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(received, sent, server_hostname="host").do_handshake()
    return sent.read()


def requests(port, folder):
    """Files with what those say who besiege a port for pages."""
    upgrade = ["GET /socket HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", ""]  # fmt: skip
    texts = {
        "upgrade": upgrade,
        "request": ["GET /page.js HTTP/1.1", f"Host: 127.0.0.1:{port}", "", ""],
        "beginning": ["GET / HTTP/1.1", f"Host: 127.0.0.1:{port}", "X-Endless: x"],
    }
    for name, lines in texts.items():
        (folder / name).write_bytes("\r\n".join(lines).encode())
    return [folder / name for name in texts]


class Host(Process):
    """A host of the game, as a server of many matches or as a room."""

    CODE = "471123"
    # How many play in how many matches of a server, and in a room, in which the host plays too.
    PLAYERS, MATCHES, GUESTS = 16, 6, 15

    def __init__(self, program, kind, has_pages, folder, core):
        self.kind, self.lines = kind, folder / "host.jsonl"
        options = ["--json", "--interface", "lo", "--port", 0, "--per-address", 0, "--round-seconds", 1000, "--pause-seconds", 1]
        options += ["--web-port", 0] if has_pages else ["--passcode", self.CODE]
        if kind == "matches":
            options += ["--dedicated", "--unlisted", "--rooms", self.MATCHES, "--players", f"{self.PLAYERS}:{self.PLAYERS}"]
        else:
            options += ["--name", "Ada", "--backend", "builtin"]
        with self.lines.open("w", encoding="utf-8") as lines:
            super().__init__(
                program, *options, core=core, descriptors=DESCRIPTORS, stdout=lines, stderr=lines,
                env=os.environ | {"XDG_STATE_HOME": str(folder / "state")})  # fmt: skip

    def ports(self):
        """Where it listens, for programs and for pages (0 for no pages), once it does."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for line in self.lines.read_text(encoding="utf-8").splitlines()[:5]:
                if line.startswith("{") and (event := json.loads(line))["event"] == "open":
                    return event["port"], urllib.parse.urlsplit(event.get("web", "")).port or 0
            time.sleep(0.05)
        sys.exit("siege.py: the host did not open")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=20)


def game(options, stack, cores):
    """The siege of a host of the game."""
    folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
    players = pathlib.Path(options.program).with_name("siege-players")
    host = stack.enter_context(Host(players.with_name("twentyfour-host"), options.game, options.web, folder, core=min(cores)))
    port, page = host.ports()
    code = "-" if options.web else Host.CODE
    count, match = (Host.MATCHES * Host.PLAYERS, Host.PLAYERS) if options.game == "matches" else (Host.GUESTS, 0)
    honest = stack.enter_context(Process(players, "honest", port, code, page, count, match, core=max(cores)))
    (folder / "opening").write_bytes(client_hello())
    attack = compiled("attack", folder)
    attackers = [
        [attack, port, options.seed, folder / "opening"],
        [players, "crowd", port, code, page],
    ]
    if page:
        attackers.append([attack, page, options.seed + 1, *requests(page, folder)])
    figures = besieged(host, port, honest, attackers, options.seconds)
    figures["rest"] = honest.finish()
    figures["ended"] = host.stop()
    return figures, game_verdicts(figures)


def nothing(options, stack, cores):
    """An open room with pages, while peers send bytes that give it nothing."""
    folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
    players = pathlib.Path(options.program).with_name("siege-players")
    host = stack.enter_context(Host(players.with_name("twentyfour-host"), "room", True, folder, core=min(cores)))
    port, page = host.ports()
    honest = stack.enter_context(Process(players, "honest", port, "-", page, Host.GUESTS, 0, core=max(cores)))
    attack = compiled("nothing", folder, "-lssl", "-lcrypto")
    upgrade = requests(page, folder)[0]
    await_answers(honest)
    kinds = [(layer, kind) for layer, names in NOTHING.items() for kind in names]
    each = max(8, options.seconds // len(kinds))
    figures = {"before": measured(host, honest, lambda: time.sleep(each)), "attack": {}}
    descriptors, (memory, _) = host.descriptors(), host.memory()
    told = {}
    for layer, kind in kinds:
        with Process(attack, kind, port if layer == "TLS" else page, upgrade, core=max(cores), niceness=0) as peers:
            # What was prepared comes after three seconds.
            during = figures[kind] = measured(host, honest, lambda: time.sleep(each))
            figures["attack"] |= peers.stop()
        told |= {
            f"{layer}, {kind}: players' p99 at most {MOST_SLOWER} times that before": during["answers"] > 0
            and during["p99"] <= MOST_SLOWER * figures["before"]["p99"],
            f"{layer}, {kind}: they were there": figures["attack"][kind]["connected"] > 0,
        }
    deadline = time.monotonic() + 30
    while host.descriptors() > descriptors + 1 and time.monotonic() < deadline:
        time.sleep(0.1)
    figures["after"] = measured(host, honest, lambda: time.sleep(2))
    now, highest = host.memory()
    figures["memory"] = {"before": memory, "most": highest, "after": now}
    figures["descriptors"] = {"before": descriptors, "after": host.descriptors()}
    figures["rest"] = honest.finish()
    figures["ended"] = host.stop()
    return figures, told | {
        "nothing wrong, nobody cut off": figures["rest"]["wrong"] == figures["rest"]["broken"] == 0,
        "players served": figures["after"]["answers"] > 0,
        "memory given back": now <= memory + MOST_KEPT,
        "descriptors given back": figures["descriptors"]["after"] <= descriptors + 1,
    }


def server(options, stack, cores):
    """The siege of the transport alone."""
    folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
    serve = [options.program, "serve", "--port", "0", "--interface", "lo", "--guarded", "--mode", options.mode]
    server = stack.enter_context(Process(*serve, core=min(cores), descriptors=DESCRIPTORS))
    port = server.process.stdout.readline().split()[1]
    idle = server.descriptors()
    honest = stack.enter_context(Process(compiled("honest", folder), port, CLIENTS, core=max(cores)))
    figures = besieged(server, int(port), honest, [[compiled("attack", folder), port, options.seed]], options.seconds)
    figures["rest"] = honest.finish()
    # The server still has to notice that they are gone, which takes a while on a busy machine.
    deadline = time.monotonic() + 30
    while server.descriptors() > idle and time.monotonic() < deadline:
        time.sleep(0.05)
    figures["counters"] = server.stop()
    return figures, verdicts(figures, options.slice)


def show(figures):
    for phase in ("before", "during", *sum(NOTHING.values(), []), "after"):
        if phase not in figures:
            continue
        told = figures[phase]
        line = f"{phase:13}{told['answers']:9} answers   p50 {told['p50']:6} us   p99 {told['p99']:6} us   p99.9 {told['p999']:6} us   cpu {told['cpu']:.1f} s"
        if "visits" in told:
            line += f"   {told['visits']:4} visits, {told['turned_away']} tries in vain, the longest {told['longest_visit_ms']} ms"
        print(line)
    for kind, told in figures["attack"].items():
        print(f"{kind:17}" + "   ".join(f"{name} {count}" for name, count in told.items()))
    for what in ("memory", "descriptors", "counters"):
        if what not in figures:
            continue
        print(f"{what:12}" + "   ".join(f"{name} {count}" for name, count in figures[what].items()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--mode", choices=["frames", "batches"], default="frames")
    parser.add_argument("--game", choices=["matches", "room"])
    parser.add_argument("--web", action="store_true")
    parser.add_argument("--nothing", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slice", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.web and not options.game:
        parser.error("--web needs --game")
    cores = os.sched_getaffinity(0)
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with contextlib.ExitStack() as stack:
        figures, told = (nothing if options.nothing else game if options.game else server)(options, stack, cores)
    if options.json:
        print(json.dumps(figures | {"verdicts": told}))
    else:
        show(figures)
        for what, holds in told.items():
            print(f"{'yes' if holds else 'NO':4} {what}")
    sys.exit(0 if all(told.values()) else 1)


main()
