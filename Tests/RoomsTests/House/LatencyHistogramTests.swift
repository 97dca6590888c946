import Testing

@testable import Rooms

struct LatencyHistogramTests {
  @Test func `quantiles are right within a sixteenth`() throws {
    var histogram = LatencyHistogram()
    #expect(histogram.quantile(0.5) == nil)
    for milliseconds in 1...1_000 { histogram.add(.milliseconds(milliseconds)) }
    #expect(histogram.count == 1_000)
    for (share, exact) in [(0.5, 500.0), (0.99, 990), (0.001, 1), (1, 1_000)] {
      let quantile = try #require(histogram.quantile(share)) / .milliseconds(1)
      #expect((exact...exact * 17 / 16).contains(quantile))
    }
  }

  @Test(arguments: [Duration.zero, .nanoseconds(1), .seconds(-1), .seconds(100_000)])
  func `what is beyond the classes counts in the last`(duration: Duration) throws {
    var histogram = LatencyHistogram()
    histogram.add(duration)
    let quantile = try #require(histogram.quantile(0.5))
    #expect(quantile == .microseconds(1) || quantile > .seconds(60))
  }
}
