import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishConsole
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS
@testable import bonjourish_cli

/// What `reflect` writes. Each test is a process of its own, whose output is read.
@Suite(.timeLimit(.minutes(1))) struct ReflectReportTests {
  private static func report(json: Bool = false, isDry: Bool = true, isVerbose: Bool = false) throws -> ReflectReport {
    let arguments = try Commands.reflect.arguments(of: ["--between", "lan,guests,lab", "--deny", "ssh"])
    return ReflectReport(try ReflectPlan(arguments), json: json, isDry: isDry, isVerbose: isVerbose)
  }

  private static let direction = ReflectionRules.Direction(from: 1, to: 2)

  private static func question(_ rule: ReflectionRule? = nil) throws -> Reflector.Note {
    Reflector.Note(
      direction: direction, subject: .question(DNSQuestion(try DNSName("_ipp._tcp.local"), .ptr)), keptBy: rule)
  }

  private static func record(_ rule: ReflectionRule? = nil) throws -> Reflector.Note {
    let record = DNSRecord(try DNSName("Ada's x.local"), .address(.ipv4(0x0A00_0001)), timeToLive: 120)
    return Reflector.Note(direction: direction, subject: .record(record), keptBy: rule)
  }

  @Test func `what would cross is a line, and with details what would not`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      let report = try ReflectReportTests.report()
      report.show(try ReflectReportTests.question())
      report.show(try ReflectReportTests.record(.denied(0)))
      report.show(try ReflectReportTests.record())
      let detailed = try ReflectReportTests.report(isVerbose: true)
      detailed.show(try ReflectReportTests.record(.denied(0)))
      detailed.show(try ReflectReportTests.question(.type))
      #expect(
        try await output.next(4) == [
          "+ guests > lan question _ipp._tcp.local PTR", #"+ lan > guests record "Ada's x.local" 120 A 10.0.0.1"#,
          #"- lan > guests record "Ada's x.local" 120 A 10.0.0.1 (--deny ssh)"#,
          "- guests > lan question _ipp._tcp.local PTR (not a type of --type)",
        ])
    }
  }

  @Test func `what crosses really is not written, and what does not is as JSON`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      let report = try ReflectReportTests.report(json: true, isDry: false, isVerbose: true)
      report.show(try ReflectReportTests.record())
      report.show(try ReflectReportTests.record(.budget))
      let dry = try ReflectReportTests.report(json: true)
      dry.show(try ReflectReportTests.question())
      #expect(
        try await output.next(2) == [
          #"{"data":"10.0.0.1","event":"kept","from":"lan","kind":"record","name":"Ada's x.local","rule":"too much at once","#
            + #""schema":1,"to":"guests","ttl":120,"type":"A"}"#,
          #"{"event":"crossed","from":"guests","kind":"question","name":"_ipp._tcp.local","schema":1,"to":"lan","type":"PTR"}"#,
        ])
    }
  }

  @Test func `each question and record matters where it is told`() throws {
    for (isDry, isVerbose) in [(true, false), (false, true), (true, true), (false, false)] {
      #expect(try Self.report(isDry: isDry, isVerbose: isVerbose).showsNotes == (isDry || isVerbose))
    }
  }

  @Test func `which interfaces are used is told, and a dry run says that it listens`() async {
    await #expect(processExitsWith: .success) {
      let (output, errors) = (WrittenLines(), WrittenLines(to: STDERR_FILENO))
      try ReflectReportTests.report(json: true, isDry: false).show(usable: ["guests"])
      try ReflectReportTests.report(json: true).show(usable: ["lan", "guests", "lab"])
      #expect(
        try await output.next(2) == [
          #"{"event":"reflecting","interfaces":["guests"],"missing":["lan","lab"],"schema":1}"#,
          #"{"event":"reflecting","interfaces":["lan","guests","lab"],"missing":[],"schema":1}"#,
        ])
      try ReflectReportTests.report().show(usable: ["lan", "guests", "lab"])
      #expect(
        try await errors.next()
          == "bonjourish: listening on lan, guests and lab; what would cross is shown when a host says or asks something")
    }
  }

  private static var counters: ReflectionCounters {
    var counters = ReflectionCounters()
    (counters.queriesHeard, counters.responsesHeard, counters.own) = (1, 2, 3)
    (counters.malformed, counters.ignored, counters.repeaters) = (4, 5, 6)
    counters.sent = [2: .init(datagrams: 7, bytes: 8), 1: .init(datagrams: 0, bytes: 0)]
    counters.passages[.init(from: 2, to: 1)] = .init(questions: 9)
    counters.passages[.init(from: 1, to: 2)] = .init(
      questions: 10, records: 11, goodbyes: 12, unicastRecords: 13, kept: [.name: 14, .denied(0): 15])
    return counters
  }

  @Test func `all numbers are told in lines`() async {
    await #expect(processExitsWith: .success) {
      let errors = WrittenLines(to: STDERR_FILENO)
      try ReflectReportTests.report().show(ReflectReportTests.counters)
      #expect(
        try await errors.next(7) == [
          "bonjourish: heard: 1 queries, 2 responses, 3 of this machine, 4 malformed, 5 ignored, 6 other reflectors noticed",
          "bonjourish: sent on lan: nothing", "bonjourish: sent on guests: 7 datagrams, 8 bytes",
          "bonjourish: services of lan on guests: 10 questions, 11 records, 12 goodbyes, 13 records by unicast",
          "bonjourish: services of lan on guests, kept back: 15 (--deny ssh)",
          "bonjourish: services of lan on guests, kept back: 14 (not a name of --name)",
          "bonjourish: services of guests on lan: 9 questions",
        ])
    }
  }

  @Test func `all numbers are told as JSON`() async {
    await #expect(processExitsWith: .success) {
      let output = WrittenLines()
      try ReflectReportTests.report(json: true).show(ReflectReportTests.counters)
      #expect(
        try await output.next()
          == #"{"event":"reflection","ignored":5,"malformed":4,"own":3,"passages":["#
          + #"{"from":"lan","goodbyes":12,"kept":[{"count":15,"rule":"--deny ssh"},{"count":14,"rule":"not a name of --name"}],"#
          + #""questions":10,"records":11,"to":"guests","unicastRecords":13},"#
          + #"{"from":"guests","goodbyes":0,"kept":[],"questions":9,"records":0,"to":"lan","unicastRecords":0}],"#
          + #""queries":1,"reflectors":6,"responses":2,"schema":1,"sent":[{"bytes":0,"datagrams":0,"interface":"lan"},"#
          + #"{"bytes":8,"datagrams":7,"interface":"guests"}]}"#)
    }
  }

  @Test(arguments: [
    (ReflectionRule.type, "not a type of --type"), (.name, "not a name of --name"),
    (.host, "a host to which no such service leads"), (.direction, "nothing crosses this way"),
    (.form, "another domain, reverse mapping, or no part of a service"), (.linkLocal, "a link-local address"),
    (.recent, "said there a moment ago"), (.elsewhere, "lives on another link"), (.budget, "too much at once"),
    (.denied(0), "--deny ssh"), (.denied(1), "--deny"),
  ]) func `each rule has its words`(rule: ReflectionRule, words: String) throws {
    let arguments = try Commands.reflect.arguments(of: ["--between", "lan,guests", "--deny", "ssh"])
    #expect(try ReflectPlan(arguments).text(rule, of: Self.direction) == words)
  }

  @Test(arguments: [
    ("eth0,", "--between ''"), ("eth*,eth1", "--between 'eth*'"), ("eth0,e th", "--between 'e th'"),
    ("a:b,eth1", "--between 'a:b'"),
  ]) func `what names no interface is refused`(names: String, words: String) throws {
    let error = #expect(throws: UsageError.self) {
      try ReflectPlan(try Commands.reflect.arguments(of: ["--between", names]))
    }
    #expect(error?.description.contains("\(words): not the name of an interface; give names, such as eth0,eth1") == true)
  }

  @Test(arguments: [
    (["--deny", "name="], "--deny name=: the pattern is missing; give one such as name=Test*"),
    (["--deny", "host="], "--deny host=: the pattern is missing; give one such as host=Test*"),
  ]) func `a denial without its pattern is refused`(arguments: [String], words: String) throws {
    let error = #expect(throws: UsageError.self) {
      try ReflectPlan(try Commands.reflect.arguments(of: ["--between", "eth0,eth1"] + arguments))
    }
    #expect(error?.description.contains(words) == true)
  }
}
