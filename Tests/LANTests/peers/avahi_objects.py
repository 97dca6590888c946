"""avahi_objects.py publish NAME | look TYPE | aliases SHAPE...: uses the daemon as programs with python3-avahi do.

Nothing here says the types of arguments: the binding learns them from the daemon's introspection.

publish: publishes a service with a subtype, an address, an alias, a text and a domain to browse, as one group. Standard input: `text KEY=VALUE ...` replaces its TXT
record, `reset` empties the group, `free` ends it. Prints {"event":"group","state":…,"error":…} for each change, {"event":"state","state":…}
when it is asked for, and {"event":"refused","call":…,"error":…} for calls that are wrong.

look: prints what all objects find: {"event":"ItemNew"|"ItemRemove"|"AllForNow"|"CacheExhausted","of":KIND,…}, {"event":"Found","of":KIND,…}.

aliases: publishes the CNAME and A records NAME>TARGET, each in a group of its own.
"""

import json
import sys

import avahi
import dbus
import dbus.mainloop.glib
from gi.repository import GLib

ANY = (avahi.IF_UNSPEC, avahi.PROTO_UNSPEC)


def tell(event, **facts):
    print(json.dumps({"event": event, **facts}, ensure_ascii=False), flush=True)


def plain(value):
    """A value of the bus as JSON has it; the strings of a TXT record as text."""
    if isinstance(value, dbus.Array):
        inner = [bytes(part).decode() if isinstance(part, dbus.Array) else int(part) for part in value]
        return bytes(inner).hex() if value.signature == "y" else inner
    if isinstance(value, (dbus.String, dbus.ObjectPath)):
        return str(value)
    return int(value)


def at(path, interface):
    return dbus.Interface(bus.get_object(avahi.DBUS_NAME, path), f"{avahi.DBUS_NAME}.{interface}")


def look_for(kind, of, *arguments):
    """Makes an object by Server2, which does nothing until its signals are connected and it is started."""
    path = getattr(server2, f"{kind}Prepare")(*ANY, *arguments)
    looked = at(path, kind)
    for signal in ("ItemNew", "ItemRemove", "AllForNow", "CacheExhausted", "Found", "Failure"):
        looked.connect_to_signal(signal, lambda *values, signal=signal: tell(signal, of=of, values=[plain(one) for one in values]))
    looked.Start()


def refused(call, *arguments):
    try:
        call(*arguments)
        tell("allowed", call=call._method_name)
    except dbus.DBusException as error:
        tell("refused", call=call._method_name, error=error.get_dbus_name())


def name_data(name):
    return [byte for label in name.split(".") for byte in (len(label), *label.encode())] + [0]


def publish(name):
    group = at(server.EntryGroupNew(), "EntryGroup")
    group.connect_to_signal("StateChanged", lambda state, error: tell("group", state=int(state), error=str(error)))
    service = (*ANY, 0, name, "_http._tcp")
    group.AddService(*service, "", "", 80, avahi.string_array_to_txt_array(["a=1", "flag", "b=Grüße"]))
    group.AddServiceSubtype(*service, "local", "_pages._sub._http._tcp")
    group.AddAddress(*ANY, avahi.PUBLISH_NO_REVERSE, "other.local", "10.77.0.99")
    group.AddRecord(*ANY, 0, "alias.local", 1, 5, 60, name_data("other.local"))
    group.AddRecord(*ANY, 0, "notes.local", 1, 16, 60, [3, *b"n=1"])
    group.AddRecord(*ANY, 0, "b._dns-sd._udp.local", 1, 12, 60, name_data("example.local"))
    refused(group.AddService, *ANY, 0, "", "_http._tcp", "", "", 80, avahi.string_array_to_txt_array(["a"]))
    refused(group.AddService, *ANY, 0, "x", "http", "", "", 80, avahi.string_array_to_txt_array(["a"]))
    refused(group.AddAddress, *ANY, 0, "other.local", "10.77")
    refused(group.AddRecord, *ANY, 0, "x.local", 1, 1, 60, [1, 2, 3])
    group.Commit()

    def obey(*_):
        command, *words = sys.stdin.readline().split() or ["end"]
        if command == "text":
            group.UpdateServiceTxt(*service, "local", avahi.string_array_to_txt_array(words))
        elif command == "reset":
            group.Reset()
            tell("empty", empty=bool(group.IsEmpty()), state=int(group.GetState()))
        elif command == "free":
            group.Free()
            refused(group.GetState)
        else:
            loop.quit()
        return command != "end"

    GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, obey)


def look(kind):
    def found(interface, protocol, name, kind, domain, flags):
        resolver = at(server.ServiceResolverNew(interface, protocol, name, kind, domain, avahi.PROTO_UNSPEC, 0), "ServiceResolver")
        resolver.connect_to_signal("Found", lambda *values: tell("Found", of="object", values=[plain(one) for one in values]))
        values = server.ResolveService(interface, protocol, name, kind, domain, avahi.PROTO_UNSPEC, 0)
        tell("Found", of="call", values=[plain(one) for one in values])

    browser = at(server.ServiceBrowserNew(*ANY, kind, "local", 0), "ServiceBrowser")
    browser.connect_to_signal("ItemNew", found)
    look_for("ServiceBrowser", "services", kind, "local", 0)
    look_for("ServiceBrowser", "subtype", f"_pages._sub.{kind}", "local", 0)
    look_for("ServiceTypeBrowser", "types", "local", 0)
    look_for("DomainBrowser", "domains", "local", avahi.DOMAIN_BROWSER_BROWSE, 0)
    look_for("RecordBrowser", "records", "notes.local", 1, 16, 0)
    look_for("HostNameResolver", "host", "other.local", avahi.PROTO_UNSPEC, 0)
    look_for("AddressResolver", "address", "10.77.0.1", 0)
    # Not followed: avahi-daemon 0.8 ends with a failed assertion when an alias goes that somebody follows.
    tell("Found", of="alias", values=[plain(one) for one in server.ResolveHostName(*ANY, "alias.local", avahi.PROTO_INET, 0)])
    tell("names", next=str(server.GetAlternativeServiceName("Ada #2")), host=str(server.GetAlternativeHostName("ada")))
    index = int(server.GetNetworkInterfaceIndexByName("eth0"))
    tell("interface", name=str(server.GetNetworkInterfaceNameByIndex(index)))
    tell("cookie", isThere=int(server2.GetLocalServiceCookie()) != avahi.SERVICE_COOKIE_INVALID)
    refused(server.ResolveHostName, *ANY, "nobody.local", avahi.PROTO_UNSPEC, 0)


def publish_aliases(shapes):
    for shape in shapes:
        name, target = shape.split(">")
        group = at(server.EntryGroupNew(), "EntryGroup")
        if target[0].isdigit():
            group.AddRecord(*ANY, 0, name, 1, 1, 60, [int(part) for part in target.split(".")])
        else:
            group.AddRecord(*ANY, 0, name, 1, 5, 60, name_data(target))
        group.connect_to_signal("StateChanged", lambda state, error, shape=shape: tell("group", shape=shape, state=int(state)))
        group.Commit()


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus, loop = dbus.SystemBus(), GLib.MainLoop()
server, server2 = at(avahi.DBUS_PATH_SERVER, "Server"), at(avahi.DBUS_PATH_SERVER, "Server2")
if sys.argv[1] == "publish":
    publish(sys.argv[2])
elif sys.argv[1] == "look":
    look(sys.argv[2])
else:
    publish_aliases(sys.argv[2:])
loop.run()
