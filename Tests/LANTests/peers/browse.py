"""browse.py TYPE: tells of the services of a type as they come, change and go, until asked to go itself.

Prints {"event":"found"|"updated","name":…,"host":…,"port":…,"addresses":[…],"txt":{…}} and {"event":"lost","name":…}.
"""

import socket
import sys

import zeroconf

import peer

service_type = peer.full_type(sys.argv[1])
# Of a subtype, _printer._sub._http._tcp, the names are those of the type.
name_type = service_type.split("._sub.")[-1]


class Listener(zeroconf.ServiceListener):
    def add_service(self, network, kind, full_name):
        info = network.get_service_info(service_type, full_name, timeout=5000)
        if info is None:
            peer.tell("unresolved", name=self.name(full_name), type=sys.argv[1])
        else:
            self.tell("found", info)

    def update_service(self, network, kind, full_name):
        # Updates come through a queue: one that is gone by now must not be waited for, as its removal is further behind.
        info = zeroconf.ServiceInfo(service_type, full_name)
        if info.load_from_cache(network):
            self.tell("updated", info)

    def remove_service(self, network, kind, full_name):
        peer.tell("lost", name=self.name(full_name), type=sys.argv[1])

    def tell(self, event, info):
        peer.tell(
            event,
            name=self.name(info.name),
            type=sys.argv[1],
            host=info.server.rstrip("."),
            port=info.port,
            addresses=sorted(self.address(packed) for packed in info.addresses_by_version(zeroconf.IPVersion.All)),
            txt=peer.txt(info.properties),
        )

    @staticmethod
    def name(full_name):
        return full_name[: -len(name_type) - 1]

    @staticmethod
    def address(packed):
        return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)


network = peer.start()
browser = zeroconf.ServiceBrowser(network, service_type, Listener())
peer.wait_for_the_end()
browser.cancel()
network.close()
