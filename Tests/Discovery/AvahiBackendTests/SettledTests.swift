#if Avahi
import Testing

@testable import _BonjourishAvahiBackend

/// When a list is whole that the daemon finds.
struct SettledTests {
  /// When a question settles that is asked at 10 s, of which the daemon says after a time that it has all.
  private func settles(saying said: Duration, news: Duration...) -> Duration? {
    let origin = Duration.seconds(10)
    var settling = Settling(at: origin)
    var events = news.map { ($0, false) } + [(said, true)]
    events.sort { $0.0 < $1.0 }
    for (time, isEnd) in events {
      if let deadline = settling.nextDeadline, deadline <= origin + time, settling.advance(to: deadline) {
        return deadline - origin
      }
      if !isEnd {
        settling.heardNews(at: origin + time)
      } else if settling.saidAll(at: origin + time) {
        return time
      }
    }
    while let deadline = settling.nextDeadline {
      if settling.advance(to: deadline) { return deadline - origin }
    }
    return nil
  }

  @Test func `what the daemon knows already is whole at once`() {
    #expect(settles(saying: .milliseconds(5), news: .milliseconds(1)) == .milliseconds(5))
  }

  @Test func `the answers to the second query are waited for`() {
    #expect(settles(saying: .milliseconds(1_000)) == .milliseconds(1_450))
    #expect(settles(saying: .milliseconds(1_000), news: .milliseconds(30), .milliseconds(150)) == .milliseconds(1_450))
  }

  @Test(arguments: [960, 1_100, 1_449]) func `those to all four are if the second has brought any`(news: Int) {
    #expect(settles(saying: .milliseconds(1_000), news: .milliseconds(30), .milliseconds(news)) == Settling.longest)
    #expect(settles(saying: .milliseconds(1_000), news: .milliseconds(news), .milliseconds(3_100)) == Settling.longest)
  }

  @Test func `what comes later is no longer waited for`() {
    #expect(settles(saying: .milliseconds(1_000), news: .milliseconds(1_500)) == .milliseconds(1_450))
  }
}
#endif
