import Testing

@testable import _BonjourishConsole
@testable import _BonjourishMulticastDNS
@testable import bonjourish_cli

/// The rules of `reflect`, and what is told of them.
struct ReflectPlanTests {
  private func plan(_ arguments: String...) throws -> ReflectPlan {
    guard case .arguments(let parsed) = try Commands.reflect.parse(["--between", "lan,guests,lab"] + arguments) else {
      throw Missing()
    }
    return try ReflectPlan(parsed)
  }

  private struct Missing: Error {}

  private func pattern(_ name: String) throws -> ReflectionFilter.TypePattern {
    try #require(ReflectionFilter.TypePattern(try DNSName(name)))
  }

  @Test func `each link shows the others what the types allow`() throws {
    let rules = try plan("--type", "ipp,airplay", "--type", "_printer._sub._http._tcp", "--link-local").rules
    #expect(rules.keepsLinkLocal)
    #expect(rules.filters.count == 6)
    let types = [
      try pattern("_ipp._tcp.local"), try pattern("_airplay._tcp.local"), try pattern("_printer._sub._http._tcp.local"),
    ]
    #expect(rules.filters.values.allSatisfy { $0.types == types && $0.denials.isEmpty })
    #expect(try plan().rules.filters.values.allSatisfy { $0 == ReflectionFilter() })
  }

  @Test func `one way, only the first link shows something`() throws {
    let rules = try plan("--one-way").rules
    #expect(rules.filters.keys.sorted() == [.init(from: 1, to: 2), .init(from: 1, to: 3)])
  }

  @Test func `types and denials may be about one link`() throws {
    let plan = try plan("--type", "lan:ipp", "--type", "guests:http", "--deny", "guests:name=Test,*", "--deny", "host=x,y")
    #expect(Set(plan.rules.filters.keys.map(\.from)) == [1, 2])
    #expect(plan.rules.filters[.init(from: 1, to: 3)]?.types == [try pattern("_ipp._tcp.local")])
    #expect(plan.rules.filters[.init(from: 1, to: 3)]?.denials == [.host(try #require(NameGlob("x,y")))])
    #expect(
      plan.rules.filters[.init(from: 2, to: 1)]?.denials
        == [.name(try #require(NameGlob("Test,*"))), .host(try #require(NameGlob("x,y")))])
    #expect(plan.text(.denied(1), of: .init(from: 2, to: 1)) == "--deny host=x,y")
    #expect(plan.text(.denied(0), of: .init(from: 1, to: 2)) == "--deny host=x,y")
    #expect(plan.name(3) == "lab")
  }

  @Test(arguments: [("--type", "lna:ipp", "lna"), ("--type", "ipp,lan:ssh", "ipp,lan"), ("--deny", "lna:name=Test,*", "lna")])
  func `a scope that is none of the interfaces is an error`(option: String, text: String, scope: String) throws {
    let error = #expect(throws: UsageError.self) { try plan(option, text) }
    let reason = "\(option) \(text): '\(scope)' is none of the interfaces of --between; give one of lan, guests, lab"
    #expect(error?.message == reason)
    let second = #expect(throws: UsageError.self) { try plan("--type", "lan:ipp,lab:ssh") }
    #expect(second?.message == "'lab:ssh': name the interface in an option of its own, such as --type lab:ssh")
  }

  @Test func `a colon in a pattern or a subtype is not that of an interface`() throws {
    let rules = try plan("--deny", "name=a:b", "--type", "_a:b._sub._ipp._tcp").rules
    let filter = try #require(rules.filters[.init(from: 1, to: 2)])
    #expect(filter.denials == [.name(try #require(NameGlob("a:b")))])
    #expect(filter.types == [try pattern("_a:b._sub._ipp._tcp.local")])
  }

  @Test func `numbers are told by direction and rule, without those that are 0`() throws {
    let report = ReflectReport(try plan("--deny", "ssh"), json: false, isDry: false, isVerbose: false)
    var counters = ReflectionCounters()
    #expect(report.lines(of: counters) == ["heard: nothing"])
    counters.queriesHeard = 2
    counters.sent[2] = .init(datagrams: 1, bytes: 100)
    counters.passages[.init(from: 1, to: 2)] = .init(questions: 0, records: 3, kept: [.denied(0): 4, .recent: 1])
    #expect(
      report.lines(of: counters) == [
        "heard: 2 queries", "sent on guests: 1 datagrams, 100 bytes", "services of lan on guests: 3 records",
        "services of lan on guests, kept back: 4 (--deny ssh)",
        "services of lan on guests, kept back: 1 (said there a moment ago)",
      ])
  }
}
