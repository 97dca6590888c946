public import _BonjourishDiscovery
import _BonjourishEventLoop

/// Publishes services for as long as ``run()`` runs: the shape that supervisors of long-lived tasks want.
///
/// ``Bonjour/publisher(of:interfaces:)`` makes it.
public struct ServicePublisher: Sendable {
  private let bonjour: Bonjour
  private let services: [Bonjour.Service]
  private let interfaces: InterfaceSelection

  init(_ bonjour: Bonjour, _ services: [Bonjour.Service], _ interfaces: InterfaceSelection) {
    self.bonjour = bonjour
    self.services = services
    self.interfaces = interfaces
  }

  /// Publishes the services until the task is cancelled, and then withdraws them: when it returns, their goodbyes are being sent.
  ///
  /// Temporary failures do not end it.
  ///
  /// - Throws: ``DiscoveryError`` when a service cannot be published, or can no longer be: with code `unavailable` after
  ///   ``Bonjour/close()``.
  public func run() async throws {
    do {
      try await bonjour.withPublishedServices(services, interfaces: interfaces) { published in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for service in published {
            group.addTask {
              for try await _ in service.events {}
            }
          }
          for try await _ in group {}
        }
        try bonjour.checkIsOpen()
        await Waiter().wait { true }
      }
    } catch let error as DiscoveryError where error.code == .cancelled && Task.isCancelled {
      // Cancelled before the names were established. Nothing is published.
    }
  }
}

extension Bonjour {
  /// Makes a publisher of services, which publishes nothing until ``ServicePublisher/run()`` is called.
  ///
  /// - Parameters:
  ///   - services: The services.
  ///   - interfaces: The interfaces to publish on.
  public func publisher(of services: [Service], interfaces: InterfaceSelection = .all) -> ServicePublisher {
    ServicePublisher(self, services, interfaces)
  }
}
