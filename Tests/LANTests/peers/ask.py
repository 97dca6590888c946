"""ask.py NAME TYPE-NUMBER OWN-ADDRESS: asks all hosts for records as a simple resolver does (RFC 6762 §6.7).

It ends when nothing has come for 2 s.

Prints {"event":"answer","name":…,"type":…,"data":…} for each record of the first section, with the data in hexadecimal.
"""

import json
import socket
import struct
import sys

GROUP = ("224.0.0.251", 5353)


def encoded(name):
    return b"".join(bytes([len(label)]) + label for label in name.encode().split(b".")) + b"\0"


def read_name(packet, place):
    labels, end = [], None
    while packet[place]:
        if packet[place] >= 0xC0:
            end = end or place + 2
            place = (packet[place] & 63) << 8 | packet[place + 1]
            continue
        labels.append(packet[place + 1 : place + 1 + packet[place]].decode())
        place += 1 + packet[place]
    return ".".join(labels), end or place + 1


def answers(packet):
    questions, count = struct.unpack("!HH", packet[4:8])
    place = 12
    for _ in range(questions):
        place = read_name(packet, place)[1] + 4
    for _ in range(count):
        name, place = read_name(packet, place)
        kind, _, _, length = struct.unpack("!HHIH", packet[place : place + 10])
        yield name, kind, packet[place + 10 : place + 10 + length]
        place += 10 + length


name, kind, own = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
    asker.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own))
    asker.settimeout(2)
    asker.sendto(struct.pack("!6H", 7, 0, 1, 0, 0, 0) + encoded(name) + struct.pack("!HH", kind, 1), GROUP)
    try:
        while True:
            for found, found_kind, data in answers(asker.recv(9000)):
                answer = {"event": "answer", "name": found, "type": found_kind, "data": data.hex()}
                print(json.dumps(answer), flush=True)
    except TimeoutError:
        pass
