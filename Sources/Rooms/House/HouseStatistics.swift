import EventLoop
package import FramedTransport
import Glibc

/// What a house tells of itself to whoever runs it; as JSON under the names of the properties.
package struct HouseStatistics: Hashable, Sendable, Codable {
  package let uptimeSeconds: Double
  package let matchLimit: Int
  /// Whether nobody new is let in any more.
  package let isDraining: Bool
  package let counts: HouseCounts
  /// How long, in milliseconds, an answer has taken from the moment at which it was found to have come until what follows from
  /// it was handed to the connections: of all so far, what half and what 99 in 100 did not exceed.
  package let acknowledgementMedian: Double?
  package let acknowledgementP99: Double?
  /// The memory of the process that is in use, in KiB, and at most so far.
  package let residentKiB: Int
  package let residentPeakKiB: Int
  /// The time that processors have spent on the process.
  package let processorSeconds: Double
  /// What the sockets have counted.
  package let listeners: [ListenerCounters]

  init(
    _ counts: HouseCounts, matchLimit: Int, isDraining: Bool, uptime: Duration, acknowledgements: LatencyHistogram,
    listeners: [ListenerCounters]
  ) {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    uptimeSeconds = uptime.inSeconds
    self.matchLimit = matchLimit
    self.isDraining = isDraining
    self.counts = counts
    acknowledgementMedian = acknowledgements.quantile(0.5).map { $0 / .milliseconds(1) }
    acknowledgementP99 = acknowledgements.quantile(0.99).map { $0 / .milliseconds(1) }
    residentKiB = Self.residentKiB
    residentPeakKiB = usage.ru_maxrss
    processorSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
    self.listeners = listeners
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  /// The second number of statm (proc(5)), in pages; 0 where there is no /proc.
  private static var residentKiB: Int {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    let numbers = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
    guard numbers.count > 1, let pages = Int(String(decoding: numbers[1], as: UTF8.self)) else { return 0 }
    return pages * sysconf(Int32(_SC_PAGESIZE)) / 1_024
  }
}
