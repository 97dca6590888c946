"""Starts a program as a service manager would: with sockets that listen, and the environment that tells of them.

launch.py KIND[,KIND...] FDS NAMES ENVIRONMENT PROGRAM [ARGUMENT...]
  KIND         tcp (127.0.0.1), dual (:: and IPv4), unix:PATH, udp, connection
  FDS, NAMES   what LISTEN_FDS and LISTEN_FDNAMES say; - for not at all
  ENVIRONMENT  mine: LISTEN_PID is the program's; else what it says

Writes the ports of the sockets on one line, and becomes the program.
"""
import os
import socket
import sys

kinds, count, names, process, program, *arguments = sys.argv[1:]
sockets, ports = [], []
for kind in kinds.split(","):
    if kind == "tcp":
        opened = socket.create_server(("127.0.0.1", 0))
    elif kind == "dual":
        opened = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    elif kind.startswith("unix:"):
        opened = socket.socket(socket.AF_UNIX)
        opened.bind(kind[len("unix:"):])
        opened.listen()
    elif kind == "udp":
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        opened.bind(("127.0.0.1", 0))
    else:
        opened, other = socket.socketpair()
        sockets.append(other)
        sockets.remove(other)
    sockets.append(opened)
    name = opened.getsockname()
    ports.append(str(name[1]) if isinstance(name, tuple) else "0")
print("ports", *ports, flush=True)

# The numbers that are handed over must not be those of sockets that are still to be handed over.
high = [os.dup2(opened.fileno(), 100 + index) for index, opened in enumerate(sockets)]
for index, descriptor in enumerate(high):
    os.dup2(descriptor, 3 + index, inheritable=True)
for descriptor in high:
    os.close(descriptor)
environment = dict(os.environ, LISTEN_PID=str(os.getpid()) if process == "mine" else process)
for variable, value in (("LISTEN_FDS", count), ("LISTEN_FDNAMES", names)):
    if value != "-":
        environment[variable] = value
os.execve(program, [program, *arguments], environment)
