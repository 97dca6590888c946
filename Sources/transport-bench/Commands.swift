import Console
import FramedTransport

/// What can be asked of `transport-bench`.
enum Verb: String {
  case serve, client
}

/// The command line of `transport-bench`.
enum Commands {
  static let version = "0.1.0"

  // MARK: - Serving

  static let port = Option.required("port", "P", .integer(in: 0...65_535), "the port; 0: any that is free")
  static let interface = Option.optional(
    "interface", "IF", .text, "listen on this network interface only, such as lo; without it on all")
  static let loops = Option.optional(
    "loops", "N", .integer(in: 1...TransportLoops.mostLoops), default: 1, "how many threads serve connections; 1 unless told")
  static let mode = Option.optional(
    "mode", "WAY", ValueFormat("frames or batches") { ReadingMode(rawValue: $0) }, default: .frames,
    "how to read: frames, one at a time, or batches, walked in place; frames unless told")

  static let guarded = Option.flag(
    "guarded", "refuse, displace and time out those who have not sent anything yet, and tell at the end what happened")

  static let serve = Command(
    "transport-bench serve", version: version, summary: "Counts, sends back and broadcasts frames for those who measure it.",
    options: [port, interface, loops, mode, guarded],
    examples: [.init("transport-bench serve --port 4711 --mode batches", "says \"ready 4711\" when it listens")])

  // MARK: - Measuring

  static let measures = Operand.repeated(
    "MEASURE", ValueFormat("one of \(Measure.allCases.map(\.rawValue).joined(separator: ", "))") { Measure(rawValue: $0) },
    "what to measure: one-way, ping-pong, fan-out, accept; all of them unless told")
  static let serverPort = Option.required("port", "P", .integer(in: 1...65_535), "the server's port")
  static let host = Option.optional("host", "HOST", .text, default: "127.0.0.1", "the server; 127.0.0.1 unless told")
  static let count = Option.optional(
    "count", "N", .integer(in: 1...1_000_000_000), "how many messages; for accept how many connections")
  static let size = Option.optional("size", "BYTES", .integer(in: 9...65_536), "the size of a message")
  static let clients = Option.optional("clients", "N", .integer(in: 1...100_000), "how many clients take a broadcast")
  static let batch = Option.optional(
    "batch", "N", .integer(in: 1...65_536), default: 1,
    "one-way: how many messages are given to one call of send; 1 unless told")
  static let writeThrough = Option.flag("write-through", "fan-out: let the server write each frame by itself")
  static let json = Option.flag("json", "write one JSON object for each measure")

  static let client = Command(
    "transport-bench client", version: version,
    summary: "Measures a server that speaks the protocol of `transport-bench serve`.",
    operands: [measures], options: [serverPort, host, count, size, clients, batch, writeThrough, json],
    examples: [
      .init("transport-bench client --port 4711", "all measures"),
      .init("transport-bench client one-way --port 4711 --size 1024 --json", "how many messages of 1 KiB go in a second"),
    ])

  static let all = CommandGroup<Verb>(
    "transport-bench", version: version, summary: "Measures how fast frames go over connections.",
    commands: [.serve: serve, .client: client])
}
