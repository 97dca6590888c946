import Discovery
import MulticastDNS

/// A host of a ``VirtualNetwork`` that publishes one service as the backend does: with the state machine that chooses its names.
final class Clone {
  let host: VirtualHost
  private var publication: Publication
  private var registration: MulticastEngine.RegistrationID?
  /// The established name of the host; nil while it has none.
  private(set) var hostName: DNSName?
  /// The established name of the service; nil while it has none.
  private(set) var serviceName: InstanceName?
  private(set) var failure: DiscoveryError?

  init(_ host: VirtualHost, seed: UInt64) {
    self.host = host
    publication = Publication(
      Registration("Clone", type: "_x._tcp", domain: .local, port: 1, txt: [:], interface: nil), engine: .builtIn, seed: seed)
    host.keepsEffects = false
    host.react = { [unowned self] in take($0) }
    host.do(.setHostName("clone.local"))
    handle(.serverRunning)
  }

  var isPublished: Bool { hostName != nil && serviceName != nil }

  private func handle(_ event: Publication.Event) {
    for effect in publication.handle(event) {
      switch effect {
      case .register(let wanted):
        // Noted before the engine can say that the name is taken.
        registration = host.nextRegistration
        _ = host.publish(wanted.name.text)
      case .updateText, .withdraw, .startTimer, .stopTimer: break
      case .report(.established(let name)): serviceName = name
      case .report(.renamed), .report(.interrupted): serviceName = nil
      case .report(.failed(let error)): failure = error
      }
    }
  }

  private func take(_ effect: MulticastEngine.Effect) {
    switch effect {
    case .registration(let id, .established) where id == registration: handle(.established)
    case .registration(let id, .conflict) where id == registration: handle(.collision)
    case .hostName(.established(let name)): hostName = name
    case .hostName(.renamed): hostName = nil
    case .registration, .send, .answer, .cacheExhausted, .settled: break
    }
  }
}
