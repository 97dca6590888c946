/// A change of the endpoint of an instance.
///
/// No case will be added: whoever applies all changes in order knows the endpoint, and that must stay true of the programs of today.
public enum ResolutionChange: Hashable, Sendable {
  /// The endpoint is known, or has changed.
  case resolved(Endpoint)
  /// No host answers for the instance, or none does any more. It is resolved again when one answers.
  case lost
  /// The engine is unreachable, or the network cannot be reached (``DiscoveryError/Code/noNetwork``). The endpoint may be out of
  /// date.
  case interrupted(DiscoveryError)
  /// The engine or the network is back, or another engine has taken over. If no host answers there within about seven seconds, the
  /// endpoint is lost.
  case restored
}

extension ResolutionChange: CustomStringConvertible {
  /// The change for display, such as `resolved to ada.local:8080 (192.168.1.7)`.
  public var description: String {
    switch self {
    case .resolved(let endpoint): "resolved to \(endpoint)"
    case .lost: "lost"
    case .interrupted(let error): "interrupted: \(error)"
    case .restored: "restored"
    }
  }
}

/// The changes that one subscriber has not taken yet. Later changes are merged into earlier ones, so there are at most two: the
/// last state of the endpoint, and an interruption or restoration.
package struct PendingResolutionChanges: Sendable {
  private var changes: [ResolutionChange] = []

  package init() {}

  package var isEmpty: Bool { changes.isEmpty }
  package var count: Int { changes.count }

  package mutating func append(_ change: ResolutionChange) {
    guard let place = changes.firstIndex(where: { $0.isOfEndpoint == change.isOfEndpoint }) else {
      return changes.append(change)
    }
    switch (changes[place], change) {
    case (.interrupted, .restored), (.restored, .interrupted):
      // The two cancel out: the subscriber has seen neither.
      changes.remove(at: place)
    case (.interrupted, _), (.restored, _), (.resolved, _), (.lost, _):
      changes[place] = change
    }
  }

  package mutating func popFirst() -> ResolutionChange? {
    changes.isEmpty ? nil : changes.removeFirst()
  }
}

extension ResolutionChange {
  fileprivate var isOfEndpoint: Bool {
    switch self {
    case .resolved, .lost: true
    case .interrupted, .restored: false
    }
  }
}
