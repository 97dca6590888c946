"""check.py PROGRAM [MODE]: whether `transport-bench serve` keeps to its protocol, asked by a client that shares no code with it."""

import signal
import socket
import struct
import subprocess
import sys
import time

program, mode = sys.argv[1], (sys.argv + ["frames"])[2]


class Client:
    def __init__(self, port, host="127.0.0.1"):
        self.socket = socket.create_connection((host, port), timeout=20)

    def send(self, *bodies):
        self.socket.sendall(b"".join(struct.pack(">I", len(body)) + body for body in bodies))

    def receive_exactly(self, count):
        received = b""
        while len(received) < count:
            part = self.socket.recv(count - len(received))
            if not part:
                raise EOFError("the server has closed the connection")
            received += part
        return received

    def receive(self):
        (size,) = struct.unpack(">I", self.receive_exactly(4))
        return self.receive_exactly(size)

    def is_broken(self):
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


def data(first, count, size=64):
    return [b"D" + struct.pack(">Q", number) + bytes(size - 9) for number in range(first, first + count)]


def check_data(client):
    """Counted by rounds or in all, and in order."""
    client.send(*data(0, 10_000), b"E" + struct.pack(">Q", 10_000))
    assert client.receive() == b"e" + struct.pack(">Q", 10_000)
    client.send(*data(0, 3, size=9), b"E" + struct.pack(">Q", 3))
    assert client.receive() == b"e" + struct.pack(">Q", 3)
    client.send(*data(3, 5, size=65_536), b"E" + struct.pack(">Q", 10_008))
    assert client.receive() == b"e" + struct.pack(">Q", 10_008)
    # An end that comes before what it announces is answered when that is in.
    client.send(b"E" + struct.pack(">Q", 2), *data(100, 2))
    assert client.receive() == b"e" + struct.pack(">Q", 2)


def check_pings(client):
    """The same back, whatever it is, between data too."""
    pings = [b"P", b"P" + bytes(range(256)), b"P" + bytes(65_535)]
    client.send(*pings)
    for ping in pings:
        assert client.receive() == ping
    client.send(*data(0, 2), b"P1", *data(2, 2), b"P2", b"E" + struct.pack(">Q", 4))
    assert [client.receive() for _ in range(3)] == [b"P1", b"P2", b"e" + struct.pack(">Q", 4)]


def check_status(client, process):
    def status():
        client.send(b"S")
        kind, nanoseconds, number = struct.unpack(">cQI", client.receive())
        assert kind == b"s" and number == process.pid
        return nanoseconds

    before = status()
    client.send(*data(0, 20_000), b"E" + struct.pack(">Q", 20_000))
    client.receive()
    assert status() > before > 0


def check_broadcasts(port, client):
    members = [Client(port) for _ in range(20)]
    for member in members:
        member.send(b"H")
        assert member.receive() == b"h"
    client.send(b"G" + struct.pack(">II", 300, 256))
    for member in members:
        for _ in range(300):
            frame = member.receive()
            assert len(frame) == 256 and frame[:1] == b"B"
    # Who is no member gets nothing, and a member gets nothing more.
    client.send(b"P")
    assert client.receive() == b"P"
    members[0].send(b"P")
    assert members[0].receive() == b"P"


def check_misuse(port):
    """Who does not keep to it is thrown out, and nobody else."""
    for frames in [[b"x"], [b""], [b"D123"], [b"E1"], [b"G" + bytes(3)], [b"h"], data(0, 1) + data(2, 1)]:
        client = Client(port)
        client.send(*frames)
        assert client.is_broken(), frames


def main():
    command = [program, "serve", "--port", "0", "--interface", "lo", "--mode", mode]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        ready, number = process.stdout.readline().split()
        assert ready == "ready"
        port = int(number)
        client = Client(port)
        check_data(client)
        check_pings(client)
        check_status(client, process)
        check_broadcasts(port, client)
        check_misuse(port)
        client.send(b"P")
        assert client.receive() == b"P"
    finally:
        process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        output, errors = process.communicate(timeout=10)
    assert process.returncode == 0 and output == "", (process.returncode, output)
    assert time.monotonic() - begin < 5
    assert len(errors.splitlines()) == 7 and all(line.startswith("transport-bench: ") for line in errors.splitlines()), errors
    print("kept")


main()
