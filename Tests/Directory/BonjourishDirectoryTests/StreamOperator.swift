import BonjourishDirectory
import _BonjourishBase
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// An operator of a server, who asks JetStream directly.
struct StreamOperator {
  private let loop: EventLoop
  private let connection: NATSConnection
  private let line: DirectoryLine

  init(_ server: NATSServer, _ credentials: DirectoryConfiguration.Credentials = .none) throws {
    var configuration = DirectoryConfiguration(servers: [server.url])
    configuration.credentials = credentials
    let settings = try DirectorySettings(configuration)
    loop = try EventLoop(name: "operator")
    connection = try NATSConnection(settings) { _ in }
    line = DirectoryLine(connection, inboxPrefix: "_INBOX", on: loop)
    try line.open()
  }

  func ask(_ subject: String, _ request: [UInt8] = []) async -> JetStreamAnswer {
    await withCheckedContinuation { continuation in
      loop.execute { [line] in
        try? line.request(request, to: subject) { continuation.resume(returning: JetStreamAnswer($0)) }
      }
    }
  }

  /// Makes the bucket of services with another largest number of watches.
  func makeBucket(watches: Int64, _ bucket: Bucket = Bucket("bonjourish")!) async throws {
    let settings = try JSONReader.read(bucket.settings(replicas: 1, maximumByteCount: 1 << 20))
    guard case .object(var fields) = settings else { throw Surprise() }
    fields["max_consumers"] = .integer(watches)
    guard case .done = await ask(bucket.creationRequest, JSONValue.object(fields).text) else { throw Surprise() }
  }

  /// Watches the bucket of services, in the way of the module.
  ///
  /// - Returns: The number of watches that the server has begun.
  func watch(_ count: Int, _ bucket: Bucket = Bucket("bonjourish")!) async -> Int {
    var begun = 0
    for number in 1...count {
      if case .done = await ask(bucket.watchRequest, bucket.watch("world.game_tcp.*.*", deliverTo: "_INBOX.test.\(number)")) {
        begun += 1
      }
    }
    return begun
  }

  /// The largest number of watches of the bucket of services, as it says.
  func mostWatches(_ bucket: Bucket = Bucket("bonjourish")!) async -> Int64? {
    guard case .done(let info) = await ask(bucket.infoRequest) else { return nil }
    return info["config"]?["max_consumers"]?.integer
  }
}
