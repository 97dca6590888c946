"""counter.py INTERFACE ADDRESS: counts the attempts to connect by TCP that arrive for an address, at any port.

Prints {"event":"counting"}, and each second {"event":"attempts","second":…,"all":…,"by":{PORT: …}} with the number in that second and
of all. An answer is left to the system: it refuses where nobody listens.
"""

import socket
import sys
import time

import peer

ETH_P_ALL, SYN, ACK = 3, 0x02, 0x10
interface, address = sys.argv[1], socket.inet_aton(sys.argv[2])
everything, now, ports, start = 0, 0, {}, time.monotonic()
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)) as listener:
    listener.bind((interface, 0))
    listener.settimeout(0.1)
    peer.tell("counting")
    while True:
        try:
            frame, place = listener.recvfrom(65535)
            packet = frame[14:]
            if frame[12:14] == b"\x08\x00" and packet[9] == socket.IPPROTO_TCP and packet[16:20] == address:
                tcp = packet[(packet[0] & 15) * 4 :]
                # On the loopback interface each packet is seen twice: as it leaves and as it arrives.
                if tcp[13] & (SYN | ACK) == SYN and place[2] != socket.PACKET_OUTGOING:
                    port = int.from_bytes(tcp[2:4], "big")
                    now, everything = now + 1, everything + 1
                    ports[port] = ports.get(port, 0) + 1
        except TimeoutError:
            pass
        if time.monotonic() - start >= 1:
            peer.tell("attempts", second=now, all=everything, by=ports)
            start, now = start + 1, 0
