import FramedTransport
import _BonjourishConsole

/// What can be asked of `transport-bench`.
enum Verb: String {
  case serve, client
}

/// The command line of `transport-bench`.
enum Commands {
  // MARK: - Serving

  static let port = Option.required("port", "P", .integer(in: 0...65_535), "listen on this port; 0 means any free port")
  static let interface = Option.optional(
    "interface", "IF", .text, "listen on this network interface only, such as lo (default: all)")
  static let loops = Option.optional(
    "loops", "N", .integer(in: 1...TransportLoops.mostLoops), default: 1, "the number of threads for connections (default: 1)")
  static let mode = Option.optional(
    "mode", "WAY", ValueFormat<ReadingMode>.anyCase, default: .frames,
    "how to read: frames, one at a time, or batches, all received ones in place (default: frames)")

  static let handlers = Option.optional(
    "handlers", "WHERE",
    .oneOf(["loop": Listener.HandlerThread.connectionLoop, "shared": .shared]),
    default: .connectionLoop, "where to handle connections: loop (their thread) or shared (all threads); default: loop")

  static let guarded = Option.flag(
    "guarded", "limit pending connections, and report the counters at the end")

  static let encrypted = Option.flag("encrypted", "encrypt with TLS 1.3; server and client must both, or neither")

  static let web = Option.flag("web", "serve WebSockets too; a client connects over one")

  static let serve = Command(
    "transport-bench serve", summary: "Counts, sends back and broadcasts frames, for measurements.",
    options: [port, interface, loops, mode, handlers, guarded, encrypted, web],
    examples: [.init("transport-bench serve --port 4711 --mode batches", "writes \"ready 4711\" when it listens")])

  // MARK: - Measuring

  static let measures = Operand.repeated(
    "MEASURE", ValueFormat<Measure>.anyCase,
    "what to measure: one-way, ping-pong, fan-out, accept (default: all)")
  static let serverPort = Option.required("port", "P", .integer(in: 1...65_535), "the server's port")
  static let host = Option.optional("host", "HOST", .text, default: "127.0.0.1", "the server (default: 127.0.0.1)")
  static let count = Option.optional(
    "count", "N", .integer(in: 1...1_000_000_000), "the number of messages; for accept, of connections")
  static let size = Option.optional("size", "BYTES", .integer(in: 9...65_536), "the size of a message")
  static let clients = Option.optional("clients", "N", .integer(in: 1...100_000), "the number of clients of a broadcast")
  static let batch = Option.optional(
    "batch", "N", .integer(in: 1...65_536), default: 1,
    "one-way: the number of messages for one call of send (default: 1)")
  static let json = Option.flag("json", "write one JSON object for each measure")

  static let client = Command(
    "transport-bench client",
    summary: "Measures a server that speaks the protocol of `transport-bench serve`.",
    operands: [measures], options: [serverPort, host, count, size, clients, batch, encrypted, web, json],
    examples: [
      .init("transport-bench client --port 4711", "all measures"),
      .init("transport-bench client one-way --port 4711 --size 1024 --json", "the number of messages of 1 KiB per second"),
    ])

  static let all = CommandGroup<Verb>(
    "transport-bench", summary: "Measures the speed of frames over connections.",
    commands: [.serve: serve, .client: client], manual: manual)
}
