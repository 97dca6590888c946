"""flood.py COUNT [bare]: says within a second, with raw packets from as many addresses, that there are COUNT services of
_flood._tcp which there are not; with `bare` it tells of their names alone, and nobody answers for them.

Runs on a host of the private LAN (see flood.py); it forges the addresses that its datagrams come from.
"""

import socket
import struct
import sys
import time

TYPE = "_flood._tcp.local"
GROUP = "224.0.0.251"


def name(text):
    return b"".join(bytes([len(label)]) + label.encode() for label in text.split(".")) + b"\0"


def record(text, kind, data, ttl, rrclass):
    return name(text) + struct.pack(">HHIH", kind, rrclass, ttl, len(data)) + data


def response(number, address, bare):
    instance, host = f"false {number}.{TYPE}", f"false-{number}.local"
    records = [record(TYPE, 12, name(instance), 4500, 1)]
    if not bare:
        records += [
            record(instance, 33, struct.pack(">HHH", 0, 0, 1) + name(host), 120, 0x8001),
            record(instance, 16, b"\0", 4500, 0x8001),
            record(host, 1, socket.inet_aton(address), 120, 0x8001),
        ]
    return struct.pack(">6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def packet(number, bare):
    address = f"10.77.{1 + number // 250}.{1 + number % 250}"
    payload = response(number, address, bare)
    udp = struct.pack(">HHHH", 5353, 5353, 8 + len(payload), 0) + payload
    addresses = socket.inet_aton(address) + socket.inet_aton(GROUP)
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), number & 0xFFFF, 0, 255, 17, 0) + addresses
    return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + udp


def main():
    count, bare = int(sys.argv[1]), "bare" in sys.argv
    packets = [packet(number, bare) for number in range(count)]
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"eth0")
        begin = time.monotonic()
        for number, content in enumerate(packets):
            sender.sendto(content, (GROUP, 0))
            ahead = begin + number / count - time.monotonic()
            if ahead > 0.002:
                time.sleep(ahead)
        print(f"{count} false services in {time.monotonic() - begin:.2f} s")


main()
