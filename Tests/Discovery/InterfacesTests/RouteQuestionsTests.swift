import CBonjourishLinux
import Testing
import _BonjourishEventLoop

@testable import _BonjourishInterfaces

/// Questions about routes over a socket that stays open, with a kernel and a clock of the test.
struct RouteQuestionsTests {
  /// What the kernel does, and what was asked of it.
  private final class Kernel: Sendable {
    struct State {
      var now = ContinuousClock.now
      var opened = 0
      var asked = 0
      var openingError: SystemError?
      var error: SystemError?
    }

    let state = Locked(State())

    func makeQuestions() -> RouteQuestions {
      RouteQuestions(now: { self.state.withLock { $0.now } }) { () throws(SystemError) in
        try self.state.withLock { (state) throws(SystemError) in
          state.opened += 1
          if let error = state.openingError { throw error }
        }
        return { (question) throws(SystemError) in
          try self.state.withLock { (state) throws(SystemError) in
            state.asked += 1
            if let error = state.error { throw error }
          }
          return question
        }
      }
    }

    func advance(by time: Duration) { state.withLock { $0.now += time } }
  }

  private let kernel = Kernel()

  @Test func `a thousand questions share one socket`() throws {
    var questions = kernel.makeQuestions()
    for number in 0..<1_000 {
      let question = [UInt8(truncatingIfNeeded: number)]
      #expect(try questions.ask(question) == question)
    }
    #expect(kernel.state.withLock { $0.opened } == 1)
  }

  @Test func `after an error the kernel is left alone for a second, and gets a new socket`() throws {
    var questions = kernel.makeQuestions()
    _ = try questions.ask([1])
    kernel.state.withLock { $0.error = SystemError("recv", errno: EAGAIN) }
    for _ in 0..<1_000 { #expect(throws: SystemError("recv", errno: EAGAIN)) { try questions.ask([2]) } }
    #expect(kernel.state.withLock { $0.asked } == 2)
    kernel.state.withLock { $0.error = nil }
    kernel.advance(by: .seconds(1))
    #expect(try questions.ask([3]) == [3])
    #expect(kernel.state.withLock { $0.opened } == 2)
  }

  @Test func `a socket that cannot be opened is tried once in a second`() throws {
    var questions = kernel.makeQuestions()
    kernel.state.withLock { $0.openingError = SystemError("socket", errno: EMFILE) }
    for _ in 0..<1_000 { #expect(throws: SystemError.self) { try questions.ask([1]) } }
    #expect(kernel.state.withLock { $0.opened } == 1)
    kernel.state.withLock { $0.openingError = nil }
    kernel.advance(by: .seconds(1))
    #expect(try questions.ask([1]) == [1])
  }
}
