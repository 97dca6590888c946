"""manager.py ADDRESS: the socket of a service manager (sd_notify(3)) at a path, or at @ and a name in the abstract namespace.

Prints {"event":"listening"} and {"event":"told","text":…} for each line that it is told.
"""

import json
import socket
import sys

address = sys.argv[1]
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
    listener.bind("\0" + address[1:] if address.startswith("@") else address)
    print(json.dumps({"event": "listening"}), flush=True)
    while True:
        for line in listener.recv(4096).decode().split("\n"):
            print(json.dumps({"event": "told", "text": line}), flush=True)
