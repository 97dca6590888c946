"""ghost.py NAME TYPE: says once that there is a service, and answers for it to nobody; what a host leaves behind that went in haste."""

import sys

import zeroconf

import peer

name, service_type = sys.argv[1], peer.full_type(sys.argv[2])
network = peer.start()
out = zeroconf.DNSOutgoing(zeroconf.const._FLAGS_QR_RESPONSE | zeroconf.const._FLAGS_AA)
out.add_answer_at_time(
    zeroconf.DNSPointer(service_type, zeroconf.const._TYPE_PTR, zeroconf.const._CLASS_IN, 4500, f"{name}.{service_type}"), 0
)
network.send(out)
network.close()
