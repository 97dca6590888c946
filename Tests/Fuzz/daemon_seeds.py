"""daemon_seeds.py FOLDER: writes what fuzzing of the bus begins with, into FOLDER/bus.

Each input is a few calls to org.freedesktop.Avahi, as they arrive from the bus.
"""

import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[1]) / "bus"
folder.mkdir(parents=True, exist_ok=True)
ANY = [("i", -1), ("i", -1)]
NONE = ("u", 0)


def pad(data, size):
    return data + b"\0" * (-len(data) % size)


def put(data, kind, value):
    if kind in "so":
        text = value.encode()
        return pad(data, 4) + struct.pack("<I", len(text)) + text + b"\0"
    if kind == "g":
        return data + bytes([len(value)]) + value.encode() + b"\0"
    if kind == "y":
        return data + bytes([value])
    if kind in "iu":
        return pad(data, 4) + struct.pack("<" + {"i": "i", "u": "I"}[kind], value)
    if kind == "q":
        return pad(data, 2) + struct.pack("<H", value)
    if kind == "ay":
        return pad(data, 4) + struct.pack("<I", len(value)) + value
    assert kind == "aay"
    data = pad(data, 4)
    start, body = len(data) + 4, data + b"\0\0\0\0"
    for one in value:
        body = put(body, "ay", one)
    return body[: start - 4] + struct.pack("<I", len(body) - start) + body[start:]


def call(member, interface="Server", path="/", arguments=()):
    body = b""
    for kind, value in arguments:
        body = put(body, kind, value)
    fields = [(1, "o", path), (2, "s", "org.freedesktop.Avahi." + interface), (3, "s", member), (6, "s", "org.freedesktop.Avahi")]
    if arguments:
        fields.append((8, "g", "".join(kind for kind, _ in arguments)))
    header = b""
    for code, kind, value in fields:
        header = put(put(pad(header, 8) + bytes([code]), "g", kind), kind, value)
    return pad(b"l\x01\0\x01" + struct.pack("<III", len(body), 9, len(header)) + header, 8) + body


def service(name="Ada", kind="_http._tcp", host="", flags=0):
    text = [("s", name), ("s", kind), ("s", ""), ("s", host), ("q", 80), ("aay", [b"a=1", b"", b"b"])]
    return ANY + [("u", flags)] + text


GROUP = "/Client0/EntryGroup1"
new = call("EntryGroupNew")
other = call("GetState")
inputs = {name: [call(name)] for name in [
    "GetVersionString", "GetAPIVersion", "GetHostName", "GetHostNameFqdn", "GetDomainName", "IsNSSSupportAvailable", "GetState",
    "GetLocalServiceCookie", "EntryGroupNew", "Nothing"]}
for name in ["GetAlternativeHostName", "GetAlternativeServiceName", "SetHostName", "GetNetworkInterfaceIndexByName"]:
    for number, text in enumerate(["h1", "h1-2", "", "a #9", "\\.", "x" * 63]):
        inputs[f"{name}{number}"] = [call(name, arguments=[("s", text)])]
inputs["GetNetworkInterfaceNameByIndex"] = [call("GetNetworkInterfaceNameByIndex", arguments=[("i", 2)])]
for name, kind, arguments in [
    ("DomainBrowser", "Browser", [("s", ""), ("i", 0), NONE]), ("ServiceTypeBrowser", "Browser", [("s", "local"), NONE]),
    ("ServiceBrowser", "Browser", [("s", "_http._tcp"), ("s", ""), NONE]),
    ("RecordBrowser", "Browser", [("s", "x.local"), ("q", 1), ("q", 255), NONE]),
    ("ServiceResolver", "Resolver", [("s", "Ada"), ("s", "_http._tcp"), ("s", ""), ("i", -1), NONE]),
    ("HostNameResolver", "Resolver", [("s", "h2.local"), ("i", 0), NONE]), ("AddressResolver", "Resolver", [("s", "10.0.0.2"), NONE]),
]:
    path = f"/Client0/{name}1"
    inputs[name] = [call(name + "New", arguments=ANY + arguments), other, other, call("Free", name, path)]
    inputs[name + "Prepared"] = [
        call(name + "Prepare", "Server2", arguments=ANY + arguments), other, other, call("Start", name, path), other, other,
        call("Free", name, path)]
    inputs[name + "WideArea"] = [call(name + "New", arguments=ANY + arguments[:-1] + [("u", 1)])]
    inputs[name + "OfAnother"] = [call(name + "New", arguments=ANY + arguments), call("Free", name, path)]
for name, arguments in [
    ("ResolveHostName", [("s", "h2.local"), ("i", -1), NONE]), ("ResolveAddress", [("s", "fe80::1"), NONE]),
    ("ResolveService", [("s", "Ada"), ("s", "_http._tcp"), ("s", ""), ("i", -1), ("u", 12)]),
]:
    inputs[name] = [call(name, arguments=ANY + arguments)] * 3
for name, arguments in [
    ("AddService", service()), ("AddService-flags", service(flags=384)), ("AddService-host", service(host="h9.local")),
    ("AddServiceSubtype", ANY + [NONE, ("s", "Ada"), ("s", "_http._tcp"), ("s", ""), ("s", "_a._sub._http._tcp")]),
    ("UpdateServiceTxt", ANY + [NONE, ("s", "Ada"), ("s", "_http._tcp"), ("s", ""), ("aay", [b"x" * 255])]),
    ("AddAddress", ANY + [NONE, ("s", "h9.local"), ("s", "10.0.0.9")]),
    ("AddRecord", ANY + [("u", 1), ("s", "x.local"), ("q", 1), ("q", 33), ("u", 120), ("ay", b"\0\0\0\0\0\x50\1a\0")]),
]:
    member = name.split("-")[0]
    inputs[name] = [
        new, other, other, call(member, "EntryGroup", GROUP, arguments), other, other, call("Commit", "EntryGroup", GROUP), other,
        other, call("Reset", "EntryGroup", GROUP), other, other, call("Free", "EntryGroup", GROUP)]
for name, calls in inputs.items():
    (folder / name.lower()).write_bytes(b"".join(calls))
