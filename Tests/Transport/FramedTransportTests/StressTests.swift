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

  /// Places in the first body, behind its length: whose it is, which way it goes, its number, and what the checksum is of.
  @Test(
    arguments: [.flip(at: 7), .flip(at: 8), .flip(at: 16), .flip(at: 20), .drop(at: 12), .repeated(at: 9)] as [StressFault])
  func `one bit or byte that is wrong is found out`(fault: StressFault) async throws {
    let plan = StressPlan(frameCount: 200, connectionCount: 1, seed: 3)
    await #expect(throws: StressFailure.self) { try await StressRun.run(plan, fault: fault) }
  }
}
