import FrameStress
import Testing

/// A short slice of `make stress`.
@Suite(.timeLimit(.minutes(2))) struct StressTests {
  @Test(arguments: [1, 2] as [UInt64])
  func `every frame arrives once, in order and whole, however it was split`(seed: UInt64) async throws {
    let plan = StressPlan(frameCount: 8001, connectionCount: 8, seed: seed)
    let figures = try await StressRun.run(plan)
    #expect(figures.frames == plan.frameCount, "seed \(seed)")
    // Else the proxy would not split.
    #expect(figures.pieces > 100, "seed \(seed)")
  }
}
