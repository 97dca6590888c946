import FramedCoding

/// Frames to the peer, in order.
extension RequestCore {
  func send(_ frame: RequestFrame, from sender: Outbox.Sender) {
    let body = frame.encoded(upTo: connection.format.largestBodySize)
    if !sendAtOnce(body) { queue(body, from: sender) }
  }

  /// Sends a frame, unless it or an earlier frame must wait.
  func sendAtOnce(_ body: [UInt8]) -> Bool {
    guard outbox.isEmpty else { return false }
    do throws(TransportError) {
      return try connection.trySend(body)
    } catch {
      noteBroken()
      return true
    }
  }

  func queue(_ body: [UInt8], from origin: Outbox.Sender) {
    outbox.append(body, from: origin)
    guard sender == nil else { return }
    sender = Task {
      while !Task.isCancelled, let body = outbox.first() {
        do throws(TransportError) {
          try await connection.send(body)
        } catch {
          noteBroken()
        }
        guard !isOver else { break }
        outbox.removeFirst()?.resume(returning: .success(()))
      }
      sender = nil
    }
  }

  /// Handles a broken connection. `takeFrames` finds the error, unless the peer had ended its side in order before.
  private func noteBroken() {
    if isFinishing { end(nil) }
  }
}
