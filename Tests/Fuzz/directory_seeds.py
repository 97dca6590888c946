"""directory_seeds.py FOLDER: writes what fuzzing of a directory begins with, into FOLDER/directory.

The first byte of each input says what the rest is: 0 a record, 1 JSON, 2 an answer, 3 what happens to a watch,
4 what happens to a relayed connection.
"""

import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1]) / "directory"
folder.mkdir(parents=True, exist_ok=True)


def write(name, kind, data):
    (folder / name).write_bytes(bytes([kind]) + (data.encode() if isinstance(data, str) else bytes(data)))


record = {
    "v": 1, "name": "Ada's game", "type": "_game._tcp", "port": 4242, "host": "ada", "owner": "00000000000000ff",
    "addresses": ["192.0.2.1", "2001:db8::1"], "txt": ["players=3", "flag", [255, 0]], "subtypes": ["_public"],
}
write("record", 0, json.dumps(record))
changes = {
    "escapes": {"name": "Ada\u2019s \u00e9\U0001F600 \"\\/"}, "loopback": {"addresses": ["127.0.0.1", "::1", "fe80::1%1", "::"]},
    "largest": {"txt": [[255] * 255] * 5}, "no-addresses": {"addresses": []}, "port": {"port": 65536}, "version": {"v": 2},
    "control": {"name": "\u0007"}, "nfd": {"name": "e\u0301"}, "later": {"later": [None, True, 1.5e3, {}]}, "udp": {"type": "_a._udp"},
}
for name, change in changes.items():
    write(f"record-{name}", 0, json.dumps(record | change))
for name, text in {
    "empty": "", "deep": "[" * 20, "twice": '{"a":1,"a":1}', "numbers": "[0,-1,1.5,1e9,9223372036854775808,01]",
    "strings": r'["\ud83d\ude00","\ud800","\u0000","\x"]', "values": '{"a":[true,false,null]}', "rest": "{}x",
}.items():
    write(f"json-{name}", 1, text)
for name, text in {
    "stored": '{"stream":"KV_b", "seq":1}', "time": "2026-11-23T00:26:50.02606271Z",
    "refused": '{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 1"},"stream":"KV_b","seq":0}',
    "delivery": "$JS.ACK.KV_b.kzR2UqoX.1.3.2.1795394277724924768.0", "delivery-2": "$JS.ACK.a.b.KV_b.c.1.3.2.1795394277.0.x",
}.items():
    write(f"answer-{name}", 2, text)
for name, steps in {
    "listed": [0x00, 0x81, 0x82, 0x83, 0x84], "early": [0x80, 0x02, 0x81], "full": [0x00, *range(0x80, 0x90)],
    "gap": [0x00, 0x80, 0xF2, 0x22, 0x00, 0x80], "deleted": [0x00, 0x80, 0x81, 0xC0, 0xC1], "expired": [0x00, 0x80, 0x3F, 0x3F, 0x3F],
    "control": [0x00, 0x42, 0x43, 0x48, 0x00, 0x60, 0x00],
}.items():
    write(f"watch-{name}", 3, steps)
header = bytes([1, 3, 1, 0]) + bytes(15) + b"\1" + bytes(23) + b"\5"
for name, data in {"data": header + b"text", "dial": b"\1\1" + header[2:] + bytes(16), "reset": b"\1\5\0\2" + header[4:]}.items():
    write(f"relay-message-{name}", 4, data)
accept, data, finish = [0x10, 0, 0, 0, 0x50], 0x18, 0x20
for name, steps in {
    "dialled": [0, *accept, 0x02, 0x12, data, 0, 0, 1, 0x50, 10, 0x0B, 0x05, finish, 0, 10, 2, 0x50, 0x07],
    "accepted": [1, data, 0, 0, 0, 0x50, 0x48, data, 2, 0x48, 0, 0x50, 9, 0xFB, 0x24, finish, 0, 0x48, 0, 0x50, 0x07, 0xFC, 0xFC],
    "silent": [1, 0x12, *[0xFC] * 12], "refused": [0, 0x0E, 0x0E, 0x0E, 0xFC, 0xFC, 0xFC, 0xFC], "stopped": [0, 0x10, 0, 0, 0, 9, 0x4A, 0x34, 0x0F],
    "beyond": [1, data, 0, 0xFF, 0, 0, 9, data, 0, 0, 9, 0, 9, data, 0, 0xBF, 0, 0, 0x7F], "broken": [1, 0x28, 0, 0, 0, 0, data, 0, 0, 0, 0, 1],
}.items():
    write(f"relay-{name}", 4, steps)
