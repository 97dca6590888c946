"""Clients of a race server with a course of 50: client.py PORT MANNER. Writes "kept" when all was as it should be."""
import socket
import struct
import sys

from race import (NOT_IN_MATCH, arrived, connect, frame, hello, match, moved, over, position, presence, string, waiting, wish)

LENGTH, SPEED = 50, 100


def race(port):
    """Two who race; one breaks off, and comes back."""
    ada, bob = connect(port), connect(port)
    # Byte by byte, as slow networks bring it.
    for byte in frame(hello("a1", "Ada", continues=1)):
        ada.connection.sendall(bytes([byte]))
    ada.hears(NOT_IN_MATCH)
    ada.send(wish(2, 2))
    ada.hears(waiting(1))
    # All at once, as fast ones do.
    bob.connection.sendall(frame(hello("b1", "Bob é")) + frame(wish(2, 16)))
    bob.hears(NOT_IN_MATCH)
    ada.hears(match(LENGTH, SPEED, 0, [("Ada", 0, 0, 0), ("Bob é", 0, 0, 0)]))
    bob.hears(match(LENGTH, SPEED, 1, [("Ada", 0, 0, 0), ("Bob é", 0, 0, 0)]))

    ada.send(position(20))
    bob.hears(moved(0, 20))
    ada.connection.close()
    bob.hears(presence(0, 1))
    bob.send(position(50))
    bob.hears(arrived(1, 1))
    again = connect(port)
    again.send(hello("a1", "Ada", continues=1))
    bob.hears(presence(0, 0))
    again.hears(match(LENGTH, SPEED, 0, [("Ada", 20, 0, 0), ("Bob é", 50, 1, 0)]))
    again.send(position(50))
    bob.hears(moved(0, 50))
    for peer in [again, bob]:
        peer.hears(arrived(0, 2))
        peer.hears(over([1, 0]))

    # Another match; this time one does not want to continue, and the other is alone.
    for peer in [again, bob]:
        peer.send(wish(2, 2))
    again.hears(waiting(1))
    again.hears(match(LENGTH, SPEED, 0, [("Ada", 0, 0, 0), ("Bob é", 0, 0, 0)]))
    bob.hears(match(LENGTH, SPEED, 1, [("Ada", 0, 0, 0), ("Bob é", 0, 0, 0)]))
    again.connection.close()
    bob.hears(presence(0, 1))
    third = connect(port)
    third.send(hello("a1", "Ada", continues=0))
    third.hears(NOT_IN_MATCH)
    bob.hears(presence(0, 2))
    bob.send(position(50))
    bob.hears(arrived(1, 1))
    bob.hears(over([1, 0]))

    # The same player from somewhere else.
    other = connect(port)
    other.send(hello("b1", "Bob"))
    other.hears(NOT_IN_MATCH)
    bob.hears_refusal(5)


BROKEN = {
    "unknown": (frame(b"\x0b"), 0),
    "of-the-server": (frame(b"\x01"), 0),
    "empty": (frame(b""), 0),
    "truncated": (frame(hello("a1", "Ada")[:-1]), 0),
    "trailing": (frame(hello("a1", "Ada") + b"\0"), 0),
    "no-zero": (frame(b"\0" + struct.pack(">i", 2) + b"a1" + string("Ada") + b"\0"), 0),
    "zero-inside": (frame(b"\0" + string(b"a\x001") + string("Ada") + b"\0"), 0),
    "no-length": (frame(b"\0" + struct.pack(">i", 0) + string("Ada") + b"\0"), 0),
    "negative-length": (frame(b"\0" + struct.pack(">i", -1) + b"a1\0" + string("Ada") + b"\0"), 0),
    "too-long": (frame(b"\0" + struct.pack(">i", 2**31 - 1) + b"a1\0"), 0),
    "no-utf8": (frame(b"\0" + string(b"\xff") + string("Ada") + b"\0"), 0),
    "long-name": (frame(hello("a1", "A" * 65)), 0),
    "oversized": (struct.pack(">I", 4097), 0),
    "immense": (struct.pack(">I", 2**32 - 1), 0),
    "early-wish": (frame(wish(2, 16)), 1),
    "early-position": (frame(position(1)), 1),
    "twice": (frame(hello("x1", "X")) + frame(hello("x1", "X")), 1),
    "wish-twice": (frame(hello("x1", "X")) + frame(wish(5, 16)) + frame(wish(5, 16)), 1),
    "bad-wish": (frame(hello("x1", "X")) + frame(wish(3, 2)), 0),
    "cut": (frame(hello("x1", "X")) + frame(wish(2, 2))[:7], 0),
}


def broken(port):
    """Others do everything wrong, one after another, and the two who race are not disturbed."""
    ada, bob = connect(port), connect(port)
    for peer, name in [(ada, "Ada"), (bob, "Bob")]:
        peer.send(hello(name, name))
        peer.hears(NOT_IN_MATCH)
        peer.send(wish(2, 2))
        if peer is ada:
            ada.hears(waiting(1))
    for own, peer in enumerate([ada, bob]):
        peer.hears(match(LENGTH, SPEED, own, [("Ada", 0, 0, 0), ("Bob", 0, 0, 0)]))
    for place, (name, (data, reason)) in enumerate(BROKEN.items()):
        stranger = connect(port)
        stranger.connection.sendall(data)
        if name == "cut":
            stranger.connection.shutdown(socket.SHUT_WR)
        # What was right before is answered.
        if data.startswith(frame(hello("x1", "X"))):
            stranger.hears(NOT_IN_MATCH)
        if name == "wish-twice":
            stranger.hears(waiting(4))
        stranger.hears_refusal(reason)
        ada.send(position(place + 1))
        bob.hears(moved(0, place + 1))
    # Faster than can be: that ends one of the two, and is told to the other.
    bob.send(position(51))
    ada.hears(presence(1, 1))
    bob.hears_refusal(2)
    ada.send(position(50))
    ada.hears(arrived(0, 1))


def closing(port):
    """The server ends while somebody is connected."""
    ada = connect(port)
    ada.send(hello("a1", "Ada"))
    ada.hears(NOT_IN_MATCH)
    print("connected", flush=True)
    ada.hears_refusal(6)


{"race": race, "broken": broken, "closing": closing}[sys.argv[2]](int(sys.argv[1]))
print("kept")
