"""reach.py: reads what `bonjourish browse --resolve --json` found, and prints the names of the services whose hosts can be reached.

Reached is who accepts a TCP connection to the service's port or refuses it, at one of the addresses.
"""

import json
import socket
import sys


def answers(address, port):
    scoped, _, scope = address.partition("%")
    family = socket.AF_INET6 if ":" in scoped else socket.AF_INET
    target = (scoped, port) if family == socket.AF_INET else (scoped, port, 0, socket.if_nametoindex(scope) if scope else 0)
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.settimeout(1)
    try:
        connection.connect(target)
    except ConnectionRefusedError:
        pass
    except OSError:
        return False
    finally:
        connection.close()
    return True


services = {}
for line in sys.stdin:
    record = json.loads(line)
    if record["event"] in ("found", "changed"):
        services[record["name"]] = [(address, record["port"]) for address in record.get("addresses", [])]
    elif record["event"] == "lost":
        services.pop(record["name"], None)
print(*sorted(name for name, targets in services.items() if any(answers(*target) for target in targets)), sep="\n")
