"""A real terminal on a private LAN (Tests/lan), what is typed into it, and what stands there as SVG."""
import re
import subprocess
import sys
import tempfile
import time
import unicodedata
from xml.sax.saxutils import escape

CELL, LINE, MARGIN, SIZE = 9, 19, 14, 15
PAPER, INK = "#15191f", "#d7dae0"
COLORS = {31: "#e0626c", 32: "#8ec07c", 33: "#e5c07b", 34: "#6ca6e0", 35: "#c678dd", 36: "#5fc3cf"}


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


class Terminal:
    """A terminal with a shell on a host, which finds the programs of a folder."""

    def __init__(self, host, programs, columns=80, rows=24):
        self.host, self.columns, self.rows = host, columns, rows
        self.folder = tempfile.mkdtemp()
        shell = ["env", "LC_ALL=C.UTF-8", f"XDG_CONFIG_HOME={self.folder}", f"XDG_STATE_HOME={self.folder}", f"PATH={programs}:/usr/bin:/bin", "PS1=$ ", "sh"]
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), " ".join(f"'{word}'" for word in shell))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")

    def tmux(self, *arguments):
        return subprocess.run(
            ["on", self.host, "tmux", "-S", f"{self.folder}/tmux", "-f", "/dev/null", *arguments], check=True,
            stdout=subprocess.PIPE, text=True).stdout

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def enter(self, text):
        self.type(text)
        self.press("Enter")

    def wait_for(self, *texts, without="\0"):
        """Waits until all of these texts stand there, and one does not."""
        deadline = time.monotonic() + 60
        while not all(text in (shown := self.tmux("capture-pane", "-p")) for text in texts) or without in shown:
            if time.monotonic() > deadline:
                sys.exit(f"{' '.join(texts)} did not come:\n" + self.tmux("capture-pane", "-p"))
            time.sleep(0.05)

    def picture(self, path, description):
        style = Style()
        shapes = []
        lines = self.tmux("capture-pane", "-p", "-e", "-N").split("\n")[:self.rows]
        for row, line in enumerate(lines):
            for column, text, columns in runs(line, style):
                # A word of its own for what is far from the next, so that columns stay where they are.
                offset = 0
                for word in re.findall(r" {2,}|(?:(?! {2}).)+", text):
                    wide = sum(width(character) for character in word)
                    if word.strip() or style.reversed:
                        shapes += draw_run(row, column + offset, word, wide, style)
                    offset += wide
        cursor = self.tmux("display-message", "-p", "#{cursor_x} #{cursor_y} #{cursor_flag}")
        x, y, is_shown = map(int, cursor.split())
        if is_shown:
            shapes.append(
                f'<rect x="{MARGIN + x * CELL}" y="{MARGIN + y * LINE}" width="{CELL}" height="{LINE}" fill="{INK}"/>')
        across, down = self.columns * CELL + 2 * MARGIN, self.rows * LINE + 2 * MARGIN
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" role="img"'
                f' aria-label="{escape(description)}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace"'
                f' font-size="{SIZE}" xml:space="preserve">\n'
                f'<rect width="{across}" height="{down}" rx="8" fill="{PAPER}"/>\n' + "\n".join(shapes) + "\n</svg>\n")
        print(path)
