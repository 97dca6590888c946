import Bonjourish

/// Follows the service types that are announced in a domain, each for as long as it is, and ``FollowedTypes/limit`` at a time.
struct AnnouncedTypes: Sendable {
  let domain: DomainName
  let interfaces: InterfaceSelection
  /// Called with a type that cannot be browsed, or that there are too many, as a sentence.
  let warn: @Sendable (String) -> Void

  /// What is done with the types. Closures return whether it is enough.
  struct Handlers: Sendable {
    /// Takes a change of the search for types.
    let search: @Sendable (DiscoveryChange<DiscoveredServiceType>) async -> Bool
    /// Notes that a type is followed from now on.
    let begin: @Sendable (ServiceType) async -> Void
    /// Follows a type until it is enough, or the task is cancelled.
    let follow: @Sendable (ServiceType) async throws -> Bool
    /// Notes that a type is followed no longer: it is gone, or cannot be browsed.
    let end: @Sendable (ServiceType) async -> Bool
  }

  /// What happens while all types are followed.
  private enum Event: Sendable {
    case types(DiscoveryChange<DiscoveredServiceType>)
    case ended(ServiceType)
    /// It is enough, or nothing can be found any more.
    case end((any Error)?)
  }

  /// Follows the types until it is enough, or the task is cancelled.
  func run(on bonjour: Bonjour, _ handlers: Handlers) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      let (events, sender) = AsyncStream<Event>.makeStream()
      group.addTask { await find(on: bonjour, sender) }
      var types = FollowedTypes()
      var stops: [ServiceType: AsyncStream<Never>.Continuation] = [:]
      for await event in events {
        var actions: [FollowedTypes.Action] = []
        switch event {
        case .types(let change):
          if await handlers.search(change) { return }
          switch change {
          case .found(let found) where found.domain == domain: actions = types.found(found.type)
          case .lost(let lost) where lost.domain == domain: actions = types.lost(lost.type)
          case .found, .updated, .lost, .settled, .interrupted, .restored: break
          }
        case .ended(let type):
          stops[type] = nil
          if await handlers.end(type) { return }
          actions = types.ended(type)
        case .end(let error):
          if let error { throw error }
          return
        }
        for action in actions {
          switch action {
          case .begin(let type):
            let (stop, stopper) = AsyncStream<Never>.makeStream()
            stops[type] = stopper
            await handlers.begin(type)
            group.addTask { await follow(type, until: stop, handlers, sender) }
          case .end(let type): stops[type]?.finish()
          case .tellLimit:
            warn(
              "more than \(FollowedTypes.limit) service types are announced, and no more are browsed at a time; name the types "
                + "that you look for")
          }
        }
      }
    }
  }

  private func find(on bonjour: Bonjour, _ sender: AsyncStream<Event>.Continuation) async {
    do {
      try await bonjour.withServiceTypeBrowser(domain: domain, interfaces: interfaces) { lookup in
        for try await change in lookup.changes { sender.yield(.types(change)) }
      }
      sender.yield(.end(nil))
    } catch {
      sender.yield(.end(Task.isCancelled ? nil : error))
    }
  }

  /// Follows a type until it is enough, or the type is gone.
  private func follow(
    _ type: ServiceType, until stop: AsyncStream<Never>, _ handlers: Handlers, _ sender: AsyncStream<Event>.Continuation
  ) async {
    let isEnough = await withTaskGroup { group in
      group.addTask {
        do {
          return try await handlers.follow(type)
        } catch {
          // Anybody can announce a type that the daemon refuses.
          if !Task.isCancelled {
            warn("\(type) cannot be browsed: \((error as? DiscoveryError)?.message ?? "\(error)")")
          }
          return false
        }
      }
      group.addTask {
        for await _ in stop {}
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    sender.yield(isEnough ? .end(nil) : .ended(type))
  }
}
