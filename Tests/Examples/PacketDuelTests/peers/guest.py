"""A guest of packet-duel in nothing but sockets and struct: guest.py PORT MANNER. Writes "kept" when all was as it should be."""
import socket
import struct
import sys

UNKNOWN = -1


def packet(kind, action, data=b""):
    body = struct.pack(">iii", kind, action, len(data)) + data
    return struct.pack("<Q", len(body)) + body


def text(value):
    return struct.pack(">i", len(value)) + value


def move(number, column):
    return packet(1, 0, struct.pack(">iB", number, column))


def exactly(peer, count):
    data = b""
    while len(data) < count:
        piece = peer.recv(count - len(data))
        assert piece, f"the connection ended after {data!r}"
        data += piece
    return data


def receive(peer):
    (length,) = struct.unpack("<Q", exactly(peer, 8))
    body = exactly(peer, length)
    kind, action, size = struct.unpack(">iii", body[:12])
    assert size == length - 12, (size, length)
    return kind, action, body[12:]


def at_end(peer):
    try:
        return peer.recv(1) == b""
    except ConnectionResetError:
        return True


def connect(port):
    peer = socket.create_connection(("127.0.0.1", port), timeout=20)
    # The very bytes of the proof of concept, which comes without being asked for.
    proof = b"proof of concept"
    expected = struct.pack("<Q", 12 + len(proof)) + struct.pack(">iii", UNKNOWN, UNKNOWN, len(proof)) + proof
    assert exactly(peer, len(expected)) == expected
    return peer


def greet(peer):
    # Byte by byte, as slow networks bring it.
    for byte in packet(0, 0, text(b"Guest")):
        peer.sendall(bytes([byte]))
    assert receive(peer) == (0, 0, b"\x00\x00\x00\x03Ada")


def accused(peer):
    kind, action, data = receive(peer)
    assert (kind, action, data[0]) == (0, 1, 2), (kind, action, data)
    (size,) = struct.unpack(">i", data[1:5])
    assert size == len(data) - 5 > 0
    assert at_end(peer)


port, manner = int(sys.argv[1]), sys.argv[2]
guest = connect(port)
if manner == "polite":
    greet(guest)
    guest.sendall(move(1, 6))
    assert receive(guest) == (1, 0, struct.pack(">iB", 2, 0))
    guest.sendall(packet(0, 1, b"\x00" + text(b"bye")))
    assert at_end(guest)
elif manner == "strangers":
    # Each does something else wrong, and ends nothing but its own connection.
    for wrong in [move(1, 0), packet(7, 7), packet(0, 0, text(b"")), struct.pack("<Q", 1 << 63)]:
        stranger = connect(port)
        stranger.sendall(wrong)
        accused(stranger)
    late = connect(port)
    greet(guest)
    assert receive(late)[:2] == (0, 1) and at_end(late)
    guest.sendall(packet(0, 1, b"\x00" + text(b"")))
    assert at_end(guest)
elif manner == "full-column":
    greet(guest)
    for number in [1, 3, 5]:
        guest.sendall(move(number, 0))
        assert receive(guest) == (1, 0, struct.pack(">iB", number + 1, 0))
    guest.sendall(move(7, 0))
    accused(guest)
elif manner == "out-of-turn":
    greet(guest)
    guest.sendall(move(1, 0) + move(2, 0))
    accused(guest)
elif manner == "garbage":
    greet(guest)
    guest.sendall(struct.pack("<Q", 5) + b"hello")
    accused(guest)
elif manner == "oversized":
    greet(guest)
    guest.sendall(struct.pack("<Q", 1025))
    accused(guest)
print("kept")
