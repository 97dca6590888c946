/// Notices that a resolved instance has lost the records of its endpoint.
extension ResolverState {
  /// Suspects a followed instance that lacks records. One in flight has until its timeout ends.
  mutating func review(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard case .followed? = items[instance]?.phase, lacksRecords(instance) else { return [] }
    return suspect(instance, at: now)
  }

  /// Whether the engine has asked for the SRV record or the addresses, and knows none.
  func lacksRecords(_ instance: ServiceInstance) -> Bool {
    guard let server = answers[question(.instance(instance), .srv)]?.state, server.isReliable else { return false }
    if server.isEmpty { return true }
    return items[instance]?.host.map { addresses(of: $0).isReliablyEmpty } ?? false
  }

  mutating func suspect(_ instance: ServiceInstance, at now: ContinuousClock.Instant) -> [Effect] {
    guard let item = items[instance], item.endpoint != nil, item.absence != .lost, suspects[instance] == nil else { return [] }
    items[instance]!.absence = .suspected
    suspects[instance] = now + limits.suspicion
    return [.suspected(instance)]
  }

  /// Reports a suspected instance as lost. Its questions stay open, so that it is found again when a host answers.
  mutating func giveUp(_ instance: ServiceInstance) -> [Effect] {
    suspects[instance] = nil
    // After an interruption the questions are asked again, and what they bring decides.
    if case .followed? = items[instance]?.phase, !lacksRecords(instance) { return [] }
    items[instance]!.absence = .lost
    return [.lost(instance)]
  }
}
