import Foundation
import TestSupport
import Testing

/// A small server under load. `make load` is the large one.
@Suite(.timeLimit(.minutes(2))) struct LoadTests {
  @Test(arguments: [[], ["--web"]])
  func `five rooms of sixteen play undisturbed while as many again are refused`(options: [String]) async throws {
    let load = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            try ChildProcess.run(
              RunningProgram.path(of: "twentyfour-load"),
              [
                "--rooms", "5", "--players", "16", "--rounds", "3", "--round-seconds", "4", "--pause-seconds", "1",
                "--waves", "2", "--json",
              ] + options)
          })
      }
    }
    struct Report: Decodable {
      let answers: Int
      let acknowledged: Int
      let acknowledgementP99: Double
      let startSpreadMax: Double
      let startsMeasured: Int
      let refused: [String: Int]
      let endings: [String: Int]
      let notes: [String: Int]
    }
    let report = try JSONDecoder().decode(Report.self, from: Data(load.output))
    #expect(report.endings == ["finished": 80])
    #expect(report.refused == ["full": 160])
    #expect(report.notes == [:])
    #expect(report.startsMeasured == 15)
    #expect(report.answers == 240 && report.acknowledged == 240)
    // With whatever else runs on the machine: the figures proper are those of `make load`.
    #expect(report.acknowledgementP99 < 3_000)
    #expect(report.startSpreadMax < 3_000)
  }
}
