"""phone.py ADDRESS NAME [--bot] [--watch]: a page of a browser in a room, as the address of a QR code leads it there.

Prints each message of the host as {"event": KIND, …}, and {"event": "gone"} when the connection ends. Each line of standard input is a
command: `answer EXPRESSION`, `drop` to break the connection, `back` to come again with what the last welcome brought, `leave`. With
--bot it answers by itself.
"""

import asyncio
import fractions
import itertools
import json
import sys

import peer
import websockets

address, name = sys.argv[1:3]
base, _, token = address.partition("#")
host = base.split("/")[2]
is_bot, watches = "--bot" in sys.argv, "--watch" in sys.argv
kept = {"admission": token} if token else {}


def solution(hand):
    def solve(items):
        if len(items) == 1:
            return items[0][1] if items[0][0] == 24 else None
        for one, other in itertools.permutations(range(len(items)), 2):
            (a, left), (b, right) = items[one], items[other]
            rest = [items[i] for i in range(len(items)) if i not in (one, other)]
            results = [(a + b, f"({left}+{right})"), (a - b, f"({left}-{right})"), (a * b, f"({left}*{right})")]
            if b:
                results.append((a / b, f"({left}/{right})"))
            for result in results:
                found = solve([result] + rest)
                if found:
                    return found
        return None

    return solve([(fractions.Fraction(digit), str(digit)) for digit in hand])


class Phone:
    def __init__(self):
        self.socket, self.round, self.reading = None, None, None

    async def come(self):
        self.socket = await websockets.connect(f"ws://{host}/socket", origin=f"http://{host}", open_timeout=5)
        hello = {"kind": "hello", "version": 3, "name": name, **kept}
        if watches:
            hello["watch"] = True
        await self.socket.send(json.dumps(hello))
        self.reading = asyncio.create_task(self.read(self.socket))

    async def read(self, connection):
        try:
            async for text in connection:
                message = json.loads(text)
                await self.take(message)
                kind = message.pop("kind")
                peer.tell(kind, **message)
        except websockets.ConnectionClosed:
            pass
        peer.tell("gone")

    async def take(self, message):
        if message["kind"] == "welcome":
            if message.get("secret"):
                player = message["player"]["id"]
                kept["seat"] = {"room": message["room"], "player": player, "secret": message["secret"]}
            if message.get("admission"):
                kept["admission"] = message["admission"]
        elif message["kind"] == "round":
            self.round = message["number"]
            if is_bot:
                await asyncio.sleep(0.2)
                await self.answer(solution(message["hand"]))

    async def answer(self, expression):
        action = {"answer": {"expression": expression}} if expression else {"giveUp": {}}
        await self.socket.send(json.dumps({"kind": "act", "number": self.round, "action": action}))

    async def obey(self, line):
        command, _, rest = line.strip().partition(" ")
        if command == "answer":
            await self.answer(rest)
        elif command == "drop":
            self.socket.transport.abort()
        elif command == "back":
            await self.come()
        elif command == "leave":
            await self.socket.send(json.dumps({"kind": "leaving"}))


async def main():
    phone = Phone()
    await phone.come()
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        await phone.obey(line.decode())


asyncio.run(main())
