"""deaf.py alone|alone4|shared|ports: never reads what arrives at port 5353. It has the port for itself, over IPv4 only with alone4, or shares
it: with those who set SO_REUSEADDR, or over IPv4 only with those who set SO_REUSEPORT."""

import socket
import sys
import time

if sys.argv[1] == "alone":
    own = socket.socket(socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET, socket.SOCK_DGRAM)
    if own.family == socket.AF_INET6:
        own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    own.bind(("", 5353))
elif sys.argv[1] == "alone4":
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind(("", 5353))
elif sys.argv[1] == "ports":
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    own.bind(("", 5353))
else:
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    own.bind(("", 5353))
    group = socket.inet_aton("224.0.0.251") + socket.inet_aton("0.0.0.0")
    own.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
print("ready", flush=True)
time.sleep(1000)
