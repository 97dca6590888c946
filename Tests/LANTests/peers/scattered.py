"""scattered.py NAME: announces services of the type _scattered._tcp, each from an address of its own, five times a second.

They are "NAME ipv4 0" to "NAME ipv4 15" over IPv4, and as many "NAME ipv6 ..." over IPv6.
"""

import ipaddress
import socket
import struct
import subprocess
import sys
import time

COUNT, IN, PTR, TTL = 16, 1, 12, 4500
LINK = socket.if_nametoindex("eth0")


def name(*labels):
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"


def pointer(instance):
    kind = ("_scattered", "_tcp", "local")
    target = name(instance, *kind)
    return struct.pack(">6H", 0, 0x8400, 0, 1, 0, 0) + name(*kind) + struct.pack(">HHIH", PTR, IN, TTL, len(target)) + target


def network(version):
    """The network of the host's address that is not link-local."""
    told = subprocess.run(
        ["ip", f"-{version}", "-oneline", "address", "show", "dev", "eth0", "scope", "global"], check=True, capture_output=True, text=True)
    return ipaddress.ip_interface(told.stdout.split()[3]).network


def sender(address, length):
    arguments = ["nodad"] if address.version == 6 else []
    subprocess.run(["ip", "address", "add", f"{address}/{length}", "dev", "eth0", *arguments], check=True)
    made = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((str(address), 5353))
    if address.version == 4:
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, address.packed)
    else:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, LINK)
    return made


announcements = []
for version, group in [(4, ("224.0.0.251", 5353)), (6, ("ff02::fb", 5353, 0, LINK))]:
    shared = network(version)
    for number in range(COUNT):
        made = sender(shared.network_address + 100 + number, shared.prefixlen)
        announcements.append((made, pointer(f"{sys.argv[1]} ipv{version} {number}"), group))
print("announcing", flush=True)
while True:
    for made, message, group in announcements:
        made.sendto(message, group)
    time.sleep(0.2)
