import Testing

@testable import FramedTransport

@Suite struct LayerBudgetTests {
  private var budget = LayerBudget()

  @Test mutating func `a tick has so many bytes and steps, and the next as many again`() {
    budget.begin(room: 32 * 1024, overhead: 100, in: 1)
    #expect(budget.bytes == 32 * 1024 + 100 && budget.steps == LayerBudget.mostSteps && !budget.isSpent)
    budget.take(steps: LayerBudget.mostSteps)
    #expect(budget.isSpent && budget.areStepsTaken)
    budget.begin(room: 32 * 1024, overhead: 100, in: 1)
    #expect(budget.isSpent && budget.cost == 0, "a second call in the same tick has what is left")
    budget.isCutShort = true
    budget.begin(room: 32 * 1024, overhead: 100, in: 2)
    #expect(!budget.isSpent && !budget.isCutShort)
    budget.take(bytes: 32 * 1024 + 100)
    #expect(budget.isSpent && !budget.areStepsTaken && budget.cost == 32 * 1024 + 100)
    budget.begin(room: 10, overhead: 0, in: 3)
    #expect(budget.cost == 0)
    budget.take(steps: 3)
    #expect(budget.cost == 3 * LayerBudget.bytesOfStep)
  }

  @Test mutating func `with little room there are few steps, but always some`() {
    for (tick, (room, steps)) in [(0, 32), (2_048, 32), (8_192, 64), (1 << 20, 256)].enumerated() {
      budget.begin(room: room, overhead: 0, in: UInt64(tick))
      #expect(budget.steps == steps)
    }
  }
}
