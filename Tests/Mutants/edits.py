"""A mutant, and the text of a file in which several of them are behind a choice at run time."""

from dataclasses import dataclass, field

CHOICE = "_isMutant"


@dataclass
class Edit:
    """Replaces a part of the text. In the pieces, `{on}` stands for the question whether this mutant is chosen."""
    start: int
    end: int
    switched: str  # with {on}, and the original
    changed: str  # the text of the mutant alone


@dataclass
class Mutant:
    kind: str
    file: str
    line: int
    edits: list = field(default_factory=list)
    number: int = 0
    module: str = ""

    @property
    def start(self):
        return min(edit.start for edit in self.edits)

    @property
    def end(self):
        return max(edit.end for edit in self.edits)

    def overlaps(self, other):
        return self.file == other.file and self.start <= other.end and other.start <= self.end

    def on(self):
        return f"{CHOICE}({self.number})"

    def shown(self, text):
        """The original lines and the changed ones, each in one line."""
        first = text.rfind("\n", 0, self.start) + 1
        last = (text + "\n").index("\n", self.end)
        changed = replaced(text[:last], [(edit.start, edit.end, edit.changed) for edit in self.edits])[first:]
        return " ".join(text[first:last].split()), " ".join(changed.split())


def replaced(text, parts):
    for start, end, new in sorted(parts, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def switched(text, mutants):
    """The text with all mutants of a file, none of which overlaps another."""
    return replaced(text, [
        (edit.start, edit.end, edit.switched.replace("{on}", mutant.on())) for mutant in mutants for edit in mutant.edits])
