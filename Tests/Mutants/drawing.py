"""Draws mutants blind: a line among all lines of code, then a kind that there is on it, then a place."""

import random

from kinds import Source, declared_defaults
from package import ROOT
from words import words

# How often a kind is taken where there are several. What breaks much is noticed by anything, so it tells less.
WEIGHTS = {
    "comparison": 3, "constant": 2, "dropped statement": 3, "swapped arguments": 3, "dropped argument": 3, "negated condition": 1,
    "early return": 1,
}
GENERATED = ("// Generated", "/* Generated")


class Drawing:
    """An endless row of mutants that is the same for the same seeds and sources. The seeds draw in turn."""

    def __init__(self, package, modules, seeds, only=()):
        owners = {path: module for module in modules for path in package.files(module)}
        texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in sorted(owners)}
        defaults = {}
        for path, text in texts.items():
            if path.endswith(".swift"):
                for name, labels in declared_defaults(words(text, package.traits)).items():
                    defaults.setdefault(name, {}).update(labels)
        self.prepare(seeds, owners, {
            path: Source(path, text, package.traits, defaults) for path, text in texts.items()
            if not text.startswith(GENERATED) and (not only or any(part in path for part in only))})

    def prepare(self, seeds, owners, sources):
        self.randoms, self.modules, self.sources = {seed: random.Random(seed) for seed in seeds}, owners, sources
        self.texts = {path: source.text for path, source in sources.items()}
        self.lines = [(path, line) for path, source in sources.items() for line in source.lines]
        self.places, self.drawn, self.tried = {}, [], set()

    def next(self):
        """The next mutant; none of it overlaps a former one. None if there is no other."""
        seed, draw = list(self.randoms.items())[len(self.drawn) % len(self.randoms)]
        while len(self.tried) < len(self.lines):
            path, line = draw.choice(self.lines)
            self.tried.add((path, line))
            if path not in self.places:
                self.places[path] = self.sources[path].mutants()
            kinds = self.places[path].get(line, {})
            if not kinds:
                continue
            names = sorted(kinds)
            kind = draw.choices(names, [WEIGHTS[name] for name in names])[0]
            mutant = draw.choice(kinds[kind])
            if any(mutant.overlaps(other) or mutant.line == other.line and mutant.file == other.file for other in self.drawn):
                continue
            self.drawn.append(mutant)
            mutant.number, mutant.module, mutant.seed = len(self.drawn), self.modules[path], seed
            return mutant
        return None
