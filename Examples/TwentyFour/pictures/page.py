#!/usr/bin/python3
"""Makes the pictures of the page: plays a round in a headless Chromium on a private LAN.

usage (within Tests/lan -n 3): page.py FOLDER-OF-THE-PROGRAMS FOLDER-FOR-THE-PICTURES
With `browse` as a third argument it only does so, as the host h2, with the address on standard input: see below.
"""
import asyncio
import itertools
import json
import pathlib
import struct
import subprocess
import sys
import zlib
from collections import Counter

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Tests/LANTests/peers"))
from chromium import Browser

programs, pictures = sys.argv[1:3]


def solution(hand):
    """An expression with the value 24, found by trying all of them."""
    for a, b, c, d in itertools.permutations(map(str, hand)):
        for x, y, z in itertools.product("+-*/", repeat=3):
            for text in (f"(({a}{x}{b}){y}{c}){z}{d}", f"({a}{x}({b}{y}{c})){z}{d}", f"({a}{x}{b}){y}({c}{z}{d})",
                         f"{a}{x}(({b}{y}{c}){z}{d})", f"{a}{x}({b}{y}({c}{z}{d}))"):
                try:
                    if abs(eval(text) - 24) < 1e-9:
                        return text
                except ZeroDivisionError:
                    pass
    raise SystemExit(f"page.py: {hand} has no solution")


# MARK: Small pictures

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def rows(png):
    """The rows of a PNG with 8 bits for each colour, as it comes from the browser: each a list of colours."""
    position, data = 8, b""
    while position < len(png):
        size, kind = struct.unpack(">I4s", png[position:position + 8])
        body = png[position + 8:position + 8 + size]
        position += 12 + size
        if kind == b"IHDR":
            width, height, _, layout = struct.unpack(">IIBB", body[:10])
        data += body if kind == b"IDAT" else b""
    step = {2: 3, 6: 4}[layout]
    raw, before = zlib.decompress(data), bytearray(width * step)
    for start in range(0, height * (width * step + 1), width * step + 1):
        method, row = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        for x, value in enumerate(row):
            left, up, corner = (row[x - step], before[x], before[x - step]) if x >= step else (0, before[x], 0)
            nearest = min((left, up, corner), key=lambda other: abs(left + up - corner - other))
            row[x] = (value + (0, left, up, (left + up) // 2, nearest)[method]) & 255
        yield [bytes(row[x:x + 3]) for x in range(0, len(row), step)]
        before = row


def shrink(path, colours=64):
    """Leaves only the most frequent colours, which are enough for letters and areas."""
    drawn = list(rows(path.read_bytes()))
    counts = Counter(colour for row in drawn for colour in row)
    palette = [colour for colour, _ in counts.most_common(colours)]
    distance = lambda one, other: sum((a - b) ** 2 for a, b in zip(one, other))
    index = {colour: min(range(len(palette)), key=lambda entry: distance(palette[entry], colour)) for colour in counts}
    data = b"".join(b"\0" + bytes(index[colour] for colour in row) for row in drawn)
    header = struct.pack(">IIBBBBB", len(drawn[0]), len(drawn), 8, 3, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"PLTE", b"".join(palette))
        + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


# MARK: The evening

async def browse(address):
    """Plays as a phone, with a board beside it. Says when the round is solved, so that the host gives up."""
    folder = pathlib.Path(pictures)

    async def shows(page, *texts):
        async def is_shown():
            lines = "\n".join(await page.texts())
            return all(text in lines for text in texts)
        if not await page.soon(is_shown, 60):
            raise SystemExit(f"page.py: {texts} did not come")

    async with Browser() as browser:
        phone = await browser.page(320, 640)
        board = await browser.page(1280, 720, is_dark=True, is_phone=False)
        await phone.open(address)
        await shows(phone, "Who plays?")
        await phone.tap("Your name, as the others see it")
        await phone.write("Eve")
        await phone.tap("Play")
        await board.open(address + "board")
        await shows(phone, "Round 1", "Grace", "Alan")
        hand = await phone.value("state.round.hand")
        await phone.tap("Hint (−2)")
        for name in (str(hand[0]), "plus", str(hand[1])):
            await phone.tap(name)
        await shows(phone, "Hint 1")
        await phone.value("scrollTo(0, 0)")
        await phone.picture(folder / "phone-round.png")
        await shows(board, "Round 1", " s\t")
        await board.picture(folder / "board.png")
        await phone.tap("Type the answer")
        await phone.tap("Your answer, such as 8*(9/(5-2))")
        await phone.write(solution(hand))
        await phone.press("Enter")
        await shows(phone, "You have it")
        print("solved", flush=True)
        await phone.look(is_dark=True)
        await shows(phone, "A solution of round 1")
        await phone.picture(folder / "phone-result.png")
    for name in ("phone-round", "board", "phone-result"):
        shrink(folder / f"{name}.png")


def on(host, *command):
    return subprocess.Popen(["on", host, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def main():
    started = []
    try:
        quiet = ["--json", "--backend", "builtin"]
        host = on("h1", f"{programs}/twentyfour-host", "--name", "Ada", "--web", "--port", "4242", "--rounds", "3", "--seed", "3", *quiet)
        started.append(host)
        address = json.loads(host.stdout.readline())["web"]
        for name in ("Grace", "Alan"):
            started.append(on("h3", f"{programs}/twentyfour-join", "--name", name, "--bot", "--strength", "expert", "--connect", "10.77.0.1:4242", *quiet))
        phone = on("h2", "/usr/bin/python3", __file__, programs, pictures, "browse")
        started.append(phone)
        print(address, file=phone.stdin, flush=True)
        if phone.stdout.readline() != "solved\n":
            raise SystemExit("page.py: the phone did not solve the round")
        print("give up", file=host.stdin, flush=True)
        if phone.wait(120):
            raise SystemExit("page.py: the phone failed")
    finally:
        for program in reversed(started):
            program.kill()


if sys.argv[3:] == ["browse"]:
    asyncio.run(browse(sys.stdin.readline().strip()))
else:
    main()
