"""hanging_bus.py PATH COUNT: passes the system bus on at a socket, and hangs like a stopped dbus-daemon after so many requests.

A request is a line of a client's handshake or a message that a client sends, of all clients together. Prints {"event":"listening"} and,
when what follows is no longer answered, {"event":"hanging"}. A line on standard input ends the hanging.
"""

import json
import select
import socket
import struct
import sys

path, count = sys.argv[1], int(sys.argv[2])
BUS = "/run/dbus/system_bus_socket"


def tell(event):
    print(json.dumps({"event": event}), flush=True)


class Client:
    """A client's connection, and one to the bus for it."""

    def __init__(self, near):
        self.near, self.far = near, socket.socket(socket.AF_UNIX)
        self.far.connect(BUS)
        self.waiting, self.has_begun = b"", False

    def request(self):
        """Takes the first whole request of those that wait; empty if there is none."""
        size = 0
        if not self.has_begun:
            size = self.waiting.find(b"\n") + 1
            self.has_begun = self.waiting[:size].startswith(b"BEGIN")
        elif len(self.waiting) >= 16:
            # Little-endian, as everybody here: the length of the body, and that of the fields before it.
            body, _, fields = struct.unpack("<III", self.waiting[4:16])
            size = 16 + (fields + 7) // 8 * 8 + body
            size = size if len(self.waiting) >= size else 0
        request, self.waiting = self.waiting[:size], self.waiting[size:]
        return request


with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(path)
    listener.listen(30)
    tell("listening")
    clients, hangs = [], False
    while True:
        ends = {end: (client, end is client.near) for client in clients for end in (client.near, client.far)}
        for end in select.select([sys.stdin] + ([] if hangs else [listener, *ends]), [], [])[0]:
            if end is sys.stdin:
                if not sys.stdin.readline():
                    sys.exit()
                count, hangs = 1 << 30, False
            elif hangs:
                break
            elif end is listener:
                clients.append(Client(listener.accept()[0]))
            else:
                client, is_near = ends[end]
                data = end.recv(65536)
                if not data:
                    client.near.close()
                    client.far.close()
                    clients.remove(client)
                    break
                if not is_near:
                    client.near.sendall(data)
                    continue
                client.waiting += data
            for client in clients:
                while not hangs and (request := client.request()):
                    if count == 0:
                        client.waiting, hangs = request + client.waiting, True
                        client.has_begun = client.has_begun and not request.startswith(b"BEGIN")
                        tell("hanging")
                    else:
                        count -= 1
                        client.far.sendall(request)
