public import FramedCoding
import _BonjourishEventLoop

/// What a connection has received and sent since it was made. ``list`` gives all of it by name, for systems that collect metrics.
public struct ConnectionMetrics: Hashable, Sendable, Codable {
  /// Counter: bytes that were received and not dropped, with the headers of the frames.
  public let bytesReceived: UInt64

  /// Counter: bytes that the system has taken to send, with the headers of the frames, those of the connection's groups included.
  public let bytesSent: UInt64

  /// Counter: frames that the app has taken. Heartbeats do not count.
  public let framesReceived: UInt64

  /// Counter: frames that the connection has accepted to send, heartbeats included. Broadcasts of groups are counted in ``bytesSent`` only.
  public let framesSent: UInt64

  /// Gauge: bytes that wait to be sent, those of the connection's groups included.
  public let bytesWaiting: Int

  /// Gauge: the time since the connection was made.
  public let age: Duration

  /// Gauge: the time since bytes were last received or sent.
  public let idle: Duration
}

extension ConnectionMetrics {
  /// All numbers by name, as discovery's; times in milliseconds. Those of one name follow each other.
  ///
  /// A program with several connections adds a label of its own to each.
  public var list: [Metric] {
    [
      Metric("connection_bytes", .counter, Int(clamping: bytesReceived), ["direction": "in"]),
      Metric("connection_bytes", .counter, Int(clamping: bytesSent), ["direction": "out"]),
      Metric("connection_frames", .counter, Int(clamping: framesReceived), ["direction": "in"]),
      Metric("connection_frames", .counter, Int(clamping: framesSent), ["direction": "out"]),
      Metric("connection_waiting_bytes", .gauge, bytesWaiting),
      Metric("connection_age_milliseconds", .gauge, Int(clamping: Int64(age / .milliseconds(1)))),
      Metric("connection_idle_milliseconds", .gauge, Int(clamping: Int64(idle / .milliseconds(1)))),
    ]
  }
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
