/// The questions about an instance, and the parts of its endpoint from their answers.
extension ResolverState {
  func question(_ name: RecordQuestion.Name, _ type: RecordType) -> RecordQuestion {
    RecordQuestion(name, type, interfaces: interfaces)
  }

  func questions(of instance: ServiceInstance, host: DomainName?) -> [RecordQuestion] {
    [question(.instance(instance), .srv), question(.instance(instance), .txt)] + addressQuestions(of: host)
  }

  func addressQuestions(of host: DomainName?) -> [RecordQuestion] {
    guard let host else { return [] }
    return [question(.domain(host), .a), question(.domain(host), .aaaa)]
  }

  /// The chosen server of an instance.
  func server(of instance: ServiceInstance) -> Server? { answers[question(.instance(instance), .srv)]?.state.server }

  /// The newest TXT record that the host of the SRV record has sent; nil while the question is open without an answer.
  ///
  /// A service may have none, although RFC 6763 §6.1 forbids that. Then the record is the last reported one, because a service
  /// that says goodbye withdraws its records one by one, or an empty one. One that only another host has sent counts when the host
  /// of the SRV record has had its time to send its own.
  mutating func text(of instance: ServiceInstance, at addresses: [IPAddress], _ now: ContinuousClock.Instant) -> TXTRecord? {
    guard let answer = answers[question(.instance(instance), .txt)]?.state else { return nil }
    let senders = answers[question(.instance(instance), .srv)]?.state.serverSenders
    if let text = answer.text(from: senders, at: addresses) {
      foreignTexts[instance] = nil
      return text
    }
    if let foreign = answer.texts.last?.txt {
      let deadline = foreignTexts[instance] ?? now + limits.pairing
      foreignTexts[instance] = deadline
      if case .inFlight(let giveUpAt)? = items[instance]?.phase, giveUpAt <= now { return foreign }
      return deadline <= now ? foreign : nil
    }
    return answer.isSettled && !answer.hasFailed ? items[instance]?.endpoint?.txt ?? TXTRecord() : nil
  }

  /// What is known of the addresses of a host.
  func addresses(of host: DomainName) -> HostAnswer {
    HostAnswer(addressQuestions(of: host).compactMap { answers[$0]?.state }, timeout: limits.addressTimeout)
  }
}

/// The answers to the questions for the addresses of a host.
struct HostAnswer {
  private let answers: [LookupAnswer.State]
  /// The addresses in the order in which to try them.
  let addresses: [IPAddress]
  /// The time until which to wait for more addresses; nil to wait as long as a host may answer.
  ///
  /// Link-local addresses alone set no deadline: a host that has just announced its other addresses may not repeat them for a
  /// second (RFC 6762 §6).
  let deadline: ContinuousClock.Instant?

  init(_ answers: [LookupAnswer.State], timeout: Duration) {
    self.answers = answers
    addresses = answers.flatMap(\.addresses).inOrderOfPreference
    let first = addresses.allSatisfy(\.isLinkLocal) ? nil : answers.compactMap(\.answeredAt).min()
    deadline = first.map { $0 + timeout }
  }

  /// Whether no more addresses are expected: both questions have settled or have records from the cache, or the deadline has
  /// passed.
  func isWhole(at now: ContinuousClock.Instant) -> Bool {
    if answers.allSatisfy({ $0.isSettled || ($0.isCacheExhausted && !$0.isEmpty) }) { return true }
    return deadline.map { $0 <= now } ?? false
  }

  /// Whether it is asked for again after an interruption, and not all hosts that answer at once have answered.
  var isRenewed: Bool { answers.contains(where: \.isRenewed) }

  /// Whether all hosts that answer at once have said nothing.
  var isReliablyEmpty: Bool { !answers.isEmpty && answers.allSatisfy { $0.isReliable && $0.isEmpty } }
}

extension LookupAnswer.State {
  /// Whether all hosts that answer at once have had the time to do so.
  var isReliable: Bool { isSettled && !hasFailed }
}
