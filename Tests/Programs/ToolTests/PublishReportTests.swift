import Bonjourish
import Synchronization
import TestSupport
import Testing
import _BonjourishConsole

@testable import bonjourish_cli

/// What `publish` writes, and tells the service manager.
struct PublishReportTests {
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }

    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  private let lines = Lines()
  private let told = Lines()

  private static let pages = Bonjour.Service("Ada", type: "_http._tcp", port: 80)
  private static let label = Bonjour.Service("Label", type: "_ipp._tcp", port: 631, host: Bonjour.Host("labels.local"))
  private static let outage = DiscoveryError(.unavailable, "gone")

  private func report(_ subjects: [PublishReport.Subject], json: Bool = false) -> PublishReport {
    PublishReport(
      subjects,
      PublishReport.Output(
        json: json, write: { [lines] in lines.add($0) }, warn: { [lines] in lines.add("! \($0)") },
        tell: { [told] states in for state in states { told.add("\(state)") } }))
  }

  @Test func `each subject has its lines`() async throws {
    let host = Bonjour.Host("wiki.local", addresses: ["10.0.0.1", "fd00::1"].compactMap(IPAddress.init))
    let report = report([.service(Self.pages), .service(Self.label), .host(host), .records(1)])
    await report.began(0, as: "Ada #2", interruption: nil)
    await report.began(1, as: "Label", interruption: nil)
    await report.began(2, as: nil, interruption: nil)
    await report.began(3, as: nil, interruption: nil)
    #expect(await report.isComplete)
    for index in 0..<4 { await report.withdrew(index) }
    #expect(
      lines.all == [
        #""Ada" is taken; the service is now named "Ada #2""#, #"published "Ada #2" as _http._tcp, port 80"#,
        #"published "Label" as _ipp._tcp, port 631, of labels.local"#, "published the host wiki.local: 10.0.0.1, fd00::1",
        "published 1 record", #"withdrew "Ada #2""#, #"withdrew "Label""#, "withdrew the host wiki.local", "withdrew 1 record",
      ])
  }

  @Test func `lines of JSON follow the schema`() async throws {
    let schema = try JSONSchema.ofBonjourish()
    let report = report([.service(Self.label), .host(Bonjour.Host("a.local", addresses: [.ipv4(1)])), .records(2)], json: true)
    await report.began(0, as: "Label #2", interruption: nil)
    for index in 1...2 { await report.began(index, as: nil, interruption: nil) }
    await report.show(.interrupted(Self.outage), of: 0)
    await report.show(.restored, of: 0)
    for index in 0...2 { await report.withdrew(index) }
    #expect(lines.all.count == 9)
    #expect(lines.all.flatMap { schema.faults(in: $0, as: "publish") } == [])
    #expect(
      lines.all[0]
        == #"{"event":"renamed","from":"Label","host":"labels.local","name":"Label #2","port":631,"schema":1,"type":"_ipp._tcp"}"#
    )
  }

  @Test func `an outage of several subjects is told once, and its end when all are back`() async {
    let report = report([.service(Self.pages), .service(Self.label)])
    for index in 0...1 { await report.began(index, as: nil, interruption: nil) }
    _ = lines.take()
    for index in 0...1 { await report.show(.interrupted(Self.outage), of: index) }
    #expect(lines.take() == ["! gone"])
    await report.show(.restored, of: 0)
    #expect(lines.take() == [])
    await report.show(.restored, of: 1)
    #expect(lines.take() == ["! discovery works again; all is published again"])
  }

  @Test func `what cannot be found at first is published when it can`() async {
    let report = report([.service(Self.pages)])
    await report.began(0, as: "Ada", interruption: Self.outage)
    #expect(await !report.isComplete)
    await report.show(.interrupted(Self.outage), of: 0)
    await report.withdrew(0)
    #expect(lines.take() == ["! gone"])
    await report.show(.restored, of: 0)
    #expect(lines.take() == [#"published "Ada" as _http._tcp, port 80"#])
    #expect(await report.isComplete)
  }

  @Test func `a renaming that was shown at the beginning is not shown twice`() async {
    let report = report([.service(Self.pages)])
    await report.began(0, as: "Ada #2", interruption: nil)
    _ = lines.take()
    await report.show(.renamed(from: "Ada", to: "Ada #2"), of: 0)
    #expect(lines.take() == [])
    await report.show(.renamed(from: "Ada #2", to: "Ada #3"), of: 0)
    #expect(lines.take() == [#""Ada #2" is taken; the service is now named "Ada #3""#])
  }

  @Test func `the service manager is told once that all is ready, and then how it is`() async {
    let report = report([.service(Self.pages), .service(Self.label)])
    await report.began(0, as: nil, interruption: nil)
    #expect(told.take() == [])
    await report.began(1, as: nil, interruption: Self.outage)
    #expect(told.take() == ["ready", #"status("published 1 of 2")"#])
    await report.show(.interrupted(Self.outage), of: 1)
    #expect(told.take() == [#"status("published 1 of 2; gone")"#])
    await report.show(.restored, of: 1)
    #expect(told.take() == [#"status("published 2 of 2")"#])
  }
}
