"""What can be combined, and runs in which every possible pair of values occurs.

A run gives each parameter a value. `FORBIDDEN` says what cannot be combined, with the reason. The runs are made greedily, as by AETG
(Cohen et al., 1997): of some candidates, each grown around a pair that no run has yet, the one with the most new pairs is taken.
The first runs have the most new pairs, so that a slice of them is worth the most.
"""

import itertools
import random

import expected

PARAMETERS = {
    # The program that stands on h1, whose faults are told below. `any` is twentyfour-join --any.
    "role": ["browse", "once", "publish", "host", "server", "join", "any"],
    "backend": ["avahi", "auto", "builtin"],
    # Of h1. `restarted` happens while the program runs, all else before it starts; a hung process is stopped by SIGSTOP.
    "daemon": ["running", "absent", "hung", "restarted", "bus-hung", "bus-gone"],
    # Of h1. The cable is pulled and plugged in while the program runs, all else is so before it starts.
    "network": ["good", "cable", "firewall", "no-link", "loss"],
    # Of the room, which h1 or h2 has. With `wrong` a player with a wrong code comes: the program, or a stranger.
    "security": ["insecure", "open", "right", "wrong", "approve"],
    # `host`: the room's host is killed and goes on with its state. `player`: a player's connections break, and the cable is out.
    "reconnect": ["none", "host", "player"],
    # Whether nothing but the directory's server connects the hosts.
    "relay": ["no", "yes"],
    "directory": ["none", "there", "absent", "hung", "leaves"],
    "web": ["none", "phone"],
    "room": ["free", "full"],
    "signal": ["TERM", "INT", "HUP"],
    # With `start` the program gets the signal twice: as soon as it handles it, and, started again, when it has run.
    "moment": ["running", "start"],
}

NAMES = list(PARAMETERS)

FORBIDDEN = [
    ({"relay": ["yes"], "directory": ["none", "absent", "hung"]}, "a relay is a directory's"),
    ({"role": ["server"], "security": ["approve"]}, "a server of many matches lets nobody wait for admission"),
    ({"security": ["insecure"], "relay": ["yes"], "reconnect": ["host"]}, "without a key no other program is followed by a relay"),
    ({"role": ["once"], "moment": ["running"]}, "browse --once ends by itself"),
]


def possible(run):
    """Whether a run, or a part of one, has nothing that is forbidden."""
    return not any(all(run.get(name) in values for name, values in rule.items()) for rule, _ in FORBIDDEN)


def completions(part, order=NAMES, choose=lambda part, name: PARAMETERS[name]):
    """The whole runs that contain a part of one. `choose` sorts the values of a parameter, best first."""
    if not possible(part):
        return
    name = next((name for name in order if name not in part), None)
    if not name:
        yield part
        return
    for value in choose(part, name):
        yield from completions(part | {name: value}, order, choose)


def pairs_of(run):
    """The pairs of values about which a run tells something."""
    return {pair for pair in itertools.combinations(((name, run[name]) for name in NAMES), 2)
            if expected.counts(run, pair[0][0], pair[1][0])}


def is_able(pair):
    return any(pair in pairs_of(run) for run in itertools.islice(completions(dict(pair)), 2_000))


def all_pairs():
    """All pairs of values of different parameters: those that some run can have, and those that none can."""
    able, unable = set(), set()
    for one, other in itertools.combinations(NAMES, 2):
        for pair in itertools.product(((one, value) for value in PARAMETERS[one]), ((other, value) for value in PARAMETERS[other])):
            (able if is_able(pair) else unable).add(pair)
    return able, unable


def runs(seed, candidates=40):
    """The runs of a seed: the same ones each time."""
    chance = random.Random(seed)
    left = sorted(all_pairs()[0])
    uncovered = set(left)
    made = []
    while uncovered:
        best, most = None, 0
        for _ in range(candidates):
            start = dict(chance.choice(left))
            order = chance.sample(NAMES, len(NAMES))

            def by_gain(part, name):
                values = PARAMETERS[name]
                shuffled = chance.sample(values, len(values))
                gain = {value: sum(
                    (pair if NAMES.index(pair[0][0]) < NAMES.index(name) else pair[::-1]) in uncovered
                    for pair in ((item, (name, value)) for item in part.items())) for value in values}
                return sorted(shuffled, key=lambda value: -gain[value])

            run = next(completions(start, order, by_gain))
            count = len(pairs_of(run) & uncovered)
            if count > most:
                best, most = run, count
        if not best:
            continue  # what the candidates have in common came too early to an end; others are tried
        made.append({name: best[name] for name in NAMES})
        uncovered -= pairs_of(best)
        left = [pair for pair in left if pair in uncovered]
    return made


def check(made):
    """Counts anew, without the generator, which pairs the runs have. Returns what is wrong, and a sentence for people."""
    wrong = []
    able, unable = all_pairs()
    total = sum(len(one) * len(other) for one, other in itertools.combinations(PARAMETERS.values(), 2))
    seen = set()
    for number, run in enumerate(made, 1):
        if list(run) != NAMES or any(run[name] not in PARAMETERS[name] for name in NAMES):
            wrong.append(f"run {number} is not a run: {run}")
        for rule, reason in FORBIDDEN:
            if all(run[name] in values for name, values in rule.items()):
                wrong.append(f"run {number} cannot be: {reason}")
        for i, one in enumerate(NAMES):
            for other in NAMES[i + 1 :]:
                if expected.counts(run, one, other):
                    seen.add(((one, run[one]), (other, run[other])))
    for (one, other) in unable:
        if not any(set(rule) == {one[0], other[0]} and one[1] in rule[one[0]] and other[1] in rule[other[0]] for rule, _ in FORBIDDEN):
            wrong.append(f"no rule says why {one} and {other} cannot be combined")
    wrong += [f"no run has {one[0]}={one[1]} with {other[0]}={other[1]}" for one, other in sorted(able - seen)]
    return wrong, (f"{len(made)} runs have {len(seen & able)} of {len(able)} possible pairs "
                   f"({total} in all, {len(unable)} impossible)")


def shown(run):
    return " ".join(f"{name}={run[name]}" for name in NAMES)
