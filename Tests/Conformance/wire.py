"""What the peer hears and says: a capture of all mDNS packets on eth0, and sockets to send with.

The capture is a packet socket: it sees what comes and what goes out with the kernel's time stamps, IP TTL, addresses and ports, so
that a time between two packets does not depend on when this program gets to run.
"""

import ipaddress
import select
import socket
import struct
import threading
import time
from dataclasses import dataclass

import dns

PORT = 5353
GROUPS = {4: "224.0.0.251", 6: "ff02::fb"}
INTERFACE = "eth0"
SO_TIMESTAMPNS, OUTGOING = 35, 4
ETHERTYPES = {0x0800: 4, 0x86DD: 6}


@dataclass
class Packet:
    time: float
    sent: bool  # by the peer itself
    family: int
    source: str
    source_port: int
    destination: str
    port: int
    ttl: int
    size: int  # of the IP packet
    message: object  # None if it cannot be read
    error: str = ""
    data: bytes = b""  # the UDP payload

    @property
    def is_multicast(self):
        return self.destination in GROUPS.values()

    def __str__(self):
        return f"{self.source}:{self.source_port} to {self.destination}:{self.port} {self.message or self.error}"


def parsed(data, family):
    """(source, source port, destination, port, ttl, payload) of a UDP packet, None for anything else and for later fragments."""
    if family == 4:
        header = 4 * (data[0] & 15)
        if data[9] != 17 or struct.unpack_from("!H", data, 6)[0] & 0x1FFF:
            return None
        ttl, source, destination = data[8], data[12:16], data[16:20]
    else:
        header = 40
        if data[6] != 17:
            return None
        ttl, source, destination = data[7], data[8:24], data[24:40]
    source_port, port, length = struct.unpack_from("!HHH", data, header)
    payload = data[header + 8 : header + length]
    return str(ipaddress.ip_address(source)), source_port, str(ipaddress.ip_address(destination)), port, ttl, payload


class Capture:
    """All mDNS packets since the beginning, in order."""

    def __init__(self):
        self.packets = []
        self.arrived = threading.Condition()
        # SOCK_DGRAM: without the Ethernet header.
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind((INTERFACE, 3))
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            data, control, _, address = self.socket.recvmsg(65536, 256)
            family = ETHERTYPES.get(address[1])
            if family is None or (found := parsed(data, family)) is None or PORT not in (found[1], found[3]):
                continue
            seconds, nanoseconds = struct.unpack("qq", control[0][2][:16])
            *ends, payload = found
            message, error = None, ""
            try:
                message = dns.decoded(payload)
            except ValueError as wrong:
                error = str(wrong)
            packet = Packet(seconds + nanoseconds / 1e9, address[2] == OUTGOING, family, *ends, len(data), message, error, payload)
            with self.arrived:
                self.packets.append(packet)
                self.arrived.notify_all()

    @property
    def end(self):
        with self.arrived:
            return len(self.packets)

    def since(self, start):
        """What came from others, in order."""
        with self.arrived:
            return [p for p in self.packets[start:] if not p.sent]

    def wait(self, is_awaited, seconds, start):
        """The first packet from others that is awaited, or None after so many seconds."""
        deadline, at = time.monotonic() + seconds, start
        with self.arrived:
            while True:
                while at < len(self.packets):
                    packet = self.packets[at]
                    at += 1
                    if not packet.sent and packet.message and is_awaited(packet):
                        return packet
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                self.arrived.wait(left)

    def time_sent(self, start, seconds=1):
        """When the kernel sent the first packet of ours since `start`."""
        deadline, at = time.monotonic() + seconds, start
        with self.arrived:
            while time.monotonic() < deadline:
                for packet in self.packets[at:]:
                    if packet.sent:
                        return packet.time
                self.arrived.wait(0.01)
        raise OSError("the capture does not see what the peer sends")


class Voice:
    """Sends from one of the peer's addresses. Unicast answers to it are taken from the socket, so that none is refused."""

    def __init__(self, address, port=PORT):
        self.family = 6 if ":" in address else 4
        self.address = address
        index = socket.if_nametoindex(INTERFACE)
        if self.family == 4:
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            request = socket.inet_aton(GROUPS[4]) + socket.inet_aton(address) + struct.pack("i", index)
            options = [
                (socket.IP_MULTICAST_IF, request), (socket.IP_MULTICAST_TTL, 255), (socket.IP_TTL, 255), (socket.IP_MULTICAST_LOOP, 0)
            ]
            level, membership, end = socket.IPPROTO_IP, (socket.IP_ADD_MEMBERSHIP, request), (address, port)
        else:
            self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
            options = [
                (socket.IPV6_MULTICAST_IF, index), (socket.IPV6_MULTICAST_HOPS, 255), (socket.IPV6_UNICAST_HOPS, 255),
                (socket.IPV6_MULTICAST_LOOP, 0), (socket.IPV6_V6ONLY, 1),
            ]
            request = socket.inet_pton(socket.AF_INET6, GROUPS[6]) + struct.pack("i", index)
            level, membership = socket.IPPROTO_IPV6, (socket.IPV6_JOIN_GROUP, request)
            end = (address, port, 0, index if address.startswith("fe80") else 0)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        for option, value in options:
            self.socket.setsockopt(level, option, value)
        self.socket.bind(end)
        self.socket.setsockopt(level, *membership)
        self.port = self.socket.getsockname()[1]
        self.index = index

    def send(self, message, to=None, port=PORT):
        to = to or GROUPS[self.family]
        end = (to, port) if self.family == 4 else (to, port, 0, self.index)
        self.socket.sendto(dns.encoded(message), end)
        while select.select([self.socket], [], [], 0)[0]:
            self.socket.recv(65536)

    def close(self):
        self.socket.close()
