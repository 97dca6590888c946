#!/usr/bin/python3
"""Makes the pictures of the README: plays a game at a real terminal on a private LAN, and draws what stands there as SVG.

usage (within Tests/lan -n 3 -d): pictures.py FOLDER-OF-THE-PROGRAMS FOLDER-FOR-THE-PICTURES
"""
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unicodedata
from fractions import Fraction
from xml.sax.saxutils import escape

COLUMNS, ROWS = 80, 24
CELL, LINE, MARGIN, SIZE = 9, 19, 14, 15
PAPER, INK = "#15191f", "#d7dae0"
COLORS = {31: "#e0626c", 32: "#8ec07c", 33: "#e5c07b", 34: "#6ca6e0", 35: "#c678dd", 36: "#5fc3cf"}

programs, pictures = sys.argv[1:]
folder = tempfile.mkdtemp()


def on(host, *command, **options):
    return subprocess.Popen(["on", host, *command], **options)


def tmux(*arguments):
    return subprocess.run(
        ["on", "h1", "tmux", "-S", f"{folder}/tmux", "-f", "/dev/null", *arguments], check=True, stdout=subprocess.PIPE,
        text=True).stdout


def wait_for(test, what):
    deadline = time.monotonic() + 60
    while not (result := test()):
        if time.monotonic() > deadline:
            sys.exit(f"{what} did not come:\n" + tmux("capture-pane", "-p"))
        time.sleep(0.05)
    return result


def wait_for_text(*texts):
    wait_for(lambda: all(text in tmux("capture-pane", "-p") for text in texts), " ".join(texts))


def enter(text):
    tmux("send-keys", "-l", text)
    tmux("send-keys", "Enter")


# ---- From a terminal to SVG


def width(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Style:
    def __init__(self):
        self.color, self.bold, self.dim, self.reversed = None, False, False, False

    def apply(self, parameters):
        for number in (int(part or 0) for part in parameters.split(";")):
            if number == 0:
                self.__init__()
            elif number == 1:
                self.bold = True
            elif number == 2:
                self.dim = True
            elif number == 7:
                self.reversed = True
            elif number == 22:
                self.bold = self.dim = False
            elif number == 27:
                self.reversed = False
            elif number == 39:
                self.color = None
            elif number in COLORS:
                self.color = COLORS[number]

    def ink(self):
        return PAPER if self.reversed else self.color or INK


def runs(line, style):
    """The pieces of a line that look alike: the column, the text, its width and the style."""
    column, text, start = 0, "", 0
    for part in re.split(r"(\x1b\[[0-9;]*m|.)", line):
        if part.startswith("\x1b"):
            if text:
                yield start, text, column - start
            text, start = "", column
            style.apply(part[2:-1])
        elif part:
            text += part
            column += width(part)
    if text:
        yield start, text, column - start


def draw_run(row, column, text, columns, style):
    x, y = MARGIN + column * CELL, MARGIN + row * LINE
    if style.reversed:
        yield f'<rect x="{x}" y="{y}" width="{columns * CELL}" height="{LINE}" fill="{style.color or INK}"/>'
    opacity = ' fill-opacity="0.6"' if style.dim else ""
    weight = ' font-weight="bold"' if style.bold else ""
    # Blocks are drawn as such, so that no font leaves gaps between them.
    for piece in re.findall(r"█+|░+|[^█░]+", text):
        wide = sum(width(character) for character in piece)
        if piece[0] in "█░":
            shade = ' fill-opacity="0.25"' if piece[0] == "░" else ""
            yield f'<rect x="{x}" y="{y}" width="{wide * CELL}" height="{LINE}" fill="{style.ink()}"{shade}/>'
        elif piece.strip():
            lead = len(piece) - len(piece.lstrip())
            shown = piece.strip()
            length = sum(width(character) for character in shown) * CELL
            yield (f'<text x="{x + lead * CELL}" y="{y + 14}" fill="{style.ink()}"{opacity}{weight} textLength="{length}"'
                   f' lengthAdjust="spacingAndGlyphs">{escape(shown)}</text>')
        x += wide * CELL


def picture(name, description):
    style = Style()
    shapes = []
    lines = tmux("capture-pane", "-p", "-e", "-N").split("\n")[:ROWS]
    for row, line in enumerate(lines):
        for column, text, columns in runs(line, style):
            # A word of its own for what is far from the next, so that columns stay where they are.
            offset = 0
            for word in re.findall(r" {2,}|(?:(?! {2}).)+", text):
                wide = sum(width(character) for character in word)
                if word.strip() or style.reversed:
                    shapes += draw_run(row, column + offset, word, wide, style)
                offset += wide
    x, y, is_shown = map(int, tmux("display-message", "-p", "#{cursor_x} #{cursor_y} #{cursor_flag}").split())
    if is_shown:
        shapes.append(f'<rect x="{MARGIN + x * CELL}" y="{MARGIN + y * LINE}" width="{CELL}" height="{LINE}" fill="{INK}"/>')
    across, down = COLUMNS * CELL + 2 * MARGIN, ROWS * LINE + 2 * MARGIN
    with open(f"{pictures}/{name}.svg", "w", encoding="utf-8") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" role="img" aria-label="{escape(description)}"'
            f' font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{SIZE}" xml:space="preserve">\n'
            f'<rect width="{across}" height="{down}" rx="8" fill="{PAPER}"/>\n' + "\n".join(shapes) + "\n</svg>\n")
    print(f"{pictures}/{name}.svg")


# ---- The evening


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


environment = ["env", "LC_ALL=C.UTF-8", f"XDG_CONFIG_HOME={folder}", f"PATH={programs}:/usr/bin:/bin", "PS1=$ ", "sh"]
quiet = dict(stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
host, join = f"{programs}/twentyfour-host", f"{programs}/twentyfour-join"
processes = [
    on("h1", host, "--name", "Ada", "--bot", "--strength", "expert", "--seed", "5", "--rounds", "3", "--round-seconds", "40",
       "--pause-seconds", "8", "--json", **quiet),
    on("h2", host, "--name", "李雷", "--bot", "--max", "4", "--json", **quiet),
    on("h3", host, "--name", "Grace", "--bot", "--max", "2", "--json", **quiet),
]
try:
    tmux("new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), " ".join(f"'{word}'" for word in environment))
    enter("clear; twentyfour-join --name Bob")
    wait_for_text("Ada's game", "李雷's game", "Grace's game")
    processes.append(on("h3", join, "Ada's game", "--name", "Zoë", "--bot", "--strength", "average", "--seed", "2", "--json",
                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))
    zoe = events(processes[-1])
    processes.append(on("h2", join, "Grace's game", "--name", "Alan", "--bot", "--json", **quiet))
    processes.append(on("h2", join, "Ada's game", "--name", "韓梅梅", "--bot", "--strength", "beginner", "--seed", "3",
                        "--json", **quiet))
    wait_for_text("3 of 16", "full")
    tmux("send-keys", "Down", "Down", "Up", "Up")
    picture("lobby", "The lobby: three rooms, with how many play in them and where they are")

    tmux("send-keys", "Enter")
    rounds = (event for event in zoe if event["event"] == "round")
    next(rounds)
    wait_for_text("Round 1")
    enter("give up")
    hand = next(rounds)["hand"]
    wait_for_text("Round 2")
    enter("+".join(map(str, hand)))
    tmux("send-keys", "C-t")
    wait_for_text("Hint 1", "That is")
    wait_for_text("Ada has it")
    answer = solution(hand)
    tmux("send-keys", "-l", answer[:-1])
    wait_for_text(answer[:-1])
    picture("round", "A round: the hand in big digits, the clock, how everyone stands, and what was tried")

    tmux("send-keys", "-l", answer[-1])
    tmux("send-keys", "Enter")
    wait_for_text("A solution", "R2")
    picture("result", "The end of a round: a solution, and the points by round")
finally:
    for process in processes:
        process.terminate()
    tmux("kill-server")
