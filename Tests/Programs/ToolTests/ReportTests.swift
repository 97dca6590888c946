import Bonjourish
import Synchronization
import TestSupport
import Testing
import _BonjourishDiscoveryOptions
import _BonjourishDoctor
import _BonjourishExplorer

@testable import bonjourish_cli

/// What `browse` writes.
struct ReportTests {
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private let lines = Lines()

  private func report(
    json: Bool = false, order: ServiceOrder? = nil, count: Int? = nil, types: [ServiceType]? = [http], once: Bool = true
  ) -> BrowseReport {
    let output = BrowseReport.Output(
      json: json, showsEndpoint: false, showsHints: false, order: order, count: count, write: { [lines] in lines.add($0) },
      warn: { [lines] in lines.add("! \($0)") })
    return BrowseReport(output, BrowseSelection(), types: types, stopsWhenSettled: once)
  }

  private static let (http, ipp): (ServiceType, ServiceType) = ("_http._tcp", "_ipp._tcp")

  @Test func `changes are written as they come`() async throws {
    let report = report()
    let service = try DiscoveredService.sample("A")
    let eth0 = service.interfaces[0]
    var (both, far) = (service, service)
    both.links = [Link(eth0, .ipv4), Link(eth0, .ipv6)]
    far.links = [Link(eth0, .ipv4), Link(NetworkInterface(index: 9, name: "wlan0"), .ipv4)]
    // A further address family is not shown.
    for change in [BrowseChange.found(service), .updated(both), .updated(far), .lost(far)] {
      #expect(await !report.show(change, of: Self.http))
    }
    #expect(await report.show(.settled, of: Self.http))
    #expect(await report.end() == nil)
    #expect(await !report.isEmpty)
    #expect(lines.all == [#"+ "A" _http._tcp eth0"#, #"~ "A" _http._tcp eth0,wlan0"#, #"- "A" _http._tcp"#])
  }

  @Test func `an outage ends with the type that it concerns`() async {
    let report = report(types: nil)
    await report.begin(Self.http)
    _ = await report.show(.interrupted(DiscoveryError(.noNetwork, "no network")), of: Self.http)
    let told = lines.all.count
    _ = await report.end(Self.http)
    #expect(lines.all.count == told + 1 && told == 1)
    _ = await report.end(Self.http)
    #expect(lines.all.count == told + 1)
  }

  @Test func `it is enough when all types have settled`() async {
    let report = report(types: [Self.http, Self.ipp])
    #expect(await !report.show(.settled, of: Self.http))
    #expect(await !report.show(.settled, of: Self.http))
    #expect(await report.show(.settled, of: Self.ipp))
    #expect(await report.isEmpty)
  }

  @Test func `it is not enough, and not told, while the directory has not answered`() async {
    let answer = DirectoryAnswer()
    let output = BrowseReport.Output(
      json: true, showsEndpoint: false, showsHints: false, order: nil, count: nil, write: { [lines] in lines.add($0) })
    let report = BrowseReport(
      output, BrowseSelection(), types: [Self.http], stopsWhenSettled: true, directory: answer)
    #expect(await !report.show(.settled, of: Self.http))
    #expect(lines.all == [] && answer.loss?.message == "using the directory: it has not answered yet")
    answer.take(DirectoryNews(region: "world", event: .lost("gone")))
    #expect(await !report.show(.settled, of: Self.http))
    await answer.waitUntilLost()
    #expect(lines.all == [] && answer.loss?.message == "gone")
    answer.take(DirectoryNews(region: "world", event: .restored))
    #expect(await report.show(.settled, of: Self.http))
    #expect(lines.all.count == 1 && answer.loss == nil)
  }

  @Test func `types that are found without the directory are not enough`() async {
    let answer = DirectoryAnswer()
    let output = BrowseReport.Output(
      json: false, showsEndpoint: false, showsHints: false, order: nil, count: nil, write: { [lines] in lines.add($0) })
    let report = BrowseReport(output, BrowseSelection(), types: nil, stopsWhenSettled: true, directory: answer)
    let settled = DiscoveryChange<DiscoveredServiceType>.settled
    #expect(await !report.showTypes(settled))
    answer.take(DirectoryNews(region: "world", event: .reached))
    await answer.waitUntilKnown()
    #expect(await report.showTypes(settled))
    #expect(answer.loss == nil)
  }

  @Test func `it is enough after a number of services`() async throws {
    let report = report(count: 2, types: [Self.http, Self.ipp], once: false)
    #expect(await !report.show(.found(try .sample("A")), of: Self.http))
    #expect(await report.show(.found(try .sample("A", type: "_ipp._tcp")), of: Self.ipp))
    #expect(await report.show(.found(try .sample("B")), of: Self.http))
    #expect(lines.all == [#"+ "A" _http._tcp eth0"#, #"+ "A" _ipp._tcp eth0"#])
  }

  @Test func `a sorted list is written once, before the event that ends it`() async throws {
    let report = report(json: true, order: .name)
    for name in ["c", "a", "B", "gone"] { _ = await report.show(.found(try .sample(name)), of: Self.http) }
    _ = await report.show(.lost(try .sample("gone")), of: Self.http)
    #expect(lines.all == [])
    #expect(await report.show(.settled, of: Self.http))
    _ = await report.end()
    let schema = try JSONSchema.ofBonjourish()
    #expect(lines.all.flatMap { schema.faults(in: $0, as: "browse") } == [])
    let names = lines.all.map { line in ["a", "B", "c"].first { line.contains("\"name\":\"\($0)\"") } ?? "settled" }
    #expect(names == ["a", "B", "c", "settled"])
  }

  @Test func `a sorted list is written when the time is over`() async throws {
    let report = report(order: .name, once: false)
    for name in ["b", "a"] { _ = await report.show(.found(try .sample(name)), of: Self.http) }
    _ = await report.end()
    #expect(lines.all == [#"+ "a" _http._tcp eth0"#, #"+ "b" _http._tcp eth0"#])
  }

  @Test func `an outage of several types is told once, and is the reason of the end`() async {
    let report = report(types: [Self.http, Self.ipp])
    let outage = DiscoveryError(.unavailable, "gone")
    for type in [Self.http, Self.ipp] { _ = await report.show(.interrupted(outage), of: type) }
    #expect(lines.all == ["! gone"])
    _ = await report.show(.restored, of: Self.http)
    #expect(await report.end() == outage)
    #expect(lines.all == ["! gone"])
  }

  @Test func `the end of an outage is told once`() async {
    let report = report(types: [Self.http, Self.ipp], once: false)
    let outage = DiscoveryError(.unavailable, "gone")
    for type in [Self.http, Self.ipp] { _ = await report.show(.interrupted(outage), of: type) }
    for type in [Self.http, Self.ipp] { _ = await report.show(.restored, of: type) }
    #expect(lines.all == ["! gone", "! discovery works again"])
    #expect(await report.end() == nil)
  }

  // MARK: - All types

  @Test func `it is enough when the search for types and all types have settled`() async {
    let report = report(types: nil)
    let settled = DiscoveryChange<DiscoveredServiceType>.settled
    await report.begin(Self.http)
    #expect(await !report.show(.settled, of: Self.http))
    await report.begin(Self.ipp)
    #expect(await !report.showTypes(settled))
    #expect(await report.show(.settled, of: Self.ipp))
    #expect(await self.report(types: nil).showTypes(settled))
  }

  @Test func `with its type a service is gone, and awaited no longer`() async throws {
    let report = report(types: nil)
    for type in [Self.http, Self.ipp] { await report.begin(type) }
    for name in ["b", "a"] { _ = await report.show(.found(try .sample(name)), of: Self.http) }
    _ = await report.show(.found(try .sample("p", type: "_ipp._tcp")), of: Self.ipp)
    _ = await report.show(.settled, of: Self.ipp)
    _ = await report.showTypes(DiscoveryChange<DiscoveredServiceType>.settled)
    #expect(await report.end(Self.http))
    #expect(lines.all.suffix(2) == [#"- "a" _http._tcp"#, #"- "b" _http._tcp"#])
  }

  @Test func `an outage of the search for types is one of all`() async {
    let report = report(types: nil, once: false)
    let outage = DiscoveryError(.unavailable, "gone")
    _ = await report.showTypes(DiscoveryChange<DiscoveredServiceType>.interrupted(outage))
    await report.begin(Self.http)
    _ = await report.show(.interrupted(outage), of: Self.http)
    _ = await report.showTypes(DiscoveryChange<DiscoveredServiceType>.restored)
    #expect(lines.all == ["! gone"])
    #expect(await !report.end(Self.http))
    #expect(await report.end() == nil)
  }

  // MARK: - Columns and screens

  @Test func `for people columns are a table, unless there is nothing`() async throws {
    let output = BrowseReport.Output(
      json: false, showsEndpoint: true, showsHints: false, order: .name, count: nil, columns: [.name, .port], isTable: true,
      write: { [lines] in lines.add($0) })
    let report = BrowseReport(output, BrowseSelection(), types: [Self.http], stopsWhenSettled: true)
    _ = await report.show(.found(try .sample("b", host: "h.local", port: 8080)), of: Self.http)
    _ = await report.show(.found(try .sample("a", host: "h.local")), of: Self.http)
    #expect(await report.show(.settled, of: Self.http))
    #expect(lines.all == ["Name  Port", "a       80", "b     8080"])
    let empty = BrowseReport(output, BrowseSelection(), types: [Self.http], stopsWhenSettled: true)
    #expect(await empty.show(.settled, of: Self.http) && lines.all.count == 3)
  }

  @Test(arguments: [(100, nil), (102, "! 2 more services were listed; give --plain to see all")] as [(Int, String?)])
  func `of what a screen has shown last a hundred services are written`(count: Int, rest: String?) async throws {
    await report().writeLast(try (0..<count).map { try .sample("s\($0)") })
    let first = (0..<100).map { "+ \"s\($0)\" _http._tcp eth0" }
    #expect(Array(lines.all.prefix(100)) == first)
    #expect(lines.all.dropFirst(100).first == rest && lines.all.count == (rest == nil ? 100 : 101))
  }

  // MARK: - Containers

  private static let network = Finding(
    .containerNetwork, .warning, seen: "it is a bridge", because: "nobody is reached",
    remedies: [.advice("use another"), .command("ip link")])

  @Test func `that this is a container's network is told while nothing is found`() async throws {
    let report = report()
    await report.show(Self.network)
    #expect(
      lines.all == ["! nothing was found: it is a bridge; nobody is reached", "! - use another", "! - ip link"])
    let json = self.report(json: true)
    await json.show(Self.network)
    #expect(try JSONSchema.ofBonjourish().faults(in: lines.all[3], as: "browse") == [])
  }

  @Test func `that this is a container's network is not told when something was found`() async throws {
    let report = report()
    _ = await report.show(.found(try .sample("A")), of: Self.http)
    await report.show(Self.network)
    #expect(lines.all == [#"+ "A" _http._tcp eth0"#])
  }
}
