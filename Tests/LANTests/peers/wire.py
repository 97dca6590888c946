"""wire.py INTERFACE: writes every mDNS packet seen at an interface, from the IP header on, in hexadecimal, one a line."""

import json
import socket
import sys

ETH_P_ALL = 3


def is_mdns(kind, packet):
    if kind == b"\x08\x00" and packet[9] == socket.IPPROTO_UDP:
        udp = packet[(packet[0] & 15) * 4 :]
    elif kind == b"\x86\xdd" and packet[6] == socket.IPPROTO_UDP:
        udp = packet[40:]
    else:
        return False
    return (5353).to_bytes(2, "big") in (udp[0:2], udp[2:4])


with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)) as listener:
    listener.bind((sys.argv[1], 0))
    print(json.dumps({"event": "listening"}), flush=True)
    while True:
        frame = listener.recv(65535)
        if is_mdns(frame[12:14], frame[14:]):
            print(frame[14:].hex(), flush=True)
