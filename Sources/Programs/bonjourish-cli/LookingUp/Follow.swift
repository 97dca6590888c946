import Bonjourish
import _BonjourishConsole

/// Writes the elements of a lookup while they come and go, for `domains` and `query`.
struct Follow<Element: Identifiable & Hashable & Sendable>: Sendable where Element.ID: Sendable {
  /// What is said if nothing was found, as a sentence.
  let nothing: String
  /// Whether to stop when all hosts that answer at once have answered.
  let once: Bool
  let json: Bool
  /// The line of an element.
  let line: @Sendable (Element) -> String
  /// Writes an event about an element in JSON.
  let writeEvent: @Sendable (_ event: String, Element) -> Void
  /// The lines of all elements that are there at the end, in place of a line of each change; nil for the latter.
  var list: (@Sendable ([Element]) -> [String])?

  /// Returns whether anything was found, and the reason why something may be missing.
  func run(_ lookup: Lookup<Element>) async throws -> (wasFound: Bool, outage: DiscoveryError?) {
    var outage: DiscoveryError?
    var wasFound = false
    var present: [Element.ID: Element] = [:]
    defer {
      if !json, let list, !present.isEmpty { list(Array(present.values)).forEach { Output.standard.line($0) } }
    }
    for try await change in lookup.changes {
      switch change {
      case .found(let element):
        wasFound = true
        present[element.id] = element
        write("found", "+", element)
      case .updated(let element):
        present[element.id] = element
        write("updated", "~", element)
      case .lost(let element):
        present[element.id] = nil
        write("lost", "-", element)
      case .settled:
        if json { Output.standard.event(InterruptionEvent(event: "settled", reason: nil)) }
        if once { return (wasFound, nil) }
      case .interrupted(let error):
        outage = error
        write("interrupted", error.message)
      case .restored:
        outage = nil
        write("restored", nil)
      }
    }
    return (wasFound, outage)
  }

  private func write(_ event: String, _ sign: String, _ element: Element) {
    if json { writeEvent(event, element) } else if list == nil { Output.standard.line("\(sign) \(line(element))") }
  }

  private func write(_ event: String, _ reason: String?) {
    if json {
      Output.standard.event(InterruptionEvent(event: event, reason: reason))
    } else {
      diagnostics.warning(reason ?? "discovery works again")
    }
  }

  /// Follows a lookup for a time, and says so if nothing was found in it.
  ///
  /// - Parameters:
  ///   - limit: The time; nil for no limit.
  ///   - begin: Begins the lookup, and calls its argument with it.
  /// - Throws: The reason why something may be missing, if the list was to be complete; a ``Failure`` with code ``ExitCode/negative`` if
  ///   nothing was found.
  func run(
    for limit: Duration?,
    _ begin: @escaping @Sendable (_ body: @Sendable (Lookup<Element>) async throws -> Void) async throws -> Void
  ) async throws {
    let (results, report) = AsyncStream<(wasFound: Bool, outage: DiscoveryError?)>.makeStream()
    try await forAtMost(limit) { try await begin { lookup in report.yield(try await run(lookup)) } }
    report.finish()
    if Task.isCancelled { return }
    for await result in results {
      if once, let outage = result.outage { throw outage }
      guard limit != nil, !result.wasFound else { continue }
      if !json { Output.error.line(nothing) }
      throw Failure(.negative, "")
    }
  }
}
