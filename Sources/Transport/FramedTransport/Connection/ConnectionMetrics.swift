import _BonjourishEventLoop

/// What a connection has received and sent since it was made.
public struct ConnectionMetrics: Hashable, Sendable, Codable {
  /// Bytes that were received and not dropped, with the headers of the frames.
  public let bytesReceived: UInt64

  /// Bytes that the system has taken to send, with the headers of the frames, those of the connection's groups included.
  public let bytesSent: UInt64

  /// Frames that the app has taken. Heartbeats do not count.
  public let framesReceived: UInt64

  /// Frames that the connection has accepted to send, heartbeats included. Broadcasts of groups are counted in ``bytesSent`` only.
  public let framesSent: UInt64

  /// Bytes that wait to be sent, those of the connection's groups included.
  public let bytesWaiting: Int

  /// The time since the connection was made.
  public let age: Duration

  /// The time since bytes were last received or sent.
  public let idle: Duration
}

extension Connection {
  /// What the connection has received and sent so far. It is counted on the connection's thread, which takes a snapshot between two
  /// of its tasks; after the end of the connection, too.
  public var metrics: ConnectionMetrics {
    get async {
      await withCheckedContinuation { continuation in
        channel.loop.perform { [channel] in continuation.resume(returning: channel.metrics) }
      }
    }
  }
}

extension Channel {
  fileprivate var metrics: ConnectionMetrics {
    loop.assertIsCurrent()
    let (framesSent, waiting) = outbound.withLock { ($0.frameCount, $0.waitingByteCount) }
    let now = LoopTime.now
    return ConnectionMetrics(
      bytesReceived: bytesReceived, bytesSent: bytesSent, framesReceived: inbound.withLock { $0.frameCount } + batchFrameCount,
      framesSent: framesSent, bytesWaiting: waiting, age: now - beginning, idle: now - lastActivity)
  }
}
