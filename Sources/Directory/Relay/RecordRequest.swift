import BonjourishTransport
import DirectoryProtocol
import Discovery
import EventLoop
import FramedTransport

/// A question for the record of one service, answered once. Sendable: used on the module's loop only; `result` is locked.
final class RecordRequest: @unchecked Sendable {
  typealias Answer = Result<DirectoryRecord, TransportError>

  let key: DirectoryKey
  private let instance: ServiceInstance
  private let result = Locked<Answer?>(nil)
  private var timer: LoopTimer?
  private var caller: CheckedContinuation<Void, Never>?

  init(_ instance: ServiceInstance, _ key: DirectoryKey) {
    self.instance = instance
    self.key = key
  }

  /// Asks.
  ///
  /// - Throws: `unreachable` if there is no such record or the directory is away; `timedOut`; `cancelled`.
  func run(on backend: DirectoryBackend, within limit: Duration) async throws(TransportError) -> DirectoryRecord {
    await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        backend.perform { backend in
          guard self.result.withLock({ $0 == nil }) else { return caller.resume() }
          self.caller = caller
          self.timer = backend.loop.schedule(after: limit) {
            self.answer(.failure(self.error("the directory did not answer in time", .timedOut)))
          }
          backend.begin(self)
        }
      }
    } onCancel: {
      backend.perform { _ in self.answer(.failure(self.error("the task was cancelled", .cancelled))) }
    }
    guard let answer = result.withLock({ $0 }) else { preconditionFailure("a caller is resumed with an answer") }
    return try answer.get()
  }

  func error(_ reason: String, _ code: TransportError.Code = .unreachable) -> TransportError {
    TransportError(code, "Connecting to \"\(instance.name.text)\" by the relay failed: \(reason)")
  }

  /// Reads an answer of the server, which is checked as all records are.
  func answer(_ message: DirectoryMessage, in region: Region, allowsLoopback: Bool) {
    if message.status == 404 || message.isDeletion {
      let text = "Connecting to \"\(instance.name.text)\" by the relay failed: the directory does not know it"
      return answer(.failure(TransportError(.unreachable, text, details: TransportError.notRelayed)))
    }
    if let status = message.status {
      return answer(.failure(error(status == 503 ? "nobody answers for the directory's bucket" : "status \(status)")))
    }
    do throws(DirectoryRecord.Flaw) {
      answer(
        .success(try DirectoryRecord(reading: message.data, at: key.text, in: region, allowsLoopback: allowsLoopback)))
    } catch {
      answer(.failure(self.error("its record in the directory breaks the rules (\(error))")))
    }
  }

  func answer(_ answer: Answer) {
    let isFirst = result.withLock { result in
      if result != nil { return false }
      result = answer
      return true
    }
    guard isFirst else { return }
    timer?.cancel()
    timer = nil
    caller?.resume()
    caller = nil
  }
}
