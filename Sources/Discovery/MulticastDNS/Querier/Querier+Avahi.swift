/// Finds services whose names avahi-daemon 0.8 and older cannot read in questions: see ``DNSName/isTooLongForAvahi``.
///
/// They do not answer when such a service is asked for. But they send its records along when they are asked for its type
/// (RFC 6763 §12.1).
extension Querier {
  /// The instances with such names that are asked for now, and about which nothing has been heard since they were asked for before.
  func instancesUnansweredByAvahi(_ due: [(key: HashedKey, slot: Int?)]) -> [DNSName] {
    var instances: [DNSName] = []
    var seen: Set<DNSName> = []
    for (key, slot) in due where key.type == .srv || key.type == .txt {
      guard key.name.isTooLongForAvahi, !wasAnswered(key, slot), seen.insert(key.name).inserted else { continue }
      instances.append(key.name)
    }
    return instances
  }

  /// Whether a record has come since the query before the last one.
  private func wasAnswered(_ key: HashedKey, _ slot: Int?) -> Bool {
    guard let record = cache.latest(of: key) else { return false }
    guard let askedBefore = slot.flatMap({ questions[$0].askedBefore }) else { return true }
    return cache[record].standing == .own || cache[record].received >= askedBefore
  }

  /// The questions for the types of instances.
  func types(of instances: [DNSName]) -> [HashedKey] {
    var types: [HashedKey] = []
    for type in instances.compactMap(\.parent).map({ HashedKey(name: $0, type: .ptr) }) where !types.contains(type) {
      types.append(type)
    }
    return types
  }
}
