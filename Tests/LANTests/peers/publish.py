"""publish.py NAME TYPE PORT [ITEM ...]: publishes a service until asked to go, and says goodbye then.

An ITEM of the TXT record is KEY, KEY=VALUE, or KEY:=VALUE with the value in base64. A line of such items on standard input
replaces the record. With a subtype, _printer._sub._http._tcp, as TYPE it is found by those alone who look for that.
Prints {"event":"published","name":…,"port":…}, where the name may be another one after a conflict, {"event":"updated"} and
{"event":"withdrawn"}.
"""

import base64
import socket
import sys
import threading

import zeroconf

import peer


def properties(items):
    record = {}
    for item in items:
        key, equals, value = item.partition("=")
        if key.endswith(":"):
            record[key[:-1]] = base64.b64decode(value)
        else:
            record[key] = value if equals else None
    return record


def service(name, items):
    return zeroconf.ServiceInfo(
        peer.full_type(service_type),
        f"{name}.{peer.full_type(service_type.split('._sub.')[-1])}",
        port=port,
        properties=properties(items),
        server=f"{socket.gethostname()}.local.",
        addresses=peer.own_addresses(),
    )


def obey():
    for line in sys.stdin:
        network.update_service(service(info.get_name(), line.split()))
        peer.tell("updated", name=info.get_name(), port=port)


service_type, port = sys.argv[2], int(sys.argv[3])
network = peer.start()
info = service(sys.argv[1], sys.argv[4:])
network.register_service(info, allow_name_change=True)
peer.tell("published", name=info.get_name(), port=port)
threading.Thread(target=obey, daemon=True).start()
peer.wait_for_the_end()
network.unregister_all_services()
network.close()
peer.tell("withdrawn", name=info.get_name(), port=port)
