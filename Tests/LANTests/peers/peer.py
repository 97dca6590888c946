"""What the peers have in common: the network they speak on, and JSON lines as our own programs write them."""

import base64
import json
import signal
import socket

import ifaddr
import zeroconf

# Before there are threads, so that the signals come to wait_for_the_end alone.
END = {signal.SIGTERM, signal.SIGINT}
signal.pthread_sigmask(signal.SIG_BLOCK, END)


def wait_for_the_end():
    """Returns when the peer is asked to go."""
    signal.sigwait(END)


def tell(event, **facts):
    """Prints an event as one line of JSON, at once."""
    print(json.dumps({"event": event, **facts}, ensure_ascii=False), flush=True)


def own_addresses(interface="eth0"):
    """This host's addresses as bytes, without the link-local one: the daemon beside us publishes none either."""
    return [
        socket.inet_pton(socket.AF_INET if ip.is_IPv4 else socket.AF_INET6, ip.ip if ip.is_IPv4 else ip.ip[0])
        for adapter in ifaddr.get_adapters()
        if adapter.name == interface
        for ip in adapter.ips
        if ip.is_IPv4 or not ip.ip[0].startswith("fe80:")
    ]


def start(interface="eth0"):
    """Speaks IPv4 and IPv6 on one interface."""
    ipv4 = [address for address in own_addresses(interface) if len(address) == 4]
    places = [socket.inet_ntop(socket.AF_INET, address) for address in ipv4] + [socket.if_nametoindex(interface)]
    return zeroconf.Zeroconf(interfaces=places)


def full_type(service_type):
    return service_type + ".local."


def txt(properties):
    """A TXT record: null for a key without a value, text, or bytes that are no text in base64."""
    return {key.decode("utf-8", "replace"): shown(value) for key, value in properties.items()}


def shown(value):
    if value is None:
        return None
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode("ascii")}
