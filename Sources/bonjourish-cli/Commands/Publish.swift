import Bonjourish
import Console

/// `bonjourish publish`
struct Publish {
  private let name: InstanceName
  private let type: ServiceType
  private let subtypes: Set<ServiceSubtype>
  private let port: UInt16
  private let txt: TXTRecord
  private let domain: DomainName
  private let interfaces: InterfaceSelection
  private let json: Bool
  private let showsReach: Bool
  let duration: Duration?

  init(_ arguments: Arguments) throws {
    name = try InstanceName(arguments[Commands.name])
    type = try ServiceType(shorthand: arguments[Commands.type])
    try type.checkForPublishing()
    subtypes = Set(try arguments[Commands.subtypes].map { try ServiceSubtype($0) })
    port = UInt16(arguments[Commands.port])
    txt = try TXTRecord(pairs: arguments[Commands.pairs])
    domain = try arguments.domain()
    interfaces = try arguments.interfaces()
    json = arguments[Commands.json]
    showsReach = json && arguments[Commands.verbose]
    duration = arguments[Commands.duration]
  }

  func run(on bonjour: Bonjour) async throws {
    let last = try await bonjour.withPublishedService(
      named: name, type: type, subtypes: subtypes, domain: domain, port: port, txt: txt, interfaces: interfaces
    ) { service in
      async let _: Void = showReach(of: service.reachChanges, if: showsReach)
      var current = await service.name
      if current != name { show(.renamed(from: name, to: current)) }
      // Without the daemon, publishing can take a while.
      var isPublished = await service.interruption == nil
      if isPublished { showPublished(current) }
      for try await event in service.events {
        switch event {
        case .renamed(_, let new):
          // The sequence begins with the current name, which has already been shown.
          guard new != current else { continue }
          current = new
        case .restored where !isPublished:
          isPublished = true
          showPublished(current)
          continue
        case .interrupted, .restored:
          break
        }
        show(event)
      }
      // Its time is over, and nobody could find it.
      if !isPublished, duration != nil, let outage = await service.interruption { throw outage }
      return isPublished ? current : nil
    }
    if let last { show("withdrawn", last, for: "withdrew \(Line.quoted(last.text))") }
  }

  private func showPublished(_ name: InstanceName) {
    show("published", name, for: "published \(Line.quoted(name.text)) as \(type), port \(port)")
  }

  private func show(_ event: ServiceEvent) {
    switch event {
    case .renamed(let former, let new):
      if json {
        Output.standard.record(PublishRecord(event: "renamed", name: new.text, from: former.text, port: port))
      } else {
        Output.standard.line("\(Line.quoted(former.text)) is taken; the service is now named \(Line.quoted(new.text))")
      }
    case .interrupted(let error):
      if json {
        Output.standard.record(InterruptionRecord(event: "interrupted", reason: error.message))
      } else {
        diagnostics.warning(error.message)
      }
    case .restored:
      if json {
        Output.standard.record(InterruptionRecord(event: "restored", reason: nil))
      } else {
        diagnostics.warning("discovery works again; the service is published again")
      }
    }
  }

  private func show(_ event: String, _ name: InstanceName, for people: String) {
    if json {
      Output.standard.record(PublishRecord(event: event, name: name.text, from: nil, port: port))
    } else {
      Output.standard.line(people)
    }
  }
}

extension TXTRecord {
  /// Parses the operands of the command line: `key=value`, or `key` for a flag.
  fileprivate init(pairs: [String]) throws(DiscoveryError) {
    self.init()
    for pair in pairs {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      try set(parts.count == 2 ? Value(String(parts[1])) : .flag, for: String(parts[0]))
    }
  }
}
