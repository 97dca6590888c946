import _BonjourishConsole

extension Commands {
  /// What the manual page has beside the commands and their options.
  static let manual = Manual(
    description: """
      `transport-bench` measures the framed transport of bonjourish. It is a server that any load generator can
      measure, and a client that measures any server of the same PROTOCOL.
      """,
    commands: [
      "serve": """
      Serves all clients until it is interrupted. When it listens, it writes one line to standard output, "ready" and
      its port, and then nothing more. It has no limits for the number, the addresses or the speed of clients.
      """,
      "client": """
      Measures what is named, or all of:

      `one-way`
      : The messages per second to the server, and the processor time that both sides need for a million of them.

      `ping-pong`
      : The time of a message to the server and back.

      `fan-out`
      : The time until many clients, all in this process, have received a broadcast. If the server runs on this machine,
      also its memory for an idle connection and for the broadcast.

      `accept`
      : The connections per second, 32 at a time: each is accepted, sends a hello, receives the answer and closes.
      """,
    ],
    options: [
      "clients": """
      The default is 1000. Each needs a descriptor in the client and one in the server (see `ulimit -n`).
      """,
      "interface": "The default is all, over IPv4 and IPv6.",
      "json": """
      They are written instead of a sentence. Numbers are seconds, bytes and counts per second, unless their names
      contain a unit.
      """,
      "loops": "From 1 to 256. Each connection stays on one thread.",
      "mode": "With `frames` the server reads one frame at a time.",
      "size": "From 9 to 65536; the default is 64, and 256 for `fan-out`.",
    ],
    sections: [
      .init(
        "PROTOCOL",
        """
        A frame is a UInt32, the length of its body, and the body. Numbers are big-endian. The first byte of a body is
        its type:

        `D`
        : Data: a UInt64 sequence number and padding. The server counts it and does not answer. Each sequence number
        must be that of the previous frame plus one; the first frame of a connection, and the first after an `E`, may
        have any number.

        `E`
        : The end of the data, and a UInt64, the number of data frames sent since the last `E` or since the beginning.
        When the server has received that many, it answers with `e` and a UInt64, the number received.

        `P`
        : Ping: the server sends the same body back.

        `H`
        : Hello: the server answers with `h`, and the connection becomes a member of the broadcast group.

        `S`
        : Status: the server answers with `s`; a UInt64, the processor time that it has used in nanoseconds; and a
        UInt32, its process ID.

        `G`
        : Go: a UInt32 count, a UInt32 size, and a UInt8. The server sends *count* frames of *size* bytes, each
        beginning with `B`, to every member. If the UInt8 is 1, frames are gathered into few writes; if it is 0, each
        is written separately. The server does not answer.

        The server ends the connection of a client that sends anything else.
        """)
    ],
    exitStatus: [
      .done: "Success; for a server, also after `SIGINT`, `SIGTERM` or `SIGHUP`.",
      .usage: "The command line is invalid.",
      .unavailable: """
      Not available: the server cannot listen on the port, or the client cannot reach the server or lost the connection.
      """,
      .software: "An error in `transport-bench` itself.",
      .inputOutput: "Standard output cannot be written.",
      .protocolError: "The server broke the protocol, or lost messages.",
      .interrupted: "A second `SIGINT` came.",
    ],
    examples: [
      .init("taskset -c 0 transport-bench serve --port 4711 --interface lo &", "run a server on processor 0"),
      .init("taskset -c 1 transport-bench client --port 4711", "measure it from processor 1"),
      .init(
        "transport-bench client fan-out --port 4711 --clients 5000 --json", "measure a broadcast to 5,000 clients, in JSON"),
    ],
    diagnostics: """
      The server also reports
      which connections it ended, and why.
      """,
    seeAlso: ["bonjourish(1)", "taskset(1)"],
    notes: [
      .init(
        "CAVEATS",
        "Any client that can reach the server can keep it busy: use it on trusted networks only.")
    ])
}
