"""A race server for one client: server.py MANNER. Writes its port, and "kept" when all was as it should be."""
import socket
import struct
import sys

from race import (NOT_IN_MATCH, Peer, arrived, frame, hello, match, moved, over, presence, string, waiting, wish)

LENGTH, SPEED = 40, 100
listener = socket.create_server(("127.0.0.1", 0))
listener.settimeout(20)
print("port", listener.getsockname()[1], flush=True)


def accept():
    return Peer(listener.accept()[0])


def steps(peer, start):
    """Takes the positions of the client's racer until it has arrived."""
    last = start
    while last < LENGTH:
        body = peer.body()
        number, value = struct.unpack(">Bi", body)
        assert number == 5 and last < value <= min(LENGTH, last + SPEED // 4), body
        last = value


def greet(peer, continues):
    # The very bytes: the lengths count the zero bytes.
    expected = b"\x00\x00\x00\x18" b"\x00" b"\x00\x00\x00\x09ada-4711\x00" b"\x00\x00\x00\x05Ad\xc3\xa9\x00" + bytes([continues])
    assert len(expected) == 4 + 0x18
    heard = peer.exactly(len(expected))
    assert heard == expected == frame(hello("ada-4711", "Adé", continues)), heard


def start(peer):
    peer.send(NOT_IN_MATCH)
    peer.hears(b"\x02" b"\x00\x00\x00\x02" b"\x00\x00\x00\x03")
    assert wish(2, 3) == b"\x02" b"\x00\x00\x00\x02" b"\x00\x00\x00\x03"
    peer.send(waiting(1))
    peer.send(waiting(0))
    peer.send(match(LENGTH, SPEED, 1, [("Bob", 0, 0, 0), ("Adé", 0, 0, 0)]))


def whole():
    peer = accept()
    greet(peer, 0)
    start(peer)
    peer.send(moved(0, 7))
    peer.send(presence(0, 1))
    steps(peer, 0)
    peer.send(arrived(1, 1))
    peer.send(presence(0, 2))
    peer.send(over([1, 0]))
    peer.hears_end()


def lost():
    """The connection breaks, and the client comes back to continue."""
    peer = accept()
    greet(peer, 1)
    start(peer)
    first = struct.unpack(">Bi", peer.body())[1]
    # Closed with something unread or not, it is gone.
    peer.connection.close()
    peer = accept()
    greet(peer, 1)
    peer.send(match(LENGTH, SPEED, 1, [("Bob", 40, 1, 2), ("Adé", first, 0, 0)]))
    steps(peer, first)
    peer.send(arrived(1, 2))
    peer.send(over([0, 1]))
    peer.hears_end()


def says(body):
    def manner():
        peer = accept()
        greet(peer, 0)
        peer.send(body)
        peer.hears_end()

    return manner


def oversized():
    peer = accept()
    greet(peer, 0)
    peer.connection.sendall(struct.pack(">I", 4097))
    peer.hears_end()


MANNERS = {
    "whole": whole,
    "lost": lost,
    "refused": says(b"\x0a\x04" + string("no place")),
    "cheated": says(b"\x0a\x02" + string("too \x1b[31mfast")),
    "unknown": says(b"\x02"),
    "no-zero": says(b"\x0a\x04" + struct.pack(">i", 2) + b"no"),
    "negative": says(b"\x09" + struct.pack(">i", -1)),
    "early": says(over([])),
    "oversized": oversized,
}
MANNERS[sys.argv[1]]()
print("kept")
