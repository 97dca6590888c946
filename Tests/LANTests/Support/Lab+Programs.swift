extension Lab {
  /// The lab's backend, unless the arguments have one.
  private func choice(_ arguments: [String]) -> [String] {
    arguments.contains("--backend") ? [] : backend.map { ["--backend", $0.rawValue] } ?? []
  }

  /// Lets a program keep its keys where those of this host are.
  func own(_ host: Host) -> [String] { ["env", "XDG_STATE_HOME=\(folder)/\(host)"] }

  /// Starts `bonjourish`.
  func bonjourish(_ arguments: String..., on host: Host) throws -> Program {
    try start([LAN.program("bonjourish")] + arguments + choice(arguments), on: host)
  }

  /// Starts `bonjourish` in a container of a host.
  func bonjourish(_ arguments: String..., inContainer connection: Connection, of host: Host) throws -> Program {
    try start([LAN.program("bonjourish")] + arguments + choice(arguments), inContainer: connection, of: host)
  }

  /// Starts `twentyfour-host`, for a program to read unless `--json` is left out.
  func host(_ name: String, json: Bool = true, _ arguments: String..., on host: Host) throws -> Program {
    try start(
      own(host) + [LAN.program("twentyfour-host"), "--name", name] + (json ? ["--json"] : []) + arguments + choice(arguments),
      on: host)
  }

  /// Starts `chat`.
  func chat(_ name: String, _ arguments: String..., on host: Host) throws -> Program {
    try start([LAN.program("chat"), "--name", name] + arguments + choice(arguments), on: host)
  }

  /// Starts `tic-tac-toe`.
  func ticTacToe(_ command: String, _ name: String, _ arguments: String..., on host: Host) throws -> Program {
    try start([LAN.program("tic-tac-toe"), command, name] + arguments + choice(arguments), on: host)
  }

  /// Starts `packet-duel`, for a program to read.
  func duel(_ command: String, _ name: String, _ arguments: String..., on host: Host) throws -> Program {
    try start([LAN.program("packet-duel"), command, "--name", name, "--json"] + arguments + choice(arguments), on: host)
  }

  /// Starts `twentyfour-join`, for a program to read unless `--json` is left out.
  func player(_ name: String, json: Bool = true, _ arguments: String..., on host: Host) throws -> Program {
    try player(name, json: json, arguments, on: host)
  }

  func player(_ name: String, json: Bool = true, _ arguments: [String], on host: Host) throws -> Program {
    try start(
      own(host) + [LAN.program("twentyfour-join"), "--name", name] + (json ? ["--json"] : []) + arguments + choice(arguments),
      on: host)
  }
}

extension Program {
  /// All lines of standard output that are JSON.
  var events: [JSON] { outputLines.compactMap(JSON.init(line:)) }

  /// All lines of JSON with one of these events.
  func events(_ names: String...) -> [JSON] {
    events.filter { event in event["event"]?.string.map(names.contains) ?? false }
  }

  /// The names of the services that a browser's lines say are there.
  var listed: Set<String> {
    events("found", "updated", "lost").reduce(into: []) { listed, event in
      guard let name = event["name"]?.string else { return }
      if event["event"] == "lost" { listed.remove(name) } else { listed.insert(name) }
    }
  }
}
