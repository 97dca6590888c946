import Bonjourish
import _BonjourishConsole
import _BonjourishEventLoop

/// What works with sockets of its own, on an event loop of its own, while a command runs. It is made, asked and ended on the loop's
/// thread.
final class LoopConfined<Value>: @unchecked Sendable {  // The value is confined to the loop.
  private let loop: EventLoop
  private var value: Value?

  /// - Parameters:
  ///   - name: The name of the loop's thread.
  ///   - action: What fails if it cannot be made, such as "starting to reflect".
  /// - Throws: `Failure` of code `unavailable`.
  init(
    _ name: String, during action: String, _ make: @escaping @Sendable (EventLoop) throws(SystemError) -> Value
  ) async throws(Failure) {
    do throws(SystemError) {
      loop = try EventLoop(name: name)
    } catch {
      throw Failure(.unavailable, "\(action) failed: \(error); end some programs")
    }
    let failure: SystemError? = await withCheckedContinuation { continuation in
      loop.execute { [self] in
        do throws(SystemError) {
          value = try make(loop)
          continuation.resume(returning: nil)
        } catch {
          continuation.resume(returning: error)
        }
      }
    }
    guard let failure else { return }
    await loop.shutdown()
    throw Failure(.unavailable, "\(action) failed: \(failure)")
  }

  /// The answer of what is confined. It must not have ended.
  func ask<Answer: Sendable>(_ question: @escaping @Sendable (Value) -> Answer) async -> Answer {
    await withCheckedContinuation { continuation in
      loop.execute { [self] in continuation.resume(returning: question(value!)) }
    }
  }

  /// Ends it, and the loop; returns its last answer.
  func end<Answer: Sendable>(_ stop: @escaping @Sendable (Value) -> Answer) async -> Answer {
    let answer = await withCheckedContinuation { continuation in
      loop.execute { [self] in
        continuation.resume(returning: stop(value!))
        value = nil
      }
    }
    await loop.shutdown()
    return answer
  }
}
