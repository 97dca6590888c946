"""chaos.py PRODUCTS [--seconds N] [--seed N] [--kills N] [--faults NAME,NAME] [--logs FOLDER] [--json]

Plays six matches of two players on three match servers of one group, with a directory of three nats-servers, for ten minutes in which
the leader of the group's bucket is killed 20 times, and eleven things happen to the servers. Then it tells what became of the matches.
With fewer seconds less happens. The same seed makes the same plan. The logs of all programs are in FOLDER.

Runs on a private LAN of eight hosts with a router: `make chaos-directory`. Exit code 1 when a mark is missed.
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import shutil
import signal
import statistics
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Pairs"))

from cluster import URL, Cluster  # noqa: E402
from clock import now  # noqa: E402
from group import PLAYERS_HOST, SERVERS, Group  # noqa: E402
from lab import Lab, LabError  # noqa: E402
from player import Player  # noqa: E402

PLAYERS, WHOLE, KILLS, SETTLE = 12, 600, 20, 30
MOST_SUSPENSIONS, LONGEST_TAKEOVER = 1, 15


class Chaos:
    def __init__(self, choice):
        self.choice, self.chance = choice, random.Random(choice.seed)
        self.lab = Lab(choice.products.resolve(), choice.logs, {})
        self.cluster, self.group = Cluster(self.lab), Group(self.lab, self.chance)
        self.players, self.done, self.killed, self.wanted = [], [], 0, 0
        self.is_over = threading.Event()

    # ---- The evening

    def open(self):
        self.cluster.open()
        self.group.open("One")
        self.cluster.replicate()
        for name in list(SERVERS)[1:]:
            self.group.open(name)
        for number in range(PLAYERS):
            program = self.lab.start(
                f"P{number}", PLAYERS_HOST, "twentyfour-join", "--json", "--name", f"P{number}", "--no-local", "--directory", URL,
                list(SERVERS)[number * 2 // PLAYERS])
            self.players.append(Player(f"P{number}", program, random.Random(f"{self.choice.seed}-{number}")))
            # So that neighbours play together.
            self.until(lambda: self.players[-1].rooms, f"P{number} does not get into a match", 30)
        self.until(lambda: all(player.ended[player.room] for player in self.players), "no round ends", 60)

    def until(self, condition, failure, seconds):
        end = now() + seconds
        while not condition():
            if now() > end:
                raise LabError(failure)
            self.step()

    def step(self):
        for player in self.players:
            player.step()
        time.sleep(0.02)

    def play(self):
        while not self.is_over.is_set():
            self.step()

    def plan(self):
        """What happens when, and when the leader is killed besides: evenly over the time."""
        seconds = self.choice.seconds
        share = min(1, seconds / WHOLE)
        names = list(self.group.faults(self.cluster))
        wanted = self.choice.faults.split(",") if self.choice.faults else names
        if unknown := [name for name in wanted if name not in names]:
            raise LabError(f"there is no fault {', '.join(unknown)}; there are {', '.join(names)}")
        if not self.choice.faults:
            self.chance.shuffle(wanted)
            wanted = wanted[: max(1, round(len(wanted) * share))]
        kills = self.choice.kills if self.choice.kills is not None else round(KILLS * share)
        return ([(seconds / (len(wanted) + 1) * (i + 0.5), name) for i, name in enumerate(wanted)],
                [seconds / (kills + 1) * (i + 1) for i in range(kills)])

    def kill_leaders(self, times, start):
        for at in times:
            if self.is_over.wait(max(0, start + at - now())):
                return
            self.killed += self.cluster.kill_leader() is not None

    def make_faults(self, plan, start):
        faults = self.group.faults(self.cluster)
        for at, name in plan:
            time.sleep(max(0, start + at - now()))
            victim = self.group.busiest()
            print(f"{now() - start:6.1f} s  {name}{'' if name.startswith(('directory', 'restart')) else f': {victim}'}", flush=True)
            self.done.append(now())
            faults[name](victim)

    def run(self):
        self.open()
        plan, kills = self.plan()
        self.wanted, start = len(kills), now()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            playing, killing = pool.submit(self.play), pool.submit(self.kill_leaders, kills, start)
            try:
                self.make_faults(plan, start)
                time.sleep(max(0, start + self.choice.seconds - now()))
                killing.result()
                # Whoever is away now has the time to come back.
                time.sleep(SETTLE)
                self.ended = now()
                self.seats = [(list(player.rooms), player.away is None and not player.program.has_ended()) for player in self.players]
            finally:
                self.is_over.set()
            playing.result()
        for player in self.players:
            player.program.kill()
            player.step()
        # The last rounds are stored, and nobody ends another one.
        time.sleep(4)
        self.group.end(*SERVERS)

    # ---- What became of it

    def figures(self):
        """What was seen: rows of a name, a value, the mark for people, and whether it is missed."""
        for player in self.players:
            player.finish()
        matches = {player.rooms[0] for player in self.players}
        alive = {rooms[-1] for rooms, is_there in self.seats if is_there}
        played = {}
        for player in self.players:
            for room, count in player.played().items():
                played[room] = max(played.get(room, 0), count)
        recorded, sums = self.group.history()
        lost = sum(len(rooms) - 1 + (not is_there) for rooms, is_there in self.seats)
        # Whoever is cut off, or stopped, for as long as a lease counts must stop: that is no fault of the program's.
        forced, suspensions = 0, {}
        for at, name, state, server in self.group.news():
            if state == "suspended" and self.group.is_cut(server, at):
                forced += 1
            elif state == "suspended":
                suspensions[name] = suspensions.get(name, 0) + 1
        expected, present = sum(played[room] for room in alive), sum(recorded.get(room, 0) for room in alive)
        twice = sum(sums.get(room, 0) - recorded.get(room, 0) for room in alive)
        wrong = sum(recorded.get(room, 0) != played[room] for room in alive)
        # A match that goes on long after a kill does so for another reason.
        causes = sorted([*self.done, *self.group.kills])
        takeovers = self.group.takeovers(causes, self.ended)
        kills = [(at, s) for at, s in self.group.takeovers(self.group.kills, self.ended) if (at, s) in takeovers]
        # A leader that dies meanwhile adds the time of an election.
        alone = [s for at, s in kills if not any(at - 1 <= killed <= at + s for killed in self.cluster.kills)]
        (takeovers, kills) = ([s for _, s in takeovers], [s for _, s in kills])
        absences = [seconds for player in self.players for seconds in player.absences]
        destroyed, most = len(matches - alive), max(suspensions.values(), default=0)
        # Killed is what the chaos itself has killed.
        programs = [*self.group.all, *((player.name, player.program) for player in self.players)]
        ends = [(name, program.ended(0)) for name, program in programs]
        crashed = [name for name, code in ends if code is not None and code < 0 and code != -signal.SIGKILL]
        return [
            ("programs that crashed", ", ".join(crashed) or 0, "0", bool(crashed)),
            ("matches destroyed", f"{destroyed} of {len(matches)}", "0", destroyed > 0),
            ("seats lost", lost, "0", lost > 0),
            ("rounds in the results", f"{present} of {expected}, {wrong} matches differ", "all", wrong > 0),
            ("suspensions without a cut, most", most, f"<= {MOST_SUSPENSIONS}", most > MOST_SUSPENSIONS),
            ("takeover, no leader killed then", spread(alone), f"<= {LONGEST_TAKEOVER} s", max(alone, default=0) > LONGEST_TAKEOVER),
            ("takeovers after a kill", spread(kills), "", False),
            ("takeovers, all", spread(takeovers), "", False),
            ("suspensions after a cut, all", forced, "", False),
            ("absences of players", spread(absences), "", False),
            ("longest wait for an answer", f"{max((w for player in self.players for w in player.waits), default=0):.1f} s", "", False),
            ("rounds in two files", twice, "", False),
            ("rounds told again", sum(player.again for player in self.players), "", False),
            ("points taken back", sum(player.undone for player in self.players), "", False),
            ("leaders killed", f"{self.killed} of {self.wanted}", "", False),
        ]


def spread(values):
    if not values:
        return "none"
    return f"{len(values)}, median {statistics.median(values):.1f} s, longest {max(values):.1f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("products", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=WHOLE)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, help=f"how often the leader is killed, {KILLS} times in {WHOLE} s unless told")
    parser.add_argument("--faults", help="only these, in this order, with commas between them")
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path(".build/chaos"))
    parser.add_argument("--json", action="store_true", help="also write the figures to FOLDER/figures.json")
    choice = parser.parse_args()
    kept = choice.logs
    choice.logs = pathlib.Path(tempfile.mkdtemp(prefix="chaos-"))
    chaos = Chaos(choice)
    try:
        chaos.run()
        rows = chaos.figures()
    except LabError as error:
        sys.exit(f"chaos: no verdict: {error}; logs: {kept}")
    finally:
        chaos.lab.end()
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(choice.logs, kept, ignore=shutil.ignore_patterns("nats", "homes"))
        shutil.rmtree(choice.logs, ignore_errors=True)
    print(f"\n{len(chaos.done)} faults and {chaos.killed} kills of the leader in {choice.seconds:.0f} s, seed {choice.seed}\n")
    print(f"{'':32}{'seen':44}mark")
    for name, value, mark, is_missed in rows:
        print(f"{name:32}{value!s:44}{mark}{'  MISSED' if is_missed else ''}")
    if choice.json:
        (kept / "figures.json").write_text(json.dumps({name: value for name, value, _, _ in rows}), encoding="utf-8")
    sys.exit(1 if any(is_missed for *_, is_missed in rows) else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
