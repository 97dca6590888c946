"""A relay between the subject and the switch of a private LAN, which may change, hold back or drop the mDNS messages that pass.

It runs at the switch and takes the cable of h1 out of the bridge. All that is not mDNS passes as it is.
"""

import heapq
import itertools
import select
import socket
import struct
import subprocess
import threading
import time
from dataclasses import dataclass

import dns
from wire import OUTGOING, PORT, parsed

ALL_PROTOCOLS, ETHERNET = 3, 14
FAMILIES = {b"\x08\x00": 4, b"\x86\xdd": 6}


@dataclass
class Datagram:
    leaves: bool  # the subject, or else comes to it
    family: int
    is_multicast: bool
    source_port: int
    port: int
    ttl: int
    message: dns.Message
    compresses: bool = True

    @property
    def is_legacy(self):
        return self.message.is_response and self.port != PORT


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def rebuilt(frame, family, source_port, port, ttl, payload):
    """The frame with another payload, ports and IP TTL. Checksums are always made: between namespaces the kernel leaves them out."""
    ip = bytearray(frame[ETHERNET:])
    udp = struct.pack("!HHHH", source_port, port, 8 + len(payload), 0) + payload
    if family == 4:
        header = ip[: 4 * (ip[0] & 15)]
        struct.pack_into("!H", header, 2, len(header) + len(udp))
        header[8] = ttl
        header[10:12] = b"\0\0"
        struct.pack_into("!H", header, 10, checksum(bytes(header)))
        pseudo = bytes(header[12:20]) + struct.pack("!BBH", 0, 17, len(udp))
    else:
        header = ip[:40]
        struct.pack_into("!H", header, 4, len(udp))
        header[7] = ttl
        pseudo = bytes(header[8:40]) + struct.pack("!IHBB", len(udp), 0, 0, 17)
    found = checksum(pseudo + udp) or 0xFFFF
    return frame[:ETHERNET] + bytes(header) + udp[:6] + struct.pack("!H", found) + udp[8:]


class Relay:
    """Passes frames on as `handler` says: of a datagram it gives those that go on instead, or (datagram, seconds to hold it back)."""

    def __init__(self, host="h1"):
        for command in (
            f"link set {host} nomaster", "link add relay type veth peer name relayed", "link set relay addrgenmode none up",
            "link set relayed addrgenmode none master br0 up",
        ):
            subprocess.run(["ip", *command.split()], check=True)
        self.subject, self.switch = self.opened(host), self.opened("relay")
        self.handler, self.held, self.number = None, [], itertools.count()
        threading.Thread(target=self.run, daemon=True).start()

    @staticmethod
    def opened(link):
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        end.bind((link, ALL_PROTOCOLS))
        return end

    def run(self):
        while True:
            left = max(0, self.held[0][0] - time.monotonic()) if self.held else None
            for end in select.select([self.subject, self.switch], [], [], left)[0]:
                frame, address = end.recvfrom(65536)
                if address[2] != OUTGOING:
                    other = self.switch if end is self.subject else self.subject
                    for seconds, each in self.passed(frame, end is self.subject):
                        heapq.heappush(self.held, (time.monotonic() + seconds, next(self.number), other, each))
            while self.held and self.held[0][0] <= time.monotonic():
                _, _, other, frame = heapq.heappop(self.held)
                try:
                    other.send(frame)
                except OSError as error:  # the subject's link is down
                    print("relay:", error)

    def passed(self, frame, leaves):
        """(seconds, frame) of what goes on."""
        family = FAMILIES.get(frame[12:14])
        found = family and parsed(frame[ETHERNET:], family)
        is_fragment = family == 4 and frame[ETHERNET + 6] & 0x20
        if not found or is_fragment:
            return [(0, frame)]
        _, source_port, _, port, ttl, payload = found
        plain = [(0, rebuilt(frame, family, source_port, port, ttl, payload))]
        if self.handler is None or PORT not in (source_port, port):
            return plain
        try:
            message = dns.decoded(payload)
        except ValueError:
            return plain
        datagram = Datagram(leaves, family, bool(frame[0] & 1), source_port, port, ttl, message)
        datagram.compresses = not datagram.is_legacy
        before = str(datagram), dns.encoded(message)
        out = []
        for each in self.handler(datagram):
            each, seconds = each if isinstance(each, tuple) else (each, 0)
            if (str(each), dns.encoded(each.message)) == before:
                out.append((seconds, plain[0][1]))
            else:
                data = dns.encoded(each.message, each.compresses)
                out.append((seconds, rebuilt(frame, family, each.source_port, each.port, each.ttl, data)))
        return out

    def broken_by(self, handler):
        self.held.clear()
        self.handler = handler
