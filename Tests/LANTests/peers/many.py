"""many.py COUNT: announces a service of each of so many types, named _t0._tcp, _t1._tcp and so on, again and again."""

import socket
import struct
import sys
import time

IN, PTR, TTL = 1, 12, 4500


def name(*labels):
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"


def pointer(owner, target):
    return owner + struct.pack(">HHIH", PTR, IN, TTL, len(target)) + target


def message(records):
    return struct.pack(">HHHHHH", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
sender.bind(("", 5353))
records = []
for number in range(int(sys.argv[1])):
    kind = (f"_t{number}", "_tcp", "local")
    records.append(pointer(name("_services", "_dns-sd", "_udp", "local"), name(*kind)))
    records.append(pointer(name(*kind), name("Many", *kind)))
while True:
    for start in range(0, len(records), 20):
        sender.sendto(message(records[start:start + 20]), ("224.0.0.251", 5353))
        time.sleep(0.002)
    print("announced", flush=True)
    time.sleep(0.5)
