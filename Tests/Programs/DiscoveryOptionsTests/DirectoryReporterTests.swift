#if Directory
import Bonjourish
import Synchronization
import Testing
import _BonjourishDiscovery

@testable import _BonjourishDiscoveryOptions

struct DirectoryReporterTests {
  private final class News: Sendable {
    private let news = Mutex<[DirectoryNews]>([])
    var all: [DirectoryNews] { news.withLock { $0 } }
    func add(_ one: DirectoryNews) { news.withLock { $0.append(one) } }
  }

  private let news = News()
  private let refusal = DiscoveryError(.notPermitted, "not permitted")

  private func reporter(isAlone: Bool) -> DirectoryReporter {
    DirectoryReporter("eu", isAlone: isAlone) { [news] in news.add($0) }
  }

  @Test func `news are told with their region, and those that are none are not`() {
    let reporter = reporter(isAlone: false)
    reporter.changed(nil)
    reporter.changed(nil)
    reporter.denied(DiscoveryError(.notPermitted, "may not publish"))
    reporter.refused(refusal)
    reporter.refused(refusal)
    reporter.changed(nil)
    #expect(news.all.allSatisfy { $0.region == "eu" })
    #expect(news.all.map(\.event) == [.reached, .denied("may not publish"), .refused(refusal), .restored])
  }

  @Test(arguments: [true, false]) func `a refusal at the beginning ends a program that has only the directory`(isAlone: Bool) {
    let reporter = reporter(isAlone: isAlone)
    reporter.refused(refusal)
    #expect(news.all == [DirectoryNews(region: "eu", event: .refused(refusal, endsProgram: isAlone))])
  }
}
#endif
