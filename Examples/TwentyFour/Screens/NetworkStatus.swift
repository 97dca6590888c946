public import Bonjourish
import Rooms
import Synchronization
public import _BonjourishConsole
import _BonjourishJSONOutput

/// Why others are not found, or do not find the room: what discovery has told last, as `bonjourish browse` tells it.
public final class NetworkStatus: Sendable {
  /// Who tells it, the most important first.
  enum Source: CaseIterable {
    case room, search, machine, rooms
  }

  private struct State: Sendable {
    var reasons: [Source: String] = [:]
    var followers: [Int: AsyncStream<String?>.Continuation] = [:]
    var lastFollower = 0

    var sentence: String? { Source.allCases.lazy.compactMap { reasons[$0] }.first }
  }

  private let state = Mutex(State())
  private let json: Bool
  private let diagnostics: Diagnostics

  /// - Parameters:
  ///   - json: Whether to tell as JSON on standard output what `bonjourish browse` tells so, and not as warnings.
  ///   - diagnostics: Gets everything else.
  public init(json: Bool, _ diagnostics: Diagnostics) {
    (self.json, self.diagnostics) = (json, diagnostics)
  }

  /// The most important reason; nil if nothing is wrong.
  var sentence: String? { state.withLock { $0.sentence }?.escapedForDisplay }

  /// The sentence at once, and whenever it is another one. Of several changes a slow reader gets the latest.
  var changes: AsyncStream<String?> {
    let (stream, continuation) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      state.lastFollower += 1
      let id = state.lastFollower
      state.followers[id] = continuation
      continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.followers.removeValue(forKey: id) } }
      continuation.yield(state.sentence?.escapedForDisplay)
    }
    return stream
  }

  /// Notes what a source tells, and tells the user if that is news.
  ///
  /// - Parameters:
  ///   - reason: The reason; nil if there is none any more.
  ///   - restored: The sentence for its end; nil to say nothing then.
  func note(_ reason: String?, from source: Source, restored: String? = nil) {
    let isNews = state.withLock { state in
      let former = state.sentence
      let isNews = state.reasons[source] != reason
      state.reasons[source] = reason
      if state.sentence != former {
        let sentence = state.sentence?.escapedForDisplay
        for follower in state.followers.values { follower.yield(sentence) }
      }
      return isNews
    }
    guard isNews else { return }
    if json, let event = source.event(isOver: reason == nil) {
      guard reason != nil || restored != nil else { return }
      Output.standard.json(NetworkRecord(event: event, reason: reason))
    } else if let text = reason ?? restored {
      diagnostics.warning(text)
    }
  }
}

extension NetworkStatus.Source {
  /// The name of the line of `--json`, as of `bonjourish browse`; nil for a message on standard error.
  fileprivate func event(isOver: Bool) -> String? {
    switch self {
    case .room, .rooms: nil
    case .search: isOver ? "restored" : "interrupted"
    case .machine: isOver ? "unlimited" : "limited"
    }
  }
}

/// A line of `--json` about the network.
private struct NetworkRecord: Encodable {
  let event: String
  let reason: String?
}

extension NetworkStatus {
  /// Makes discovery tell when only this machine, or part of the network, can be reached.
  public func follow(_ configuration: inout Bonjour.Configuration) {
    configuration.reachLimited = { [self] in note($0?.message, from: .machine, restored: Phrases.othersAreFoundAgain) }
  }

  /// Tells why others may not be found while a room or server is opened, which can take some seconds, and afterwards leaves that to
  /// its own advertisement.
  ///
  /// - Parameters:
  ///   - bonjour: The discovery to advertise with; nil if it is not advertised.
  ///   - interfaces: The interfaces to advertise on.
  ///   - show: Shows the changes of the status meanwhile.
  ///   - body: Opens the room, and calls its argument when it is open.
  public func telling<Result: Sendable>(
    on bonjour: Bonjour?, interfaces: InterfaceSelection, _ show: @escaping @Sendable () async -> Void = {},
    opening body: (_ isOpen: @escaping @Sendable (PublishedService?) async -> Void) async throws -> Result
  ) async throws -> Result {
    let telling = Task {
      await withDiscardingTaskGroup { group in
        if let bonjour {
          // An error is one of publishing, too.
          group.addTask {
            try? await bonjour.withBrowser(for: RoomHost.serviceType, interfaces: interfaces) { await self.follow($0) }
          }
        }
        await show()
      }
    }
    @Sendable func stop() async {
      telling.cancel()
      await telling.value
    }
    do {
      return try await body { service in
        await stop()
        let isHidden = await service?.interruption != nil
        self.note(nil, from: .search, restored: isHidden ? nil : Phrases.discoveryRestored)
      }
    } catch {
      await stop()
      throw error
    }
  }

  /// Follows a search for rooms until the task is cancelled, or until nothing can be found any more.
  func follow(_ browser: Browser) async {
    do throws(DiscoveryError) {
      for try await change in browser.changes {
        switch change {
        case .interrupted(let error): note(error.message, from: .search)
        case .restored: note(nil, from: .search, restored: Phrases.discoveryRestored)
        case .found, .updated, .lost, .settled: continue
        }
      }
    } catch {
      // Whoever reads the list of rooms gets the same error.
    }
  }
}
