import Foundation
import TestSupport
import Testing

extension Lab.Host {
  static let h5 = Lab.Host(number: 5)
}

/// Servers of NATS on hosts of a lab, one cluster or a server alone, configured by the files in Examples/Directory.
final class NATSCluster {
  let hosts: [Lab.Host]
  private let lab: Lab
  private let file: String
  private var servers: [Lab.Host: Program] = [:]

  fileprivate init(_ hosts: [Lab.Host], in lab: Lab) async throws {
    self.hosts = hosts
    file = hosts.count == 1 ? "nats.conf" : "nats-cluster.conf"
    self.lab = lab
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try makeAuthority()
    for host in hosts { try configure(host) }
    for host in hosts { try await start(host) }
  }

  private var folder: String { lab.folder + "/nats" }

  /// The authority that has signed the certificates of the servers.
  var authority: String { folder + "/authority.pem" }

  /// The URLs of all servers, with commas between them.
  var urls: String { hosts.map { "tls://\($0.address):4222" }.joined(separator: ",") }

  /// The variables by which a program uses the cluster as one of its users: `host`, `guest`, `server` or `operator`.
  func environment(as user: String) -> [String] {
    ["env", "NATS_URL=\(urls)", "NATS_CA=\(authority)", "NATS_USER=\(user)", "NATS_PASSWORD=\(user)-secret"]
  }

  /// Starts the server of a host, and waits until it takes connections.
  func start(_ host: Lab.Host) async throws {
    let variables =
      ["NATS_NAME=nats-\(host.number)", "SYSTEM_PASSWORD=system-secret"]
      + ["host", "guest", "server", "operator"].map { "GAMES_\($0.uppercased())_PASSWORD=\($0)-secret" }
    let server = try lab.start(
      ["env"] + variables + [LAN.natsServer, "-c", "\(folder)/\(host)/\(file)"], on: host)
    servers[host] = server
    try await server.errorLine { $0.contains("Server is ready") }
  }

  /// Kills the server of a host.
  func kill(_ host: Lab.Host) async throws {
    try servers[host]?.signal(SIGKILL)
    _ = try await servers[host]?.exitCode()
  }

  /// The host whose server leads a stream; nil while none does.
  func leader(of stream: String) async throws -> Lab.Host? {
    for host in hosts where servers[host] != nil {
      let script = """
        import json, urllib.request
        with urllib.request.urlopen("http://127.0.0.1:8222/jsz?accounts=1&streams=1", timeout=2) as answer:
            for account in json.load(answer).get("account_details", []):
                for stream in account.get("stream_detail", []):
                    if stream["name"] == "\(stream)": print(stream.get("cluster", {}).get("leader", ""))
        """
      let program = try lab.start(["/usr/bin/python3", "-c", script], on: host)
      guard try await program.exitCode() == 0, let name = program.outputLines.first, !name.isEmpty else { continue }
      return hosts.first { "nats-\($0.number)" == name }
    }
    return nil
  }

  // MARK: - Files

  private static let example = LAN.script.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Examples/Directory")

  /// Writes the files of a host: those of the example, with the places and names of this lab.
  private func configure(_ host: Lab.Host) throws {
    let own = "\(folder)/\(host)"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    for file in ["nats.conf", "nats-cluster.conf"] {
      var text = try String(contentsOf: Self.example.appending(path: file), encoding: .utf8)
        .replacing("/etc/nats/authority.pem", with: authority).replacing("/etc/nats", with: own)
        .replacing("/var/lib/nats", with: own + "/store")
      for (number, other) in hosts.enumerated() {
        text = text.replacing("nats-\(number + 1).example.org", with: other.address)
      }
      try text.write(toFile: "\(own)/\(file)", atomically: true, encoding: .utf8)
    }
    let extensions = "\(own)/extensions.txt"
    try "subjectAltName=IP:\(host.address)\nextendedKeyUsage=serverAuth,clientAuth\n".write(
      toFile: extensions, atomically: true, encoding: .utf8)
    try openssl(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(host)", "-keyout",
      "\(own)/server.key", "-out", "\(own)/server.csr")
    try openssl(
      "x509", "-req", "-in", "\(own)/server.csr", "-CA", authority, "-CAkey", folder + "/authority.key", "-CAcreateserial",
      "-days", "1", "-extfile", extensions, "-out", "\(own)/server.pem")
  }

  private func makeAuthority() throws {
    try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=lab",
      "-keyout", folder + "/authority.key", "-out", authority)
  }

  private func openssl(_ arguments: String...) throws {
    let (code, _, errors) = try ChildProcess.run("/usr/bin/openssl", arguments)
    guard code == 0 else { throw LabError("openssl: \(String(decoding: errors, as: UTF8.self))") }
  }
}

extension Lab {
  /// Starts a cluster of NATS servers, one on each of some hosts; or one without a cluster.
  func natsCluster(on hosts: [Host] = [.h1, .h2, .h3]) async throws -> NATSCluster { try await NATSCluster(hosts, in: self) }

  /// Starts a part of `bench-directory` that uses a cluster, as one of its users.
  func directory(_ verb: String, _ arguments: String..., as user: String, of cluster: NATSCluster, on host: Host) throws
    -> Program
  {
    try start(cluster.environment(as: user) + [LAN.program("bench-directory"), verb, "-"] + arguments, on: host)
  }
}
