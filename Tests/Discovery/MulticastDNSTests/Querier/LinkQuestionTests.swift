import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// When a question is asked, and when it is answered as far as it will be.
@Suite struct LinkQuestionTests {
  private var question = LinkQuestion(HashedKey(name: "_x._tcp.local", type: .ptr))

  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  private func source(_ host: UInt32) -> MulticastSource {
    MulticastSource(.ipv4(host), port: 5353, link: MulticastLink(interface: 1, family: .ipv4))
  }

  // RFC 6762 §5.2
  @Test func `a series has intervals that double up to an hour`() {
    var question = question
    question.seriesAt = at(0)
    var intervals: [Int64] = []
    for _ in 0..<16 {
      let now = question.seriesAt
      question.wasAsked(at: now)
      intervals.append(question.seriesAt - now)
    }
    #expect(intervals == (0..<12).map { 1000 << $0 } + [3_600_000, 3_600_000, 3_600_000, 3_600_000])
  }

  @Test func `a question that has waited is asked at least twice as late the next time`() {
    var question = question
    (question.seriesAt, question.interval) = (at(1_000), 128_000)
    #expect(question.longestWait == 16_000)
    question.wasAsked(at: at(11_000))
    #expect(question.seriesAt == at(11_000 + 148_000) && question.interval == 296_000)
    // Below a minute nothing waits.
    (question.seriesAt, question.interval) = (at(0), 127_999)
    #expect(question.longestWait == 0)
    question.wasAsked(at: at(10_000))
    #expect(question.seriesAt == at(10_000 + 127_999))
    question.seriesAt = .never
    #expect(question.longestWait == 0)
  }

  @Test func `a question between the series does not change it`() {
    var question = question
    (question.seriesAt, question.refreshAt, question.interval) = (at(5_000), at(1_000), 4_000)
    #expect(question.deadline == at(1_000) && question.askAt == at(1_000))
    question.wasAsked(at: at(1_000))
    #expect(question.seriesAt == at(5_000) && question.refreshAt == .never && question.interval == 4_000)
    #expect(question.lastAsked == at(1_000) && question.askedBefore == nil)
    question.wasAsked(at: at(2_000))
    #expect(question.askedBefore == at(1_000) && question.deadline == at(5_000))
    question.settlesAt = at(3_000)
    #expect(question.deadline == at(3_000) && question.askAt == at(5_000))
  }

  @Test func `hosts that answer at once have done so 400 ms after the second question`() {
    var question = question
    question.seriesAt = at(0)
    question.wasAsked(at: at(0))
    #expect(question.settlesAt == at(1_400))
    question.wasAsked(at: at(1_000))
    #expect(question.settlesAt == at(1_400) && question.seriesAt == at(3_000))
    #expect(!question.isSettling(at: at(1_399)) && question.isSettling(at: at(1_400)) && !question.isSettling(at: at(3_000)))
    question.isSettled = true
    question.wasAsked(at: at(3_000))
    #expect(question.settlesAt == at(1_400))
  }

  @Test func `where answers are lost one more question is waited for, but no longer than four seconds`() {
    func isPutOff(news: Int64?, next: Int64, isSettled: Bool = false) -> Instant? {
      var question = question
      question.lastAsked = at(1_000)
      (question.seriesAt, question.settlesAt, question.isSettled) = (at(next), at(1_400), isSettled)
      if let news { question.heardNews(at: at(news)) }
      return question.putOffSettling(at: at(1_400)) ? question.settlesAt : nil
    }
    #expect(isPutOff(news: nil, next: 3_000) == nil && isPutOff(news: 999, next: 3_000) == nil)
    #expect(isPutOff(news: 1_000, next: 3_000) == at(3_400))
    #expect(isPutOff(news: 1_000, next: 5_400) == at(5_800) && isPutOff(news: 1_000, next: 5_401) == nil)
    #expect(isPutOff(news: 1_000, next: 3_000, isSettled: true) == nil)
  }

  // RFC 6762 §7.3
  @Test func `a question is suppressed if two hosts have asked it within a second`() {
    var question = question
    question.wasHeard(from: source(1), at: at(0))
    question.wasHeard(from: source(1), at: at(100))
    #expect(!question.isAskedByOthers(at: at(100)))
    question.wasHeard(from: source(2), at: at(500))
    #expect(question.isAskedByOthers(at: at(1_100)) && !question.isAskedByOthers(at: at(1_101)))
    question.wasHeard(from: source(3), at: at(900))
    #expect(question.isAskedByOthers(at: at(1_500)) && !question.isAskedByOthers(at: at(1_501)))
  }
}
