"""A server and a client of python3-websockets, for the tests of ours.

    echo.py serve            listens on a free port of the loopback interface, writes it, and sends back what comes
    echo.py ask PORT PATH    sends messages of many sizes, pings, and fragments to a server that sends back what comes
    echo.py refused PORT PATH ORIGIN    writes the status with which a server refuses the origin
"""

import asyncio
import sys

import websockets

SIZES = [0, 1, 125, 126, 127, 65_535, 65_536]


async def serve():
    async def echo(socket):
        async for message in socket:
            if message == "close 4001":
                await socket.close(4001, "as asked")
            elif message == "after a second":
                await asyncio.sleep(1)
                await socket.send("still there")
            elif message == "fragments":
                await socket.send(["frag", "", "ments é"])
            else:
                await socket.send(message)

    async with websockets.serve(echo, "127.0.0.1", 0, compression=None, subprotocols=["echo"], max_size=65_536) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()


async def ask(port, path):
    # Compression is offered, and must not be agreed on.
    async with websockets.connect(f"ws://127.0.0.1:{port}{path}", subprotocols=["none", "echo"]) as socket:
        assert socket.subprotocol == "echo" and not socket.extensions, socket.extensions
        for size in SIZES:
            await socket.send("ü" * (size // 2) + "u" * (size % 2))
            assert len((await socket.recv()).encode()) == size
        await socket.send(["one, ", "", "two, ", "éé"])
        assert await socket.recv() == "one, two, éé"
        for payload in b"", b"a ping", bytes(125):
            await asyncio.wait_for(await socket.ping(payload), 20)
        await asyncio.gather(*(socket.send(str(number)) for number in range(500)))
        assert [await socket.recv() for _ in range(500)] == [str(number) for number in range(500)]
    assert socket.close_code == 1000, socket.close_code
    async with websockets.connect(f"ws://127.0.0.1:{port}{path}", subprotocols=["echo"]) as socket:
        await socket.send(b"not text")
        try:
            await socket.recv()
        except websockets.ConnectionClosedError as error:
            assert error.rcvd.code == 1003, error
    async with websockets.connect(f"ws://127.0.0.1:{port}{path}", subprotocols=["echo"]) as socket:
        await socket.send("a" * 65_537)
        try:
            await socket.recv()
        except websockets.ConnectionClosedError as error:
            assert error.rcvd.code == 1009, error
    print("done")


async def refused(port, path, origin):
    try:
        async with websockets.connect(f"ws://127.0.0.1:{port}{path}", origin=origin):
            print("not refused")
    except websockets.InvalidStatusCode as error:
        print(error.status_code)


def main():
    command, *arguments = sys.argv[1:]
    asyncio.run({"serve": serve, "ask": ask, "refused": refused}[command](*arguments))


main()
