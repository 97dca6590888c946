"""zeroconf_subject.py publish NAME TYPE PORT SUBTYPES TEXT ... | many COUNT TYPE | browse TYPE: python-zeroconf as a subject.

"many" is for load: it says so once all are published. Without arguments: its version.
"""

import asyncio
import pathlib
import signal
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "LANTests" / "peers"))

import zeroconf  # noqa: E402

if len(sys.argv) == 1:
    print(zeroconf.__version__)
    sys.exit()

import peer  # noqa: E402


class Listener(zeroconf.ServiceListener):
    def __init__(self):
        self.addresses = {}

    def add_service(self, network, kind, name):
        short = name.removesuffix("." + kind)
        info = zeroconf.ServiceInfo(kind, name)
        # Nearly always an answer brings all that resolving takes.
        if info.load_from_cache(network) or info.request(network, 3000):
            self.addresses[kind, name] = info.parsed_addresses()
            peer.tell("found", name=short, host=info.server, port=info.port, addresses=info.parsed_addresses())
        else:
            peer.tell("found", name=short)

    update_service = add_service

    def tell_changes(self, network):
        """That an address has gone from the cache, no listener is told: who cares looks."""
        for (kind, name), before in list(self.addresses.items()):
            info = zeroconf.ServiceInfo(kind, name)
            if info.load_from_cache(network) and info.parsed_addresses() != before:
                self.add_service(network, kind, name)

    def remove_service(self, network, kind, name):
        self.addresses.pop((kind, name), None)
        peer.tell("lost", name=name.removesuffix("." + kind))


network = peer.start()
if sys.argv[1] == "publish":
    _, _, name, kind, port, subtypes, *texts = sys.argv
    kind = peer.full_type(kind)
    properties = dict(text.split("=", 1) for text in texts)
    host = f"{socket.gethostname()}.local."
    # An instance of both a type and a subtype cannot be registered.
    info = zeroconf.ServiceInfo(
        kind, f"{name}.{kind}", port=int(port), properties=properties, server=host, addresses=peer.own_addresses())
    network.register_service(info, allow_name_change=True)
    peer.tell("published", name=info.name.removesuffix("." + kind))
elif sys.argv[1] == "many":
    kind, host = peer.full_type(sys.argv[3]), f"{socket.gethostname()}.local."

    async def register_all():
        infos = [
            zeroconf.ServiceInfo(kind, f"Service {number}.{kind}", port=4242, properties={"number": str(number)}, server=host,
                                 addresses=peer.own_addresses())
            for number in range(1, int(sys.argv[2]) + 1)
        ]
        announcements = [await network.async_register_service(info) for info in infos]
        await asyncio.gather(*announcements)

    asyncio.run_coroutine_threadsafe(register_all(), network.loop).result()
    peer.tell("published")
else:
    listener = Listener()
    browser = zeroconf.ServiceBrowser(network, peer.full_type(sys.argv[2]), listener)
    while signal.sigtimedwait(peer.END, 0.5) is None:
        listener.tell_changes(network)
    network.close()
    sys.exit()
peer.wait_for_the_end()
network.close()
