import Bonjourish
import Rooms

/// A match that is published as an instance of its own, until it is released.
final class AdvertisedMatch: Sendable {
  /// How matches are advertised.
  struct Terms: Sendable {
    let bonjour: Bonjour
    let interfaces: InterfaceSelection
    let port: UInt16
    let interval: Duration
  }

  private let advertiser: Advertiser
  private let task: Task<Void, Never>

  /// - Parameter succession: Who publishes it, and whose record it replaces.
  init(_ name: InstanceName, _ pairs: [String: String], _ succession: Succession, _ terms: Terms) {
    let advertiser = Advertiser(pairs, atMostEvery: terms.interval)
    self.advertiser = advertiser
    task = Task {
      var service = Bonjour.Service(
        name, type: RoomHost.serviceType, port: terms.port, txt: advertiser.first, onConflict: .fail)
      service.succession = succession
      while !Task.isCancelled {
        do {
          try await terms.bonjour.withPublishedServices([service], interfaces: terms.interfaces) { services in
            await advertiser.run(services[0])
            // The service has failed; its events say so.
            for try await _ in services[0].events {}
          }
        } catch {}
        // Somebody has the name, or the directory refuses. Ends early if the task is cancelled.
        try? await Task.sleep(for: .seconds(2))
      }
    }
  }

  deinit { task.cancel() }

  func advertise(_ pairs: [String: String]) { advertiser.advertise(pairs) }

  /// Withdraws it, and returns when that is done.
  func end() async {
    task.cancel()
    await task.value
  }
}
