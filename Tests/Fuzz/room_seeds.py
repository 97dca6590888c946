"""room_seeds.py FOLDER: writes what fuzzing of rooms begins with, into FOLDER/room.

The first byte is how the room is made: 1 for three rounds only, 2 for shares, 4 for a host who does not play, 8 for new players who
wait. Then each two bytes are what happens, and to whom.
"""

import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1]) / "room"
folder.mkdir(parents=True, exist_ok=True)

JOIN, TO_ROOM, TO_PERSON, ALL, ACT, LEAVE, BREAK, LOSE, PASS, RULE, REPLAY, CHANGE, INVENT, STOLEN, WRITE, RESTART = range(16)
FRIEND, WITH_KEY, INVITED, WATCHER, STRANGER = range(5)
IN = [JOIN, FRIEND, JOIN, INVITED, ALL, 0, ACT, FRIEND, ACT, INVITED, ALL, 0]


def write(name, *steps, settings=0):
    (folder / name).write_bytes(bytes([settings, *steps]))


for settings in range(16):
    write(f"evening-{settings}", *IN, BREAK, 0, JOIN, FRIEND, ALL, 0, ACT, FRIEND, ALL, 0, settings=settings)
write("everybody", *(step for person in range(5) for step in (JOIN, person)), ALL, 0, LEAVE, WATCHER, ALL, 0)
write("half-open", *IN, LOSE, 0, JOIN, FRIEND, ALL, 0, LOSE, 2, JOIN, FRIEND, ALL, 0)
write("welcome-lost", *IN, BREAK, 0, JOIN, FRIEND, TO_ROOM, 2, BREAK, 2, JOIN, FRIEND, ALL, 0, ACT, FRIEND, ALL, 0)
write("too-late", *IN, BREAK, 0, PASS, 255, JOIN, FRIEND, ALL, 0)
write("replayed", *IN, BREAK, 0, JOIN, FRIEND, REPLAY, 4, REPLAY, 0x84, ALL, 0, REPLAY, 4, REPLAY, 0)
write("changed", *IN, BREAK, 0, JOIN, FRIEND, CHANGE, 0x10, 40, ALL, 0)
for name, who in {"secret": 0x40, "page": 0xC0, "proof-as-page": 0x80, "proof": 0}.items():
    write(f"stolen-{name}", *IN, STOLEN, who, STOLEN, who | 1, BREAK, 0, STOLEN, who)
back = [JOIN, FRIEND, ALL, 0, ACT, FRIEND, ALL, 0]
write("stolen-old", *IN, BREAK, 0, *back, BREAK, 2, *back, STOLEN, 0, STOLEN, 4, STOLEN, 8)
write("stolen-older", *IN, BREAK, 0, JOIN, FRIEND, ALL, 0, BREAK, 2, JOIN, FRIEND, ALL, 0, STOLEN, 0)
write("kicked", *IN, BREAK, 0, RULE, 0x20, JOIN, FRIEND, ALL, 0, RULE, 0x31, JOIN, INVITED, ALL, 0)
write("locked", *IN, RULE, 3, BREAK, 0, JOIN, FRIEND, JOIN, WITH_KEY, ALL, 0, RULE, 4, JOIN, WITH_KEY, ALL, 0)
write("approved", RULE, 5, JOIN, FRIEND, ALL, 0, RULE, 0x27, RULE, 0x28, ALL, 0, JOIN, INVITED, ALL, 0, RULE, 0x3A, settings=8)
write("restarted", *IN, WRITE, 0, BREAK, 0, JOIN, FRIEND, ALL, 0, RESTART, 0, JOIN, FRIEND, JOIN, INVITED, ALL, 0, PASS, 255)
write("crowd", *([JOIN, FRIEND, JOIN, WITH_KEY, ALL, 0, LEAVE, FRIEND, LEAVE, WITH_KEY, ALL, 0] * 4), settings=2)
write("rounds", *IN, *([PASS, 210, ACT, 0, ALL, 0] * 8), RULE, 12, *IN, settings=1)
for name, message in {
    "hello": {"kind": "hello", "version": 3, "name": "Eve"}, "old": {"kind": "hello", "version": 1, "name": "Eve"},
    "act": {"kind": "act", "number": 1, "action": {"hint": {}}}, "leaving": {"kind": "leaving"}, "ping": {"kind": "ping"},
    "unknown": {"kind": "later"}, "welcome": {"kind": "welcome"}, "name": {"kind": "hello", "version": 3, "name": "\u202e\u2800"},
    "seat": {"kind": "hello", "version": 3, "name": "E", "seat": {"room": "x", "player": 1, "proof": "AA=="}},
}.items():  # fmt: skip
    text = json.dumps(message, separators=(",", ":")).encode()[:127]
    write(f"invented-{name}", *IN, INVENT, len(text) | 0x80, *text, ALL, 0, INVENT, len(text), *text)
