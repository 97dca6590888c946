#!/usr/bin/python3
"""Makes the pictures of the README: plays a game at a real terminal on a private LAN, and draws what stands there as SVG.

usage (within Tests/lan -n 3 -d): pictures.py FOLDER-OF-THE-PROGRAMS FOLDER-FOR-THE-PICTURES
"""
import itertools
import json
import pathlib
import subprocess
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Pictures"))
from terminal import Terminal

programs, pictures = sys.argv[1:]


def on(host, *command, **options):
    return subprocess.Popen(["on", host, *command], **options)


def solution(numbers):
    """Any way to make 24 of the numbers."""
    def combine(terms):
        if len(terms) == 1:
            return terms[0][1] if terms[0][0] == 24 else None
        for (i, (a, left)), (j, (b, right)) in itertools.permutations(list(enumerate(terms)), 2):
            rest = [term for k, term in enumerate(terms) if k not in (i, j)]
            results = [(a + b, f"({left}+{right})"), (a - b, f"({left}-{right})"), (a * b, f"({left}*{right})")]
            if b:
                results.append((a / b, f"({left}/{right})"))
            for result in results:
                if found := combine(rest + [result]):
                    return found
        return None
    return combine([(Fraction(number), str(number)) for number in numbers])[1:-1]


def events(process):
    for line in process.stdout:
        yield json.loads(line)


quiet = dict(stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
host, join = f"{programs}/twentyfour-host", f"{programs}/twentyfour-join"
processes = [
    on("h1", host, "--name", "Ada", "--bot", "--strength", "expert", "--seed", "5", "--rounds", "3", "--round-seconds", "40",
       "--pause-seconds", "8", "--json", **quiet),
    on("h2", host, "--name", "李雷", "--bot", "--max", "4", "--json", **quiet),
    on("h3", host, "--name", "Grace", "--bot", "--max", "2", "--json", **quiet),
]
try:
    with Terminal("h1", programs) as terminal:
        terminal.enter("clear; twentyfour-join --name Bob")
        terminal.wait_for("Ada's game", "李雷's game", "Grace's game")
        processes.append(on("h3", join, "Ada's game", "--name", "Zoë", "--bot", "--strength", "average", "--seed", "2", "--json",
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))
        zoe = events(processes[-1])
        processes.append(on("h2", join, "Grace's game", "--name", "Alan", "--bot", "--json", **quiet))
        processes.append(on("h2", join, "Ada's game", "--name", "韓梅梅", "--bot", "--strength", "beginner", "--seed", "3",
                            "--json", **quiet))
        terminal.wait_for("3 of 16", "full")
        terminal.press("Down", "Down", "Up", "Up")
        terminal.picture(f"{pictures}/lobby.svg", "The lobby: three rooms, with how many play in them and where they are")

        terminal.press("Enter")
        rounds = (event for event in zoe if event["event"] == "round")
        next(rounds)
        terminal.wait_for("Round 1")
        terminal.enter("give up")
        hand = next(rounds)["hand"]
        terminal.wait_for("Round 2")
        terminal.enter("+".join(map(str, hand)))
        terminal.press("C-t")
        terminal.wait_for("Hint 1", "That is")
        terminal.wait_for("Ada has it")
        answer = solution(hand)
        terminal.type(answer[:-1])
        terminal.wait_for(answer[:-1])
        terminal.picture(
            f"{pictures}/round.svg", "A round: the hand in big digits, the clock, how everyone stands, and what was tried")

        terminal.type(answer[-1])
        terminal.press("Enter")
        terminal.wait_for("A solution", "R2")
        terminal.picture(f"{pictures}/result.svg", "The end of a round: a solution, and the points by round")
finally:
    for process in processes:
        process.terminate()
