/// What is asked about an instance, and what the answers to it come to.
extension ResolverState {
  func question(_ name: RecordQuestion.Name, _ kind: RecordKind) -> RecordQuestion {
    RecordQuestion(name, kind, on: interface)
  }

  func questions(of instance: ServiceInstance) -> [RecordQuestion] {
    [question(.instance(instance), .srv), question(.instance(instance), .txt)]
      + (items[instance].map { addressQuestions(of: $0) } ?? [])
  }

  func addressQuestions(of item: Item) -> [RecordQuestion] {
    guard let host = item.host else { return [] }
    return [question(.host(host), .a), question(.host(host), .aaaa)]
  }

  /// The server to use: of the lowest priority (RFC 2782), and the newest of these.
  func server(of instance: ServiceInstance) -> (host: DomainName, port: UInt16)? {
    var best: (host: DomainName, port: UInt16, priority: UInt16)?
    for record in answers[question(.instance(instance), .srv)]?.records ?? [] {
      guard case .server(let host, let port, let priority, weight: _) = record.data, port != 0 else { continue }
      if priority <= best?.priority ?? .max { best = (host, port, priority) }
    }
    return best.map { ($0.host, $0.port) }
  }

  /// The newest TXT record. When there is none, which RFC 6763 §6.1 forbids but happens, the one reported last: a service that
  /// says goodbye takes its records back one by one. An empty one when there was none ever.
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
    return addresses.sorted { ($0.preference, $0.description) < ($1.preference, $1.description) }
  }

  /// Until when more addresses are waited for; nil for as long as somebody may answer.
  ///
  /// An address that is good on one link only is worth little: one that has just told the network of its others may have to
  /// wait for a second before it says them again (RFC 6762 §6).
  func addressDeadline(of item: Item) -> ContinuousClock.Instant? {
    guard !addresses(of: item).allSatisfy(\.isLinkLocal) else { return nil }
    return addressQuestions(of: item).compactMap { answers[$0]?.answeredAt }.min().map { $0 + limits.addressPatience }
  }

  /// Whether it is not worth while to wait for more addresses: both families have answered, or nobody will any more.
  func hasAllAddresses(_ item: Item, at now: ContinuousClock.Instant) -> Bool {
    let both = addressQuestions(of: item).compactMap { answers[$0] }
    if both.allSatisfy({ $0.isSettled || ($0.isCacheExhausted && !$0.records.isEmpty) }) { return true }
    return addressDeadline(of: item).map { $0 <= now } ?? false
  }
}
