"""A server of python3-websockets that speaks the protocol of `transport-bench serve`, as far as measures with one client need it."""

import asyncio
import os
import struct
import time

import websockets


async def serve(socket):
    counted = 0
    async for message in socket:
        match message[:1]:
            case b"D":
                counted += 1
            case b"E":
                await socket.send(b"e" + struct.pack(">Q", counted))
                counted = 0
            case b"P":
                await socket.send(message)
            case b"H":
                await socket.send(b"h")
            case b"S":
                await socket.send(b"s" + struct.pack(">QI", time.process_time_ns(), os.getpid()))


async def main():
    async with websockets.serve(serve, "127.0.0.1", 0, compression=None) as server:
        print("ready", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


asyncio.run(main())
