import Bonjourish
import _BonjourishDiscoveryOptions
import _BonjourishEventLoop

/// Whether the directory has answered, for a list that must not lack what it has.
final class DirectoryAnswer: Sendable {
  private enum State {
    /// Nothing is known yet.
    case awaited
    case reached
    /// It has not answered for some seconds, or refuses, for this reason.
    case lost(DiscoveryError)
  }

  private let state = Observed(State.awaited)

  /// Takes what is told about the directory.
  func take(_ news: DirectoryNews) {
    state.change { state in
      switch news.event {
      case .reached, .restored: state = .reached
      case .lost(let reason): state = .lost(DiscoveryError(.unavailable, reason))
      case .refused(let error, _): state = .lost(error)
      case .denied: break
      }
    }
  }

  /// Whether it answers.
  var isReached: Bool {
    state.change { state in
      if case .reached = state { true } else { false }
    }
  }

  /// Why its services are missing; nil if it answers.
  var loss: DiscoveryError? {
    state.change { state in
      switch state {
      case .reached: nil
      case .awaited: DiscoveryError(.unavailable, "using the directory: it has not answered yet")
      case .lost(let error): error
      }
    }
  }

  /// Returns when the directory has answered or is lost, which takes some seconds at most, or the task is cancelled.
  func waitUntilKnown() async {
    _ = await state.take { state in
      if case .awaited = state { nil as Bool? } else { true }
    }
  }

  /// Returns when the directory is lost, or the task is cancelled.
  func waitUntilLost() async {
    _ = await state.take { state in
      if case .lost = state { true } else { nil }
    }
  }
}
