"""The protocol of races in nothing but sockets and struct."""
import socket
import struct


def string(text):
    """The length counts the zero byte at the end."""
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack(">i", len(data) + 1) + data + b"\0"


def frame(body):
    return struct.pack(">I", len(body)) + body


class Peer:
    def __init__(self, connection):
        self.connection = connection
        connection.settimeout(20)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.connection.recv(count - len(data))
            assert piece, f"the connection ended after {data!r}"
            data += piece
        return data

    def body(self):
        (length,) = struct.unpack(">I", self.exactly(4))
        return self.exactly(length)

    def send(self, body):
        self.connection.sendall(frame(body))

    def hears(self, body):
        """The next frame, byte by byte."""
        heard = self.exactly(4 + len(body))
        assert heard == frame(body), f"heard {heard!r}, expected {frame(body)!r}"

    def hears_end(self):
        try:
            rest = self.connection.recv(1)
        except ConnectionResetError:
            return
        assert rest == b"", rest

    def hears_refusal(self, reason):
        body = self.body()
        assert body[:2] == bytes([10, reason]), body
        (length,) = struct.unpack(">i", body[2:6])
        assert length == len(body) - 6 > 1 and body[-1] == 0 and 0 not in body[6:-1], body
        self.hears_end()


def connect(port):
    return Peer(socket.create_connection(("127.0.0.1", port), timeout=20))


def hello(player, alias, continues=0):
    return b"\0" + string(player) + string(alias) + bytes([continues])


def wish(minimum, maximum):
    return struct.pack(">Bii", 2, minimum, maximum)


def waiting(missing):
    return struct.pack(">Bi", 3, missing)


def match(length, speed, own, racers):
    body = struct.pack(">BiiBi", 4, length, speed, own, len(racers))
    for alias, position, place, presence in racers:
        body += string(alias) + struct.pack(">iiB", position, place, presence)
    return body


def position(value):
    return struct.pack(">Bi", 5, value)


def moved(racer, value):
    return struct.pack(">BBi", 6, racer, value)


def arrived(racer, place):
    return struct.pack(">BBi", 7, racer, place)


def presence(racer, value):
    return bytes([8, racer, value])


def over(ranking):
    return struct.pack(">Bi", 9, len(ranking)) + bytes(ranking)


NOT_IN_MATCH = b"\x01"
