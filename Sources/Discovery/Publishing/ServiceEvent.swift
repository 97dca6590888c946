/// What happens to a published service while it is published.
public enum ServiceEvent: Hashable, Sendable {
  /// Another host has the name; the service goes by the second one now.
  case renamed(from: InstanceName, to: InstanceName)
  /// The engine is out of reach, or hands over to another; nobody new can find the service.
  case interrupted(DiscoveryError)
  /// The service can be found again.
  case restored
}

/// The events that one subscriber has not taken yet: at most one of each kind, later ones merged into it.
package struct PendingServiceEvents {
  private var events: [ServiceEvent] = []

  package init() {}

  package var isEmpty: Bool { events.isEmpty }

  package mutating func append(_ event: ServiceEvent) {
    guard let place = events.firstIndex(where: { $0.isRenaming == event.isRenaming }) else {
      return events.append(event)
    }
    switch (events[place], event) {
    case (.renamed(let first, _), .renamed(_, let last)):
      if first == last { events.remove(at: place) } else { events[place] = .renamed(from: first, to: last) }
    case (.interrupted, .restored), (.restored, .interrupted):
      // Whoever has not seen the first of the two need not see that it is over.
      events.remove(at: place)
    case (.interrupted, _), (.restored, _), (.renamed, _):
      events[place] = event
    }
  }

  package mutating func popFirst() -> ServiceEvent? {
    events.isEmpty ? nil : events.removeFirst()
  }
}

extension ServiceEvent {
  fileprivate var isRenaming: Bool {
    switch self {
    case .renamed: true
    case .interrupted, .restored: false
    }
  }
}
