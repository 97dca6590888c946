"""reader.py: shares port 5353 and reads what arrives, as another responder does."""

import socket

own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
own.bind(("", 5353))
own.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("224.0.0.251") + socket.inet_aton("0.0.0.0"))
print("ready", flush=True)
while True:
    own.recv(9216)
