import Foundation

extension Lab {
  /// A directory on a host: a `nats-server` that listens there, and keeps its port when it is started again.
  struct Directory {
    let host: Host
    let lab: Lab
    private let file: String

    init(on host: Host, of lab: Lab) throws {
      (self.host, self.lab) = (host, lab)
      let folder = "\(lab.folder)/\(host)/nats"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      file = "\(folder)/nats.conf"
      let settings = "listen: \"\(host.address):4222\"\njetstream { store_dir: \"\(folder)/store\" }\n"
      try settings.write(toFile: file, atomically: true, encoding: .utf8)
    }

    /// Starts the server; it is ready when this returns.
    func start() async throws -> Program {
      let server = try lab.start(LAN.natsServer, "-c", file, on: host)
      try await server.errorLine { $0.contains("Server is ready") }
      return server
    }

    /// The options of programs that use it, in the region `eu`.
    var options: [String] { ["--directory", "nats://\(host.address)", "--region", "eu"] }
  }

  /// Makes a directory on h4, of which programs are told by its options.
  func directory() throws -> Directory { try Directory(on: .h4, of: self) }

  /// Starts `bonjourish`.
  func bonjourish(_ arguments: [String], _ directory: Directory, on host: Host) throws -> Program {
    let local = arguments.contains("--no-local") ? [] : ["--backend", "builtin"]
    return try start([LAN.program("bonjourish")] + arguments + directory.options + local, on: host)
  }

  /// Starts `twentyfour-host`, for a program to read.
  func host(_ name: String, _ arguments: [String], _ directory: Directory, on host: Host) throws -> Program {
    let command = [LAN.program("twentyfour-host"), "--name", name, "--json", "--backend", "builtin"]
    return try start(own(host) + command + arguments + directory.options, on: host)
  }

  /// Starts `twentyfour-join`, for a program to read unless `--json` is left out.
  func player(
    _ name: String, json: Bool = true, _ arguments: [String], _ directory: Directory, on host: Host
  ) throws -> Program {
    try player(name, json: json, arguments + directory.options + ["--backend", "builtin"], on: host)
  }
}
