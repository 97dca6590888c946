import Bonjourish
import Testing
import _BonjourishDirectoryProtocol

@testable import BonjourishDirectory

/// What a program that browses one shard is sent.
@Suite(.timeLimit(.minutes(1))) struct ShardTests {
  private static let names = (1...40).map { "Room \($0)" }

  private static func shard(of name: String) throws -> Int {
    DirectoryKey(region: Region("world")!, type: "_game._tcp", name: try InstanceName(name)).shard
  }

  @Test func `the server sends one shard, and the rest can be resolved`() async throws {
    let server = try await NATSServer()
    let host = try await Bonjour(server)
    let shard = try Self.shard(of: "Room 1")
    let expected = try Self.names.filter { try Self.shard(of: $0) == shard }
    let elsewhere = try #require(try Self.names.first { try Self.shard(of: $0) != shard })
    let guest = try await Bonjour(server) { $0.shard = shard }
    try await host.withPublishedServices(
      try Self.names.map { .init(try InstanceName($0), type: "_game._tcp", port: 4242) }
    ) { _ in
      try await guest.withBrowser(for: "_game._tcp") { browser in
        var found: [String] = []
        for try await change in browser.changes {
          if case .found(let service) = change { found.append(service.instance.name.text) }
          if change == .settled { break }
        }
        #expect(found.sorted() == expected.sorted())
        // The others have not come to this program, which could have left them out; heartbeats may have.
        #expect(await guest.metrics.directory.messages < Self.names.count / 2)
        let endpoint = try await guest.resolve(ServiceInstance(try InstanceName(elsewhere), type: "_game._tcp"))
        #expect(endpoint.port == 4242)
      }
    }
  }

  @Test(arguments: [-1, 64]) func `there are 64 shards`(shard: Int) {
    var configuration = DirectoryConfiguration(servers: ["nats://127.0.0.1:1"])
    configuration.shard = shard
    let error = #expect(throws: DiscoveryError.self) { try DirectorySettings(configuration) }
    #expect(error?.code == .invalidDirectory)
    #expect(error?.message == "the directory's shard must be 0–63")
  }
}
