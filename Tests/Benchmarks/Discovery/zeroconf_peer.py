"""zeroconf_peer.py publish NAME TYPE | browse TYPE: python3-zeroconf beside the others, until its input ends.

Says "start" when Python has started, so that its start is not counted, and "= NAME" for each service once it is resolved.
"""

import pathlib
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "LANTests" / "peers"))

import peer  # noqa: E402
import zeroconf  # noqa: E402


class Listener(zeroconf.ServiceListener):
    def __init__(self):
        self.resolved = set()

    def add_service(self, network, kind, name):
        info = zeroconf.ServiceInfo(kind, name)
        # Nearly always an answer brings all that resolving takes.
        if name not in self.resolved and (info.load_from_cache(network) or info.request(network, 3000)):
            self.resolved.add(name)
            print("=", name, flush=True)

    update_service = add_service

    def remove_service(self, network, kind, name):
        self.resolved.discard(name)
        print("-", name, flush=True)


print("start", flush=True)
network = peer.start()
if sys.argv[1] == "publish":
    kind = peer.full_type(sys.argv[3])
    host = f"{socket.gethostname()}-z.local."
    info = zeroconf.ServiceInfo(kind, f"{sys.argv[2]}.{kind}", port=4242, server=host, addresses=peer.own_addresses())
    network.register_service(info)
else:
    browser = zeroconf.ServiceBrowser(network, peer.full_type(sys.argv[2]), Listener())
sys.stdin.read()
network.close()
