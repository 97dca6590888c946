import Bonjourish
import _BonjourishConsole
import _BonjourishMulticastDNS

/// What `bonjourish reflect` writes.
struct ReflectReport: Sendable {
  private let plan: ReflectPlan
  private let json: Bool
  private let isDry: Bool
  private let isVerbose: Bool

  init(_ plan: ReflectPlan, json: Bool, isDry: Bool, isVerbose: Bool) {
    (self.plan, self.json, self.isDry, self.isVerbose) = (plan, json, isDry, isVerbose)
  }

  /// Whether each question and record matters.
  var showsNotes: Bool { isDry || isVerbose }

  // MARK: - State

  func show(usable: [String]) {
    let missing = plan.names.filter { !usable.contains($0) }
    let text =
      missing.isEmpty
      ? isDry
        ? "listening on \(Self.list(plan.names)); what would cross is shown when a host says or asks something"
        : "reflecting between \(Self.list(plan.names))"
      : "waiting for \(Self.list(missing)), which cannot be used now"
    if json { Output.standard.event(ReflectingEvent(interfaces: usable, missing: missing)) }
    if missing.isEmpty {
      // Else a dry run in a quiet network would say nothing at all.
      if isDry, !json { Output.error.line("bonjourish: \(text)") } else { diagnostics.detail(text) }
    } else if !json {
      diagnostics.warning(text)
    }
    // Also ready if an interface is missing: it may come later, and the others are served.
    ServiceManager.current?.tell(.ready, .status(text))
  }

  private static func list(_ names: [String]) -> String {
    names.count > 1 ? "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])" : names.joined()
  }

  // MARK: - Questions and records

  func show(_ note: Reflector.Note) {
    // What crosses is shown only if it does not really.
    guard note.keptBy == nil ? isDry : isVerbose else { return }
    let rule = note.keptBy.map { plan.text($0, of: note.direction) }
    if json {
      Output.standard.event(
        CrossingEvent(note, from: plan.name(note.direction.from), to: plan.name(note.direction.to), rule: rule))
      return
    }
    let line = line(of: note, rule)
    if isDry { Output.standard.line(line) } else { diagnostics.detail(line) }
  }

  private func line(of note: Reflector.Note, _ rule: String?) -> String {
    let (from, to) = (Line.word(plan.name(note.direction.from)), Line.word(plan.name(note.direction.to)))
    let kept = rule.map { " (\($0))" } ?? ""
    switch note.subject {
    case .question(let question):
      let name = Line.word(question.name.description)
      let type = RecordType(rawValue: question.type.rawValue)
      return "\(rule == nil ? "+" : "-") \(to) > \(from) question \(name) \(type)\(kept)"
    case .record(let record):
      return "\(rule == nil ? "+" : "-") \(from) > \(to) record \(Line.word(record.name.description)) \(record.timeToLive) "
        + "\(RecordType(rawValue: record.type.rawValue)) \(CrossingEvent.data(of: record))\(kept)"
    }
  }

  // MARK: - Statistics

  func show(_ counters: ReflectionCounters) {
    if json { return Output.standard.event(ReflectionEvent(counters, plan)) }
    for line in lines(of: counters) { Output.error.line("bonjourish: \(line)") }
  }

  /// Lines of numbers, without those that are 0.
  func lines(of counters: ReflectionCounters) -> [String] {
    var lines = [
      "heard: "
        + Self.list([
          (counters.queriesHeard, "queries"), (counters.responsesHeard, "responses"), (counters.own, "of this machine"),
          (counters.malformed, "malformed"), (counters.ignored, "ignored"), (counters.repeaters, "other reflectors noticed"),
        ])
    ]
    for (number, sent) in counters.sent.sorted(by: { $0.key < $1.key }) {
      lines.append("sent on \(plan.name(number)): \(Self.list([(sent.datagrams, "datagrams"), (sent.bytes, "bytes")]))")
    }
    for (direction, passage) in counters.passages.sorted(by: { $0.key < $1.key }) {
      let title = "services of \(plan.name(direction.from)) on \(plan.name(direction.to))"
      lines.append(
        "\(title): "
          + Self.list([
            (passage.questions, "questions"), (passage.records, "records"), (passage.goodbyes, "goodbyes"),
            (passage.unicastRecords, "records by unicast"),
          ]))
      let kept = passage.kept.map { (plan.text($0.key, of: direction), $0.value) }.sorted { $0.0 < $1.0 }
      lines += kept.map { "\(title), kept back: \($0.1) (\($0.0))" }
    }
    return lines
  }

  private static func list(_ numbers: [(Int, String)]) -> String {
    let shown = numbers.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }
    return shown.isEmpty ? "nothing" : shown.joined(separator: ", ")
  }
}

// MARK: - JSON

/// The line of `reflect --json` when interfaces have come or gone.
private struct ReflectingEvent: Encodable {
  private let event = "reflecting"
  let interfaces: [String]
  let missing: [String]
}

/// A line of `reflect --json` with `--dry-run` or `--verbose`: a question or a record.
private struct CrossingEvent: Encodable {
  private let event: String
  private let kind: String
  private let from: String
  private let to: String
  private let name: String
  private let type: String
  private let ttl: UInt32?
  private let data: String?
  private let rule: String?

  /// - Parameters:
  ///   - from: The interface whose services it is about.
  ///   - to: The one on which they are seen.
  init(_ note: Reflector.Note, from: String, to: String, rule: String?) {
    event = rule == nil ? "crossed" : "kept"
    self.rule = rule
    switch note.subject {
    case .question(let question):
      (kind, self.from, self.to) = ("question", to, from)
      (name, type) = (question.name.description, RecordType(rawValue: question.type.rawValue).description)
      (ttl, data) = (nil, nil)
    case .record(let record):
      (kind, self.from, self.to) = ("record", from, to)
      (name, type) = (record.name.description, RecordType(rawValue: record.type.rawValue).description)
      (ttl, data) = (record.timeToLive, Self.data(of: record))
    }
  }

  /// The data as in a zone file.
  static func data(of record: DNSRecord) -> String {
    let bytes = record.data.uncompressed
    let type = RecordType(rawValue: record.type.rawValue)
    return Line.data(RecordData(type, bytes, seenOn: nil), bytes, atMost: ShownDatagram.mostDataBytes)
  }
}

/// The line of `reflect --stats --json`.
private struct ReflectionEvent: Encodable {
  private struct Passage: Encodable {
    let from: String
    let to: String
    let questions: Int
    let records: Int
    let goodbyes: Int
    let unicastRecords: Int
    let kept: [Kept]
  }

  private struct Kept: Encodable {
    let rule: String
    let count: Int
  }

  private struct Sent: Encodable {
    let interface: String
    let datagrams: Int
    let bytes: Int
  }

  private let event = "reflection"
  private let queries: Int
  private let responses: Int
  private let own: Int
  private let malformed: Int
  private let ignored: Int
  private let reflectors: Int
  private let sent: [Sent]
  private let passages: [Passage]

  init(_ counters: ReflectionCounters, _ plan: ReflectPlan) {
    (queries, responses, own) = (counters.queriesHeard, counters.responsesHeard, counters.own)
    (malformed, ignored, reflectors) = (counters.malformed, counters.ignored, counters.repeaters)
    sent = counters.sent.sorted { $0.key < $1.key }.map {
      Sent(interface: plan.name($0.key), datagrams: $0.value.datagrams, bytes: $0.value.bytes)
    }
    passages = counters.passages.sorted { $0.key < $1.key }.map { direction, passage in
      Passage(
        from: plan.name(direction.from), to: plan.name(direction.to), questions: passage.questions, records: passage.records,
        goodbyes: passage.goodbyes, unicastRecords: passage.unicastRecords,
        kept: passage.kept.map { Kept(rule: plan.text($0.key, of: direction), count: $0.value) }.sorted { $0.rule < $1.rule })
    }
  }
}
