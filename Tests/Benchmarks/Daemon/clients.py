"""clients.py publish COUNT TYPE | resolve TYPE: programs on a host of the LAN that talk to the daemon on the bus, as others' programs do.

`publish` publishes services in groups of 32, the most that avahi-daemon takes in one, prints `published COUNT` when all groups are
established and ends with its input. `resolve` resolves each service that it finds, on each interface and protocol, keeps the resolvers,
and prints `resolved COUNT` for each new name.
"""

import sys

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

PER_GROUP = 32
NAME = "org.freedesktop.Avahi"
ANY = (-1, -1)

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
loop = GLib.MainLoop()


def at(path, interface):
    return dbus.Interface(bus.get_object(NAME, path, introspect=False), f"{NAME}.{interface}")


server = at("/", "Server")


def publish(count, kind):
    left, groups = set(range(0, count, PER_GROUP)), []

    def changed(first, state):
        if int(state) == 2:
            left.discard(first)
        elif int(state) > 2:
            sys.exit(f"a group is in the state {state}")
        if not left:
            print("published", count, flush=True)

    for first in sorted(left):
        group = at(server.EntryGroupNew(), "EntryGroup")
        group.connect_to_signal("StateChanged", lambda state, _, first=first: changed(first, state))
        for number in range(first, min(first + PER_GROUP, count)):
            text = dbus.Array([dbus.ByteArray(b"a=1")], signature="ay")
            group.AddService(*ANY, dbus.UInt32(0), f"service {number}", kind, "", "", dbus.UInt16(80), text)
        group.Commit()
        groups.append(group)
    GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_HUP, lambda *_: loop.quit())


def resolve(kind):
    names, resolvers = set(), []

    def found(_, __, name, *___):
        if name not in names:
            names.add(name)
            print("resolved", len(names), flush=True)

    def new(interface, protocol, name, kind, domain, _):
        path = server.ServiceResolverNew(interface, protocol, name, kind, domain, -1, dbus.UInt32(0))
        resolvers.append(path)
        bus.add_signal_receiver(found, "Found", f"{NAME}.ServiceResolver", path=path)

    path = server.ServiceBrowserNew(*ANY, kind, "local", dbus.UInt32(0))
    bus.add_signal_receiver(new, "ItemNew", f"{NAME}.ServiceBrowser", path=path)


if sys.argv[1] == "publish":
    publish(int(sys.argv[2]), sys.argv[3])
else:
    resolve(sys.argv[2])
loop.run()
