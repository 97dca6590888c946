/// The questions about an instance, and the parts of its endpoint from their answers.
extension ResolverState {
  func question(_ name: RecordQuestion.Name, _ type: RecordType) -> RecordQuestion {
    RecordQuestion(name, type, interfaces: interfaces)
  }

  func questions(of instance: ServiceInstance) -> [RecordQuestion] {
    [question(.instance(instance), .srv), question(.instance(instance), .txt)]
      + (items[instance].map { addressQuestions(of: $0) } ?? [])
  }

  func addressQuestions(of item: Item) -> [RecordQuestion] {
    guard let host = item.host else { return [] }
    return [question(.domain(host), .a), question(.domain(host), .aaaa)]
  }

  /// The host and port of the SRV record with the lowest priority. Of several, one is chosen at random by weight (RFC 2782); if
  /// none has a weight, the newest, because it may replace the others.
  func server(of instance: ServiceInstance) -> (host: DomainName, port: UInt16)? {
    var candidates: [(host: DomainName, port: UInt16, weight: UInt16)] = []
    var lowest = UInt16.max
    for record in answers[question(.instance(instance), .srv)]?.records ?? [] {
      guard case .server(let host, let port, let priority, let weight) = record.data, port != 0, priority <= lowest else {
        continue
      }
      if priority < lowest { candidates = [] }
      lowest = priority
      // Records of several links are one.
      candidates.removeAll { $0 == (host, port, weight) }
      candidates.append((host, port, weight))
    }
    let total = candidates.reduce(0) { $0 + UInt64($1.weight) }
    guard total > 0 else { return candidates.last.map { ($0.host, $0.port) } }
    // In an order of their own, so that the choice stays the same while the records do. Those without a weight come first.
    candidates.sort { ($0.weight, $0.host.text, $0.port) < ($1.weight, $1.host.text, $1.port) }
    let mark = (UInt64(draw) * (total + 1)) >> 32
    var sum: UInt64 = 0
    let chosen = candidates.first { candidate in
      sum += UInt64(candidate.weight)
      return sum >= mark
    }
    return chosen.map { ($0.host, $0.port) }
  }

  /// The newest TXT record; nil while the question is open without an answer.
  ///
  /// A service may have none, although RFC 6763 §6.1 forbids that. Then the record is the last reported one, because a service
  /// that says goodbye withdraws its records one by one, or an empty one.
  func text(of instance: ServiceInstance) -> TXTRecord? {
    guard let answer = answers[question(.instance(instance), .txt)] else { return nil }
    for record in answer.records.reversed() {
      if case .text(let txt) = record.data { return txt }
    }
    return answer.isSettled && !answer.hasFailed ? items[instance]?.endpoint?.txt ?? TXTRecord() : nil
  }

  func addresses(of item: Item) -> [IPAddress] {
    var addresses: [IPAddress] = []
    for record in addressQuestions(of: item).flatMap({ answers[$0]?.records ?? [] }) {
      guard case .address(let address) = record.data, address.isUnicast, !addresses.contains(address) else { continue }
      addresses.append(address)
    }
    return addresses.inOrderOfPreference
  }

  /// The time until which to wait for more addresses; nil to wait as long as a host may answer.
  ///
  /// Link-local addresses alone set no deadline: a host that has just announced its other addresses may not repeat them for a
  /// second (RFC 6762 §6).
  func addressDeadline(of item: Item) -> ContinuousClock.Instant? {
    guard !addresses(of: item).allSatisfy(\.isLinkLocal) else { return nil }
    return addressQuestions(of: item).compactMap { answers[$0]?.answeredAt }.min().map { $0 + limits.addressPatience }
  }

  /// Whether no more addresses are expected: both questions have settled or have records from the cache, or the deadline has
  /// passed.
  func hasAllAddresses(_ item: Item, at now: ContinuousClock.Instant) -> Bool {
    let both = addressQuestions(of: item).compactMap { answers[$0] }
    if both.allSatisfy({ $0.isSettled || ($0.isCacheExhausted && !$0.records.isEmpty) }) { return true }
    return addressDeadline(of: item).map { $0 <= now } ?? false
  }
}
