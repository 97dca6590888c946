import CBonjourishLinux
import TestSupport
import _BonjourishBase

/// Two connections that a proxy passes bytes between.
struct Link {
  private let near: CInt
  private let far: CInt
  var forth: OneWay
  var back: OneWay

  init(near: CInt, far: CInt, fault: StressFault?) {
    self.near = near
    self.far = far
    forth = OneWay(source: near, sink: far, fault: fault)
    back = OneWay(source: far, sink: near)
  }

  var isOver: Bool { forth.isOver && back.isOver || forth.isBroken || back.isBroken }

  /// Reads and writes what is possible; returns the number of pieces written.
  mutating func pass(_ polled: ArraySlice<pollfd>, _ generator: inout SeededGenerator) -> Int {
    let first = polled.startIndex
    return forth.pass(polled[first].revents, polled[first + 1].revents, &generator)
      + back.pass(polled[first + 2].revents, polled[first + 3].revents, &generator)
  }

  func close() {
    // A side that broke shall be seen broken on the other.
    if forth.isBroken || back.isBroken {
      for descriptor in [near, far] {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      }
    }
    CBonjourishLinux.close(near)
    CBonjourishLinux.close(far)
  }
}

/// One direction of a link.
struct OneWay {
  /// How large the pieces are for a while.
  private enum Mood: CaseIterable {
    case dribbling, splitting, flowing

    var largestPiece: Int {
      switch self {
      case .dribbling: 9
      case .splitting: 700
      case .flowing: 60_000
      }
    }
  }

  private static let capacity = 65_536

  private let source: CInt
  private let sink: CInt
  private var buffer: [UInt8] = []
  private var sent = 0
  private var mood = Mood.flowing
  /// For how many turns nothing is done.
  private var pause = 0
  private var hasEnded = false
  private(set) var isOver = false
  private(set) var isBroken = false

  /// What is done wrong, and how many bytes came before those in the buffer.
  private let fault: StressFault?
  private var received = 0

  init(source: CInt, sink: CInt, fault: StressFault? = nil) {
    self.source = source
    self.sink = sink
    self.fault = fault
  }

  private var waiting: Int { buffer.count - sent }

  /// What is waited for at either end.
  var pollRequest: (source: pollfd, sink: pollfd) {
    let reads = !hasEnded && waiting < Self.capacity / 2 && pause == 0
    let writes = waiting > 0 && pause == 0
    return (
      pollfd(fd: reads ? source : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: writes ? sink : -1, events: Int16(POLLOUT), revents: 0)
    )
  }

  mutating func pass(_ sourceEvents: Int16, _ sinkEvents: Int16, _ generator: inout SeededGenerator) -> Int {
    guard pause == 0 else {
      pause -= 1
      return 0
    }
    if sourceEvents != 0 { read(&generator) }
    var pieces = 0
    if sinkEvents != 0 { pieces = write(&generator) }
    if hasEnded, waiting == 0, !isOver {
      shutdown(sink, CInt(SHUT_WR))
      isOver = true
    }
    if generator.once(in: 60) { mood = Mood.allCases.randomElement(using: &generator) ?? .flowing }
    if generator.once(in: 200) { pause = generator.number(in: 1..<20) }
    return pieces
  }

  private mutating func read(_ generator: inout SeededGenerator) {
    buffer.removeSubrange(..<sent)
    sent = 0
    let limit = generator.number(in: 1..<Self.capacity)
    let before = buffer.count
    var count = 0
    buffer.append(addingCapacity: limit) { output in
      output.withUnsafeMutableBufferPointer { bytes, initializedCount in
        count = recv(source, bytes.baseAddress, limit, 0)
        if count > 0 { initializedCount = count }
      }
    }
    if let fault {
      var new = Array(buffer[before...])
      fault.change(&new, from: received)
      received += max(0, count)
      buffer.replaceSubrange(before..., with: new)
    }
    if count == 0 { hasEnded = true }
    if count < 0, linux_errno() != EAGAIN, linux_errno() != EINTR { isBroken = true }
  }

  /// Some pieces, so that a turn is worth its poll.
  private mutating func write(_ generator: inout SeededGenerator) -> Int {
    var pieces = 0
    while waiting > 0, pieces < 16 {
      let size = min(waiting, generator.number(in: 1..<mood.largestPiece + 1))
      let count = buffer.withUnsafeBytes { send(sink, $0.baseAddress! + sent, size, CInt(MSG_NOSIGNAL)) }
      guard count > 0 else {
        if linux_errno() != EAGAIN, linux_errno() != EINTR { isBroken = true }
        break
      }
      sent += count
      pieces += 1
    }
    return pieces
  }
}
