import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

/// An operation that follows records of a directory.
struct DirectoryUser {
  let question: RecordQuestion
  /// The service that it is about; nil for a browse, which is about all of its type.
  let key: DirectoryKey?
  let handler: (LookupEvent) -> Void

  func interrupt(_ error: DiscoveryError) { handler(.interrupted(error)) }

  func restore() { handler(.restarted) }

  func settle() {
    handler(.cacheExhausted)
    handler(.settled)
  }

  func change(from former: DirectoryRecord?, to record: DirectoryRecord?, in region: Region) {
    if let query = question.browse { return list(former, record, query, in: region) }
    guard let key else { return }
    let before = former?.answers(to: question, about: key, in: region) ?? []
    let after = record?.answers(to: question, about: key, in: region) ?? []
    for answer in before where !after.contains(answer) { handler(.removed(answer)) }
    for answer in after where !before.contains(answer) { handler(.added(answer)) }
  }

  /// Tells a browse what is listed now. A service that changes its family is never gone in between.
  private func list(_ former: DirectoryRecord?, _ record: DirectoryRecord?, _ query: BrowseQuery, in region: Region) {
    let before = former?.link(for: query, in: region)
    let after = record?.link(for: query, in: region)
    guard let one = record ?? former else { return }
    if query.wantsEndpoints, let after, let endpoint = record?.endpoint(in: region),
      before == nil || endpoint != former?.endpoint(in: region)
    {
      handler(.described(ServiceInstance(one.name, type: one.type), endpoint, after.source))
    }
    guard before != after, case .domain(let name) = question.name else { return }
    if let after, let pointer = one.pointer(from: name, on: after) { handler(.added(pointer)) }
    if let before, let pointer = one.pointer(from: name, on: before) { handler(.removed(pointer)) }
  }
}

extension DirectoryRecord {
  /// The link that the service is seen on by those who browse: of the first of its families that they use.
  fileprivate func link(for query: BrowseQuery, in region: Region) -> Link? {
    if let subtype = query.subtype, !subtypes.contains(subtype) { return nil }
    return IPAddress.Family.allCases.first { families.contains($0) && query.interfaces.contains($0) }
      .map { Link(.directory(region.text), $0) }
  }

  /// The record that lists the service to those who browse.
  fileprivate func pointer(from name: DomainName, on link: Link) -> ResourceRecord? {
    (try? ServiceInstance(self.name, type: type).fullName).map {
      ResourceRecord(
        name: name, type: .ptr, bytes: $0.wire, timeToLive: RecordLease.standard.duration, isUnique: false, on: link)
    }
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
    DiscoveryError(isNotPermitted ? .notPermitted : isFinal ? .refused : .unavailable, "\(action): \(text)", because: self)
  }
}
