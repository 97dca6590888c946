"""publish.py NAME TYPE PORT [KEY[=VALUE] ...]: publishes a service until asked to go, and says goodbye then.

Prints {"event":"published","name":…,"port":…}, where the name may be another one after a conflict, and {"event":"withdrawn"}.
"""

import socket
import sys

import zeroconf

import peer

name, service_type, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
properties = {}
for item in sys.argv[4:]:
    key, equals, value = item.partition("=")
    properties[key] = value if equals else None

network = peer.start()
info = zeroconf.ServiceInfo(
    peer.full_type(service_type),
    f"{name}.{peer.full_type(service_type)}",
    port=port,
    properties=properties,
    server=f"{socket.gethostname()}.local.",
    addresses=peer.own_addresses(),
)
network.register_service(info, allow_name_change=True)
peer.tell("published", name=info.get_name(), port=port)
peer.wait_for_the_end()
network.unregister_all_services()
network.close()
peer.tell("withdrawn", name=info.get_name(), port=port)
