"""A connection to a room or a match server, as programs that misbehave need it."""

import json
import socket
import struct


def hello(name, **fields):
    return {"kind": "hello", "version": 3, "name": name, **fields}


class Line:
    """A connection that says what it is told to, well-formed or not."""

    def __init__(self, host, port, timeout=5, receive_buffer=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(timeout)
        self.socket.connect((host, port))

    def raw(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # what the host said before is still to be read

    def throw(self, body):
        """Sends a frame with any body."""
        self.raw(struct.pack(">I", len(body)) + body)

    def say(self, message):
        self.throw(json.dumps(message).encode())

    def bytes(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def hear(self):
        """The next message; heartbeats are passed over."""
        while True:
            size = struct.unpack(">I", self.bytes(4))[0]
            if size:
                return json.loads(self.bytes(size))

    def close(self):
        self.socket.close()
