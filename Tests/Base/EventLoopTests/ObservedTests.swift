import Testing
import _BonjourishEventLoop

@Suite(.timeLimit(.minutes(1))) struct ObservedTests {
  private func next(of numbers: Observed<[Int]>) async -> Int? {
    await numbers.take { numbers in numbers.isEmpty ? nil : numbers.removeFirst() }
  }

  @Test func `a waiting task takes each element once, in order`() async {
    let numbers = Observed<[Int]>([])
    let reading = Task {
      var taken: [Int] = []
      while taken.count < 100, let number = await next(of: numbers) { taken.append(number) }
      return taken
    }
    for number in 0..<100 {
      numbers.change { $0.append(number) }
      await Task.yield()
    }
    #expect(await reading.value == Array(0..<100))
    #expect(numbers.value(\.count) == 0)
  }

  @Test func `a cancelled task ends without an element, and leaves what comes to others`() async {
    let numbers = Observed<[Int]>([])
    let waiting = Task { await next(of: numbers) }
    waiting.cancel()
    #expect(await waiting.value == nil)
    numbers.change { $0.append(7) }
    #expect(await next(of: numbers) == 7)
  }

  @Test func `a second waiting reader is a programming error, and the first is not forgotten`() async {
    await #expect(processExitsWith: .failure) {
      let numbers = Observed<[Int]>([])
      for _ in 0..<2 {
        Task.immediate { await numbers.take { numbers in numbers.isEmpty ? nil : numbers.removeFirst() } }
      }
    }
  }
}
