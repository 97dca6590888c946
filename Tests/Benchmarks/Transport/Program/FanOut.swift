import FramedTransport
import _BonjourishConsole

/// One broadcast to many clients, who are idle before.
struct FanOut {
  let clients: Int
  let broadcast: Broadcast
  let security: ConnectionSecurity

  struct Result: Figures {
    let clients: Int
    let seconds: Double
    let serverCPUSeconds: Double
    let hellosPerSecond: Double
    /// In the server's memory; nil when it runs on another machine.
    let idleBytesPerConnection: Double?
    /// How much the server's memory has grown for the broadcast at its largest.
    let growthBytes: Int?

    var description: String {
      var text =
        "fan-out to \(clients) clients: \(seconds.text(4)) s until all had it, "
        + "\(serverCPUSeconds.text(4)) s of the server's CPU"
      if let idleBytesPerConnection, let growthBytes {
        let megabytes = Double(growthBytes) / 1e6
        text += "; \(idleBytesPerConnection.text()) B per idle connection, \(megabytes.text(2)) MB for the broadcast"
      }
      return text
    }
  }

  func measured(with control: Peer, at addresses: [SocketAddress]) async throws -> any Figures {
    let process = try await control.status().process
    let before = ProcessFigures.memory(of: process, "VmRSS")
    let connecting = ContinuousClock.now
    let peers = try await connectAll(to: addresses)
    let hellos = Double(clients) / (connecting.duration(to: .now) / .seconds(1))
    let idle = ProcessFigures.memory(of: process, "VmRSS")

    let cpu = try await control.status().cpuNanoseconds
    let begin = ContinuousClock.now
    try await start(over: control)
    try await withThrowingTaskGroup { group in
      for peer in peers { group.addTask { try await take(from: peer) } }
      try await group.waitForAll()
    }
    let seconds = begin.duration(to: .now) / .seconds(1)
    let used = try await control.status().cpuNanoseconds - cpu
    let most = ProcessFigures.memory(of: process, "VmHWM")
    await withDiscardingTaskGroup { group in
      for peer in peers { group.addTask { await peer.connection.close() } }
    }
    return Result(
      clients: clients, seconds: seconds, serverCPUSeconds: Double(used) / 1e9, hellosPerSecond: hellos,
      idleBytesPerConnection: difference(idle, before).map { Double($0) / Double(clients) },
      growthBytes: difference(most, idle))
  }

  private func difference(_ left: Int?, _ right: Int?) -> Int? {
    guard let left, let right else { return nil }
    return left - right
  }

  private func connectAll(to addresses: [SocketAddress]) async throws -> [Peer] {
    var peers: [Peer] = []
    while peers.count < clients {
      let peer = try await Peer(to: addresses, security)
      try await peer.sayHello()
      peers.append(peer)
    }
    return peers
  }

  private func start(over control: Peer) async throws {
    var writer = MessageWriter()
    writer.writeUInt8(Kind.go.rawValue)
    writer.writeUInt32(UInt32(broadcast.count))
    writer.writeUInt32(UInt32(broadcast.size))
    try await control.connection.send(writer.bytes)
  }

  private func take(from peer: Peer) async throws {
    var taken = 0
    var isRight = true
    while taken < broadcast.count {
      let number = try await peer.connection.receiveFrames { frame in
        if frame.count != broadcast.size || frame[0] != Kind.broadcast.rawValue { isRight = false }
      }
      guard let number, isRight else {
        throw Failure(.protocolError, "\(peer.connection.peer) has not broadcast what it was asked for")
      }
      taken += number
    }
  }
}
