import _BonjourishDiscovery
import _BonjourishTerminal

/// A line of the details.
struct DetailLine: Sendable {
  /// What stands in front of it; empty if it belongs to the line above.
  var label: String
  /// Escaped for display.
  var text: String
  /// What is copied; nil for nothing.
  var value: String?
  /// The URL that it leads to.
  var link: String?
  var style = Style.plain

  init(_ label: String, _ text: String, value: String? = nil, link: String? = nil, style: Style = .plain) {
    (self.label, self.text, self.value, self.link, self.style) = (
      label, text, value ?? (label.isEmpty ? nil : text), link, style
    )
  }
}

/// What is known of the selected service, or of its group.
extension Explorer {
  var detailLines: [DetailLine] {
    if let entry = selectedEntry { return lines(about: entry) }
    if let group = selectedGroup { return lines(about: group) }
    return []
  }

  // MARK: - A service

  private func lines(about entry: Entry) -> [DetailLine] {
    let service = entry.service
    let known = resolved[service.instance]
    let endpoint = service.endpoint ?? known?.endpoint
    let refused = service.refusedAddresses.isEmpty ? known?.refused ?? [] : service.refusedAddresses
    var lines = [DetailLine("", service.instance.name.description, value: service.instance.name.description, style: .bold)]
    let title = settings.title(service.instance.type)
    lines.append(DetailLine("type", Texts.type(of: service.instance)))
    if let title { lines.append(DetailLine("", title)) }
    if entry.mark != .lost, publications.contains(where: { $0.instance == service.instance }) {
      lines.append(DetailLine("", "published from here: d withdraws it", style: .bold))
    }
    let places = Texts.places(of: service)
    if !places.isEmpty { lines.append(DetailLine("on", places)) }
    let state = Column.remarks(on: service, entry.remarks, resolves: settings.resolves)
    let remarks = (entry.mark == .lost ? ["gone"] : []) + state
    if !remarks.isEmpty { lines.append(DetailLine("state", remarks.joined(separator: ", "))) }
    if let endpoint {
      lines += self.lines(about: endpoint, of: service.instance)
    } else if !refused.isEmpty {
      lines.append(DetailLine("address", refused.map(\.description.escapedForDisplay).joined(separator: ", "), style: .dim))
    } else if entry.mark != .lost {
      lines.append(DetailLine("", entry.remarks.isSilent ? "No host has answered." : "Waiting for a host …", style: .dim))
    }
    lines += historyLines(of: service.instance)
    lines += recordLines(of: service.instance)
    return lines
  }

  private func lines(about endpoint: Endpoint, of instance: ServiceInstance) -> [DetailLine] {
    let isHere = !addresses.isDisjoint(with: endpoint.addresses)
    var lines = [
      DetailLine("host", "\(endpoint.host)\(isHere ? ", this machine" : "")", value: "\(endpoint.host)"),
      DetailLine("port", String(endpoint.port)),
    ]
    for (place, address) in endpoint.addresses.enumerated() {
      let text = address.description.escapedForDisplay
      lines.append(DetailLine(place == 0 ? "address" : "", text, value: text))
    }
    if endpoint.addresses.isEmpty { lines.append(DetailLine("address", "none is known", style: .dim)) }
    if let url = Opening.url(of: instance, endpoint) {
      let isWeb = url.hasPrefix("http://") || url.hasPrefix("https://")
      lines.append(DetailLine("URL", url, value: url, link: isWeb ? url : nil))
    }
    for (place, entry) in Texts.entries(of: endpoint.txt).enumerated() {
      lines.append(DetailLine(place == 0 ? "TXT" : "", entry, value: entry))
    }
    return lines
  }

  /// The records with their lifetimes, where the backend tells them.
  private func recordLines(of instance: ServiceInstance) -> [DetailLine] {
    guard instance == followed, !records.isEmpty else { return [] }
    // What differs in the place alone is one line.
    var lines: [(text: String, places: [String])] = []
    for record in records {
      let data = if case .text = record.data { ", \(Texts.count(record.bytes.count, "byte"))" } else { " \(record.data)" }
      let lifetime = record.timeToLive.map { ", lives \(Texts.duration($0)) after each answer" } ?? ""
      let text = "\(record.type)\(data)\(lifetime)"
      let sender = record.sender.map { " from \($0.description.escapedForDisplay)" } ?? ""
      let left = lifetimes[record.id].map { " (\(Texts.duration($0)) left)" } ?? ""
      let place = "on \(record.link.source) over \(record.link.family == .ipv4 ? "IPv4" : "IPv6")\(sender)\(left)"
      if let known = lines.firstIndex(where: { $0.text == text }) {
        lines[known].places.append(place)
      } else {
        lines.append((text, [place]))
      }
    }
    return lines.enumerated().map { place, line in
      DetailLine(place == 0 ? "records" : "", "\(line.text), \(line.places.joined(separator: ", "))", style: .dim)
    } + [DetailLine("", "as of \(clock(recordsTime))", style: .dim)]
  }

  private func historyLines(of instance: ServiceInstance) -> [DetailLine] {
    let history = history[instance]
    var lines = history.events.map { DetailLine("", "\($0.event.words) \(clock($0.time))", style: .dim) }
    if history.droppedCount > 0 {
      lines.insert(DetailLine("", "\(Texts.count(history.droppedCount, "earlier event")) before", style: .dim), at: 0)
    }
    if let first = lines.first { lines[0] = DetailLine("history", first.text, style: .dim) }
    return lines
  }

  /// The local time of day.
  func clock(_ time: Duration) -> String { Texts.clock(settings.clock + Int(time.components.seconds)) }

  // MARK: - A group

  /// The most services whose hosts and types are looked at.
  private static let mostSummed = 1_000

  private func lines(about group: ServiceTree.Group) -> [DetailLine] {
    let entries = group.members.prefix(Self.mostSummed).map { tree[$0] }.filter { $0.mark != .lost }
    var lines = [DetailLine("", group.title, value: group.title, style: .bold)]
    if tree.grouping == .type, let first = group.members.first, let title = settings.title(tree[first].service.instance.type) {
      lines.append(DetailLine("", title))
    }
    lines.append(DetailLine("services", String(group.presentCount)))
    func add(_ label: String, _ texts: [String]) {
      for (place, text) in Set(texts).sorted().prefix(8).enumerated() {
        lines.append(DetailLine(place == 0 ? label : "", text, value: text))
      }
    }
    if tree.grouping != .type { add("types", entries.map { Texts.type(of: $0.service.instance) }) }
    if tree.grouping != .host { add("hosts", entries.compactMap { $0.service.endpoint.map { "\($0.host)" } }) }
    if tree.grouping == .host {
      add("addresses", entries.flatMap { ($0.service.endpoint?.addresses ?? []).map(\.description.escapedForDisplay) })
      if group.key == Grouping.unknownHost {
        lines.append(DetailLine("", "Services are resolved when they are selected; R resolves all.", style: .dim))
      }
    }
    if tree.grouping != .interface { add("on", entries.flatMap { $0.service.sources.map(\.description) }) }
    return lines
  }
}
