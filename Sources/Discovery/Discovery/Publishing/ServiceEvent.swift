/// An event of a published service. Later versions may add cases: a `switch` has a `default` or `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ServiceEvent: Hashable, Sendable {
  /// The service has a new name, because another host has the former one or the program has renamed the service.
  case renamed(from: InstanceName, to: InstanceName)
  /// The engine is unreachable, another engine is taking over, no free name was found within a minute, or the network cannot be
  /// reached (``DiscoveryError/Code/noNetwork``). New browsers cannot find the service.
  case interrupted(DiscoveryError)
  /// The service can be found again.
  case restored
}

extension ServiceEvent: CustomStringConvertible {
  /// The event for display, such as `renamed from Ada to Ada #2`.
  public var description: String {
    switch self {
    case .renamed(let former, let new): "renamed from \(former) to \(new)"
    case .interrupted(let error): "interrupted: \(error)"
    case .restored: "restored"
    }
  }
}

/// The events that one subscriber has not taken yet. Later events are merged into earlier ones, so there are at most two: a
/// rename, and an interruption or restoration.
package struct PendingServiceEvents: Sendable {
  private var events: [ServiceEvent] = []

  package init() {}

  package var isEmpty: Bool { events.isEmpty }
  package var count: Int { events.count }

  package mutating func append(_ event: ServiceEvent) {
    guard let place = events.firstIndex(where: { $0.isRenaming == event.isRenaming }) else {
      return events.append(event)
    }
    switch (events[place], event) {
    case (.renamed(let first, _), .renamed(_, let last)):
      if first == last { events.remove(at: place) } else { events[place] = .renamed(from: first, to: last) }
    case (.interrupted, .restored), (.restored, .interrupted):
      // The two cancel out: the subscriber has seen neither.
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
