"""dns_sd.py register NAME TYPE PORT [KEY=VALUE ...] | browse TYPE | resolve NAME TYPE DOMAIN | query NAME TYPE-NUMBER | domains

Uses libdns_sd.so.1, the library of Apple's interface that Debian builds on Avahi (libavahi-compat-libdnssd1), as programs of others do.

Prints {"event":"registered","name":…,"type":…,"domain":…}, {"event":"found"|"lost","name":…,"type":…,"domain":…,"interface":…},
{"event":"resolved","name":…,"host":…,"port":…,"txt":[…]}, {"event":"answer","name":…,"type":…,"data":…} with the data in hexadecimal,
{"event":"domain","name":…}, or {"event":"failed","code":…}. A line on standard input of a register replaces the TXT record; its end is the end.
"""

import ctypes
import json
import select
import socket
import sys
from ctypes import c_char_p, c_int32, c_uint16, c_uint32, c_void_p

library = ctypes.CDLL("libdns_sd.so.1")
library.DNSServiceRefDeallocate.restype = None
BYTES = ctypes.POINTER(ctypes.c_ubyte)
REPLIES = {
    "register": (c_uint32, c_int32, c_char_p, c_char_p, c_char_p),
    "browse": (c_uint32, c_uint32, c_int32, c_char_p, c_char_p, c_char_p),
    "resolve": (c_uint32, c_uint32, c_int32, c_char_p, c_char_p, c_uint16, c_uint16, BYTES),
    "query": (c_uint32, c_uint32, c_int32, c_char_p, c_uint16, c_uint16, c_uint16, BYTES, c_uint32),
    "domains": (c_uint32, c_uint32, c_int32, c_char_p),
}
ADD, BROWSE_DOMAINS = 2, 0x40


def tell(event, **facts):
    print(json.dumps({"event": event, **facts}, ensure_ascii=False), flush=True)


def text_record(items):
    return b"".join(bytes([len(item.encode())]) + item.encode() for item in items)


def strings(data):
    place, found = 0, []
    while place < len(data):
        found.append(data[place + 1 : place + 1 + data[place]].decode())
        place += 1 + data[place]
    return found


def happened(_, flags, *values):
    """Tells of a reply. Its error comes after the interface, if there is one."""
    *values, _ = values
    interface = 0 if verb == "register" else values.pop(0)
    code, *values = (value.decode() if isinstance(value, bytes) else value for value in values)
    if code:
        tell("failed", code=code)
    elif verb == "register":
        tell("registered", name=values[0], type=values[1], domain=values[2])
    elif verb == "browse":
        tell("found" if flags & ADD else "lost", name=values[0], type=values[1], domain=values[2], interface=socket.if_indextoname(interface))
    elif verb == "resolve":
        tell("resolved", name=values[0], host=values[1], port=socket.ntohs(values[2]), txt=strings(bytes(values[4][: values[3]])))
    elif verb == "query":
        tell("answer", name=values[0], type=values[1], data=bytes(values[4][: values[3]]).hex())
    else:
        tell("domain", name=values[0])


verb, arguments = sys.argv[1], [word.encode() for word in sys.argv[2:]]
reply = ctypes.CFUNCTYPE(None, c_void_p, *REPLIES[verb], c_void_p)(happened)
reference = c_void_p()
first = (ctypes.byref(reference), c_uint32(BROWSE_DOMAINS if verb == "domains" else 0), c_uint32(0))
if verb == "register":
    name, kind, port, *_ = arguments
    record = text_record(sys.argv[5:])
    code = library.DNSServiceRegister(
        *first, name, kind, None, None, c_uint16(socket.htons(int(port))), c_uint16(len(record)), record, reply, None
    )
elif verb == "browse":
    code = library.DNSServiceBrowse(*first, arguments[0], None, reply, None)
elif verb == "resolve":
    code = library.DNSServiceResolve(*first, *arguments, reply, None)
elif verb == "query":
    code = library.DNSServiceQueryRecord(*first, arguments[0], c_uint16(int(arguments[1])), c_uint16(1), reply, None)
else:
    code = library.DNSServiceEnumerateDomains(*first, reply, None)
if code:
    tell("failed", code=code)
    sys.exit(1)
socket_of_library = library.DNSServiceRefSockFD(reference)
while True:
    for ready in select.select([socket_of_library, sys.stdin], [], [])[0]:
        if ready is sys.stdin:
            line = sys.stdin.readline()
            if not line:
                library.DNSServiceRefDeallocate(reference)
                sys.exit()
            record = text_record(line.split())
            library.DNSServiceUpdateRecord(reference, None, c_uint32(0), c_uint16(len(record)), record, c_uint32(0))
        elif library.DNSServiceProcessResult(reference):
            sys.exit("the library's connection to the daemon has ended")
