import BonjourishTransport
import FramedTransport
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

/// A question for the record of one service, answered once.
struct RecordRequest: Sendable {
  let key: DirectoryKey
  private let instance: ServiceInstance
  private let answer: LoopAnswer<DirectoryRecord>

  /// - Parameter loop: The loop of the backend.
  init(_ instance: ServiceInstance, _ key: DirectoryKey, on loop: EventLoop) {
    self.instance = instance
    self.key = key
    answer = LoopAnswer(on: loop)
  }

  private var attempt: String { "Connecting to \"\(instance.name.text)\" by the relay" }

  /// Asks.
  ///
  /// - Throws: `unreachable` if there is no such record or the directory is away; `timedOut`; `cancelled`.
  func run(on backend: DirectoryBackend, within limit: Duration) async throws(TransportError) -> DirectoryRecord {
    try await answer.wait(within: limit, orThrow: error("the directory did not answer in time", .timedOut), attempt) {
      backend.assumeIsolated { $0.begin(self) }
    }
  }

  func fail(_ reason: String, because cause: any Error) { answer.give(.failure(error(reason, because: cause))) }

  private func error(
    _ reason: String, _ code: TransportError.Code = .unreachable, because cause: (any Error)? = nil
  ) -> TransportError {
    TransportError(code, "\(attempt) failed: \(reason)", because: cause)
  }

  /// Reads an answer of the server, which is checked as all records are.
  func read(_ message: DirectoryMessage, in region: Region, allowsLoopback: Bool) {
    switch DirectAnswer(message) {
    case .refused(let failure): return fail(failure.text, because: failure)
    case .message(let message, _) where !message.isDeletion: break
    case .none, .message:
      let text = "\(attempt) failed: the directory does not know it"
      return answer.give(.failure(TransportError(.unreachable, text, details: TransportError.notRelayed)))
    }
    do throws(DirectoryRecord.Flaw) {
      answer.give(
        .success(try DirectoryRecord(reading: message.data, at: key.text, in: region, allowsLoopback: allowsLoopback)))
    } catch {
      fail("its record in the directory breaks the rules (\(error))", because: error)
    }
  }
}
