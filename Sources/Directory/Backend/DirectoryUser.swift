import DirectoryProtocol
import Discovery

/// An operation that follows records of a directory.
enum DirectoryUser {
  case browse(BrowseQuery, (BrowseEvent) -> Void)
  case lookUp(RecordQuestion, DirectoryKey, (LookupEvent) -> Void)

  func interrupt(_ error: DiscoveryError) {
    switch self {
    case .browse(_, let handler): handler(.interrupted(error))
    case .lookUp(_, _, let handler): handler(.interrupted(error))
    }
  }

  func restore() {
    switch self {
    case .browse(_, let handler): handler(.restored)
    case .lookUp(_, _, let handler): handler(.restarted)
    }
  }

  func settle() {
    switch self {
    case .browse(_, let handler): handler(.settled)
    case .lookUp(_, _, let handler):
      handler(.cacheExhausted)
      handler(.settled)
    }
  }

  func change(from former: DirectoryRecord?, to record: DirectoryRecord?, in region: Region) {
    switch self {
    case .browse(let query, let handler):
      let before = former?.link(for: query, in: region)
      let after = record?.link(for: query, in: region)
      guard let one = record ?? former else { return }
      let instance = ServiceInstance(one.name, type: one.type)
      if query.wantsEndpoints, let after, let endpoint = record?.endpoint(in: region),
        before == nil || endpoint != former?.endpoint(in: region)
      {
        handler(.described(instance, endpoint, after.source))
      }
      guard before != after else { return }
      if let after { handler(.appeared(instance, after)) }
      if let before { handler(.vanished(instance, before)) }
    case .lookUp(let question, let key, let handler):
      let before = former?.answers(to: question, about: key, in: region) ?? []
      let after = record?.answers(to: question, about: key, in: region) ?? []
      for answer in before where !after.contains(answer) { handler(.removed(answer)) }
      for answer in after where !before.contains(answer) { handler(.added(answer)) }
    }
  }
}

extension DirectoryRecord {
  /// The link that the service is seen on by those who browse: of the first of its families that they use.
  fileprivate func link(for query: BrowseQuery, in region: Region) -> Link? {
    if let subtype = query.subtype, !subtypes.contains(subtype) { return nil }
    return IPAddress.Family.allCases.first { families.contains($0) && query.interfaces.contains($0) }
      .map { Link(.directory(region.text), $0) }
  }

  fileprivate func answers(to question: RecordQuestion, about key: DirectoryKey, in region: Region) -> [ResourceRecord] {
    guard self.key(in: region) == key else { return [] }
    // What is no address is the same over both families.
    return answers(to: question, in: region).filter { answer in
      (answer.type != .a && answer.type != .aaaa) || question.interfaces.contains(answer.link.family)
    }
  }
}

extension JetStreamFailure {
  func during(_ action: String) -> DiscoveryError {
    DiscoveryError(isNotPermitted ? .notPermitted : isFinal ? .refused : .unavailable, "\(action): \(text)")
  }
}
