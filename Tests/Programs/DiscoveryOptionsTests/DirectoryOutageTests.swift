import Bonjourish
import Foundation
import Testing
import _BonjourishConsole
import _BonjourishDiscovery

@testable import _BonjourishDiscoveryOptions

struct DirectoryOutageTests {
  private let start = ContinuousClock.now
  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test func `a directory that answers at once is told once`() {
    var outage = DirectoryOutage()
    #expect(outage.change(nil, at: start) == .reached)
    #expect(outage.deadline == nil)
    #expect(outage.change(nil, at: at(1)) == nil)
  }

  @Test func `an outage is told after three seconds, and its end`() {
    var outage = DirectoryOutage()
    #expect(outage.change(nil, at: start) == .reached)
    #expect(outage.change("cut", at: at(10)) == nil)
    #expect(outage.deadline == at(13))
    #expect(outage.advance(to: at(12.9)) == nil)
    #expect(outage.advance(to: at(13)) == .lost("cut"))
    #expect(outage.advance(to: at(14)) == nil)
    #expect(outage.change("still cut", at: at(15)) == nil)
    #expect(outage.deadline == nil)
    #expect(outage.change(nil, at: at(20)) == .restored)
    #expect(outage.change(nil, at: at(21)) == nil)
  }

  @Test func `an outage that is over soon is not told, and the next has its own three seconds`() {
    var outage = DirectoryOutage()
    #expect(outage.change(nil, at: start) == .reached)
    #expect(outage.change("another server", at: at(1)) == nil)
    #expect(outage.change(nil, at: at(2)) == nil)
    #expect(outage.advance(to: at(10)) == nil)
    #expect(outage.change("cut", at: at(3.5)) == nil)
    #expect(outage.advance(to: at(4)) == nil)
    #expect(outage.advance(to: at(6.5)) == .lost("cut"))
  }

  @Test func `a directory that is away at the beginning is told with its latest reason`() {
    var outage = DirectoryOutage()
    #expect(outage.change("it has not answered yet", at: start) == nil)
    #expect(outage.change("refused", at: at(1)) == nil)
    #expect(outage.advance(to: at(3)) == .lost("refused"))
    #expect(outage.change(nil, at: at(4)) == .restored)
  }

  @Test func `an outage is not told after the directory was given up`() {
    var outage = DirectoryOutage()
    #expect(outage.change("cut", at: start) == nil)
    let refusal = DiscoveryError(.notPermitted, "refused")
    #expect(outage.refuse(refusal) == .refused(refusal))
    #expect(outage.deadline == nil)
    #expect(outage.advance(to: at(3)) == nil)
    #expect(outage.change(nil, at: at(4)) == .restored)
  }

  @Test func `a refusal is told at once, and once until it is over`() {
    var outage = DirectoryOutage()
    let refusal = DiscoveryError(.notPermitted, "refused")
    #expect(outage.refuse(refusal) == .refused(refusal))
    #expect(outage.change("no server answers", at: at(1)) == nil)
    #expect(outage.refuse(refusal) == nil)
    #expect(outage.change(nil, at: at(2)) == .restored)
    #expect(outage.refuse(refusal) == .refused(refusal))
  }

  @Test func `a refusal that ends the program is told by its error alone`() {
    let refusal = DiscoveryError(.notPermitted, "refused")
    var outage = DirectoryOutage()
    #expect(outage.refuse(refusal, isAlone: true) == .refused(refusal, endsProgram: true))
    let lines = Lines()
    DirectoryNews(region: "eu", event: .refused(refusal, endsProgram: true)).tell(
      Diagnostics(level: .warning) { lines.add($1) })
    #expect(lines.all.isEmpty)
    // Later the program waits for whoever mends it.
    outage = DirectoryOutage()
    #expect(outage.change(nil, at: start) == .reached)
    #expect(outage.refuse(refusal, isAlone: true) == .refused(refusal))
  }

  @Test func `a slow first answer is told as the first`() {
    var outage = DirectoryOutage()
    #expect(outage.change("it has not answered yet", at: start) == nil)
    #expect(outage.change(nil, at: at(1)) == .reached)
    #expect(outage.advance(to: at(5)) == nil)
  }

  @Test func `news are a line, or an object`() throws {
    func json(_ event: DirectoryNews.Event) throws -> [String: String] {
      let news = DirectoryNews(region: "eu", event: event)
      return try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(news)) as? [String: String])
    }
    #expect(try json(.lost("cut")) == ["event": "directory", "region": "eu", "state": "unavailable", "reason": "cut"])
    #expect(try json(.restored) == ["event": "directory", "region": "eu", "state": "available"])
    #expect(try json(.reached) == (try json(.restored)))
    let refusal = DiscoveryError(.notPermitted, "refused")
    #expect(try json(.refused(refusal)) == ["event": "directory", "region": "eu", "state": "unavailable", "reason": "refused"])
    #expect(try json(.denied("no")) == ["event": "directory", "region": "eu", "state": "available", "reason": "no"])
    let lines = Lines()
    let diagnostics = Diagnostics(level: .warning) { lines.add($1) }
    for event in [DirectoryNews.Event.reached, .lost("cut"), .refused(refusal), .denied("no"), .restored] {
      DirectoryNews(region: "eu", event: event).tell(diagnostics)
    }
    #expect(lines.all == ["cut; it is tried again", "refused", "no", "the directory answers again"])
  }
}

private final class Lines: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []
  var all: [String] { lock.withLock { lines } }
  func add(_ line: String) { lock.withLock { lines.append(line) } }
}
