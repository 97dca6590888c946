import Bonjourish
import Console

/// `bonjourish browse`
struct Browse {
  private let type: ServiceType
  private let subtype: ServiceSubtype?
  private let interface: NetworkInterface?
  private let resolves: Bool
  private let hints: Bool
  private let once: Bool
  private let json: Bool
  let duration: Duration?

  /// The longest time that `--once` waits for services that do not answer.
  private static let longestOnce: Duration = .seconds(10)

  init(_ arguments: Arguments) throws {
    (subtype, type) = try Self.kind(arguments[Commands.sought])
    interface = try arguments.interface()
    resolves = arguments[Commands.resolve]
    hints = arguments[Commands.hints]
    once = arguments[Commands.once]
    json = arguments[Commands.json]
    duration = once ? Self.longestOnce : arguments[Commands.duration]
    guard !once || arguments[Commands.duration] == nil else {
      throw Commands.browse.usageError("--once and --for exclude each other; give one of them")
    }
  }

  /// Parses a type, or `SUBTYPE._sub.TYPE`.
  private static func kind(_ text: String) throws(DiscoveryError) -> (ServiceSubtype?, ServiceType) {
    var labels = text.split(separator: ".", omittingEmptySubsequences: false)
    if labels.last == "" { labels.removeLast() }
    guard labels.count > 3, labels[labels.count - 3].lowercased() == "_sub" else { return (nil, try ServiceType(text)) }
    let type = try ServiceType(labels.suffix(2).joined(separator: "."))
    return (try ServiceSubtype(labels.dropLast(3).joined(separator: ".")), type)
  }

  func run(on bonjour: Bonjour) async throws {
    let outage: DiscoveryError? = try await bonjour.withBrowser(
      for: type, subtype: subtype, interface: interface, resolving: resolves, hints: hints
    ) { browser in
      var outage: DiscoveryError?
      for try await change in browser.changes {
        show(change)
        switch change {
        case .settled: if once { return nil }
        case .interrupted(let error): outage = error
        case .restored: outage = nil
        case .found, .updated, .lost: break
        }
      }
      return outage
    }
    // An empty list would be taken for the truth.
    if once, let outage { throw outage }
  }

  private func show(_ change: BrowseChange) {
    if json { return Output.standard.json(ChangeRecord(change, of: type, hints: hints)) }
    switch change {
    case .found(let service): Output.standard.line("+ " + line(service))
    case .updated(let service): Output.standard.line("~ " + line(service))
    case .lost(let service): Output.standard.line("- \(service.instance.name)")
    // Only `--json` shows this.
    case .settled: return
    case .interrupted(let error): diagnostics.warning(error.message)
    case .restored: diagnostics.warning("discovery works again")
    }
  }

  /// The service's name, endpoint if known, interfaces and remarks.
  private func line(_ service: DiscoveredService) -> String {
    var remarks = [service.interfaces.map(\.name).joined(separator: ",")]
    if resolves, service.endpoint == nil { remarks.append("does not answer") }
    switch service.presence {
    case .present: break
    case .leaving: remarks.append("said goodbye")
    case .suspect: remarks.append("may be gone")
    }
    let place = service.endpoint.map { "  \($0.line)" } ?? ""
    return "\(service.instance.name)\(place)  (\(remarks.joined(separator: "; ")))"
  }
}

extension Endpoint {
  /// Host, port, addresses and TXT record on one line.
  var line: String {
    let txt = txt.isEmpty ? "" : "  \(txt)"
    return "\(host):\(port)  \(addresses.map(\.description).joined(separator: " "))\(txt)"
  }
}
