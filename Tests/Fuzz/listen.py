"""listen.py INTERFACE: writes the mDNS datagrams seen at an interface to standard output until asked to go.

One a line: seconds since the start, source address and port, and the datagram in hexadecimal.
"""

import signal
import socket
import sys
import time


def datagram(frame):
    """Source address, source port and content of an mDNS datagram in an Ethernet frame; None for anything else."""
    kind, packet = frame[12:14], frame[14:]
    if kind == b"\x08\x00" and packet[9] == 17:
        source, udp = socket.inet_ntop(socket.AF_INET, packet[12:16]), packet[(packet[0] & 15) * 4 :]
    elif kind == b"\x86\xdd" and packet[6] == 17:
        source, udp = socket.inet_ntop(socket.AF_INET6, packet[8:24]), packet[40:]
    else:
        return None
    ports = int.from_bytes(udp[0:2], "big"), int.from_bytes(udp[2:4], "big")
    return (source, ports[0], udp[8 : int.from_bytes(udp[4:6], "big")]) if 5353 in ports else None


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    everything = 3  # ETH_P_ALL
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(everything)) as listener:
        listener.bind((sys.argv[1], 0))
        start = time.monotonic()
        while True:
            heard = datagram(listener.recv(65535))
            if heard is not None:
                print(f"{time.monotonic() - start:.3f} {heard[0]} {heard[1]} {heard[2].hex()}", flush=True)


main()
