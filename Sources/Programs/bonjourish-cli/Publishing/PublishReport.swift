import Bonjourish
import _BonjourishConsole
import _BonjourishJSONOutput

/// What `publish` writes about what it publishes, and tells the service manager.
actor PublishReport {
  /// Something that is published.
  enum Subject: Hashable {
    case service(Bonjour.Service)
    case host(Bonjour.Host)
    case records(Int)
  }

  /// Where the report goes.
  struct Output: Sendable {
    let json: Bool
    let write: @Sendable (String) -> Void
    let warn: @Sendable (String) -> Void
    let tell: @Sendable ([ServiceManager.State]) -> Void
  }

  private struct Item {
    let subject: Subject
    /// The current name of a service.
    var name: String
    /// Whether it has been established, or has not been for some seconds.
    var hasBegun = false
    /// Whether `published` has been written.
    var isPublished = false
    var isInterrupted = false
  }

  private let output: Output
  private var items: [Item]
  /// The reason of the last interruption.
  private var reason = ""
  private var isReady = false

  init(_ subjects: [Subject], _ output: Output) {
    self.output = output
    items = subjects.map { subject in
      if case .service(let service) = subject {
        Item(subject: subject, name: service.name.text)
      } else {
        Item(subject: subject, name: "")
      }
    }
  }

  /// A subject has been established, or cannot be for now.
  ///
  /// - Parameters:
  ///   - name: The name that the service got; nil for other subjects.
  ///   - interruption: The reason why it cannot be found now.
  func began(_ index: Int, as name: InstanceName?, interruption: DiscoveryError?) {
    items[index].hasBegun = true
    if let name { rename(index, to: name) }
    if interruption == nil { showPublished(index) }
    tellManager()
  }

  func show(_ event: ServiceEvent, of index: Int) {
    switch event {
    case .renamed(_, let name):
      // The events begin with the current name, which has already been shown.
      if case .service = items[index].subject { rename(index, to: name) }
    case .interrupted(let error):
      reason = error.message
      let isFirst = !items.contains(where: \.isInterrupted)
      items[index].isInterrupted = true
      if isFirst { interruption("interrupted", reason) }
    case .restored:
      let wasInterrupted = items[index].isInterrupted
      items[index].isInterrupted = false
      if !items[index].isPublished {
        showPublished(index)
      } else if wasInterrupted, !items.contains(where: \.isInterrupted) {
        interruption("restored", nil)
      }
    }
    tellManager()
  }

  /// A subject was withdrawn.
  func withdrew(_ index: Int) {
    guard items[index].isPublished else { return }
    write("withdrawn", index) { "withdrew \($0)" }
  }

  /// Whether everything has been published.
  var isComplete: Bool { publishedCount == items.count }

  /// The number of those that have been published.
  var publishedCount: Int { items.count(where: \.isPublished) }

  // MARK: - Lines

  private func showPublished(_ index: Int) {
    guard !items[index].isPublished else { return }
    items[index].isPublished = true
    items[index].isInterrupted = false
    let details =
      switch items[index].subject {
      case .service(let service):
        " as \(service.type), port \(service.port)" + (service.host.map { ", of \(Line.word($0.name.text))" } ?? "")
      case .host(let host): ": \(host.addresses.map { Line.word($0.description) }.joined(separator: ", "))"
      case .records: ""
      }
    write("published", index) { "published \($0)\(details)" }
  }

  private func rename(_ index: Int, to name: InstanceName) {
    let former = items[index].name
    guard former != name.text else { return }
    items[index].name = name.text
    write("renamed", index, from: former) { "\(Line.quoted(former)) is taken; the service is now named \($0)" }
  }

  private func interruption(_ event: String, _ reason: String?) {
    if output.json {
      output.write(JSONLine.text(of: JSONEvent(InterruptionEvent(event: event, reason: reason))))
    } else {
      let many = items.count > 1 ? "all is published again" : "the service is published again"
      output.warn(reason ?? "discovery works again; \(many)")
    }
  }

  private func write(_ event: String, _ index: Int, from former: String? = nil, _ line: (String) -> String) {
    let item = items[index]
    switch (item.subject, output.json) {
    case (.service(let service), true):
      let published = PublishEvent(
        event: event, name: item.name, type: service.type.description, from: former, port: service.port,
        host: service.host?.name.text)
      output.write(JSONLine.text(of: JSONEvent(published)))
    case (.host(let host), true):
      let published = PublishedHostEvent(event: event, host: host.name.text, addresses: host.addresses.map(\.description))
      output.write(JSONLine.text(of: JSONEvent(published)))
    case (.records(let count), true):
      output.write(JSONLine.text(of: JSONEvent(PublishedRecordsEvent(event: event, records: count))))
    case (.service, false): output.write(line(Line.quoted(item.name)))
    case (.host(let host), false): output.write(line("the host \(Line.word(host.name.text))"))
    case (.records(let count), false): output.write(line(count == 1 ? "1 record" : "\(count) records"))
    }
  }

  // MARK: - The service manager

  /// Tells the state, and that the program is ready once every name is established or known to have to wait.
  private func tellManager() {
    guard items.allSatisfy(\.hasBegun) else { return }
    let published = items.count { $0.isPublished && !$0.isInterrupted }
    let state = "published \(published) of \(items.count)\(published < items.count && !reason.isEmpty ? "; \(reason)" : "")"
    output.tell((isReady ? [] : [.ready]) + [.status(state)])
    isReady = true
  }
}
