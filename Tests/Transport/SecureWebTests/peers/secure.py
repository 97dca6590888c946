"""Clients of Python's ssl, http.client and python3-websockets, for the tests of our sites over TLS.

    secure.py get PORT AUTHORITY PATH     writes the status and the content of a page
    secure.py ask PORT AUTHORITY PATH     sends messages to a server that sends back what comes
    secure.py plain PORT PATH             asks without TLS, and writes what happens
"""

import asyncio
import http.client
import ssl
import sys

import websockets


def get(port, authority, path):
    context = ssl.create_default_context(cafile=authority)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    for host in "localhost", "127.0.0.1":
        connection = http.client.HTTPSConnection(host, int(port), context=context, timeout=30)
        connection.request("GET", path)
        version = connection.sock.version()
        answer = connection.getresponse()
        print(answer.status, answer.read().decode(), version, flush=True)


async def ask(port, authority, path):
    context = ssl.create_default_context(cafile=authority)
    async with websockets.connect(f"wss://localhost:{port}{path}", ssl=context, origin=f"https://localhost:{port}") as socket:
        for size in 0, 1, 125, 126, 65_535, 65_536:
            await socket.send("u" * size)
            assert await socket.recv() == "u" * size
        await asyncio.gather(*(socket.send(str(number)) for number in range(500)))
        assert [await socket.recv() for _ in range(500)] == [str(number) for number in range(500)]
        await asyncio.wait_for(await socket.ping(b"a ping"), 20)
    assert socket.close_code == 1000, socket.close_code
    print("done")


def plain(port, path):
    connection = http.client.HTTPConnection("localhost", int(port), timeout=30)
    try:
        connection.request("GET", path)
        print(connection.getresponse().status)
    except (OSError, http.client.HTTPException):
        print("refused")


def main():
    command, *arguments = sys.argv[1:]
    if command == "ask":
        asyncio.run(ask(*arguments))
    else:
        {"get": get, "plain": plain}[command](*arguments)


main()
