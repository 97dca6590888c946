public import Bonjourish

/// Keeps a TXT record up to date, with a bounded rate of updates.
///
/// Of several changes during an update, or within an interval after it, only the latest is published (RFC 6762 §8.4 asks for
/// no more than ten updates a minute in the long run).
public struct Advertiser: Sendable {
  private let shortestInterval: Duration
  // Each record is complete, so intermediate ones can be dropped.
  private let changes = AsyncStream<TXTRecord>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// The initial TXT record of the service.
  public let first: TXTRecord

  /// - Parameters:
  ///   - first: The initial pairs of the TXT record.
  ///   - interval: The shortest time between two updates.
  public init(_ first: [String: String], atMostEvery interval: Duration) {
    self.first = TXTRecord(of: first)
    shortestInterval = interval
  }

  /// Publishes these pairs when it is time.
  public func advertise(_ pairs: [String: String]) {
    changes.continuation.yield(TXTRecord(of: pairs))
  }

  /// Publishes every change, until the task is cancelled or the service has failed.
  public func run(_ service: PublishedService) async {
    var published = first
    for await txt in changes.stream where txt != published {
      published = txt
      do throws(DiscoveryError) {
        try await service.update(txt: txt)
      } catch {
        // The service's own events report the failure; the room continues for its players.
        return
      }
      // A change that waits is not published when the task is cancelled: the service is about to be withdrawn.
      do { try await Task.sleep(for: shortestInterval) } catch { return }
    }
  }
}
