import CBonjourishLinux
import _BonjourishBusProtocol
import _BonjourishEventLoop

/// A connection to the system bus that never blocks. Confined to the loop.
///
/// It says who this program is and then passes messages. The conversation is the machine's.
final class BusConnection {
  enum Event {
    /// Messages can be sent.
    case opened
    case received(BusMessage)
    /// The connection is of no more use.
    case ended(reason: String)
  }

  private enum Stage { case connecting, identifying, open, ended }

  /// While more bytes wait to be sent, nothing is read: calls of programs make answers.
  private static let muchWaiting = 16 << 20
  /// The most bytes that may wait to be sent.
  private static let mostWaiting = 256 << 20
  /// A bus that takes nothing for this time hangs.
  private static let hangingTime: Duration = .seconds(30)
  private static let receiveSize = 65_536

  private let loop: EventLoop
  private let descriptor: OwnedDescriptor
  private let handler: (Event) -> Void
  private var watch: DescriptorSource?
  /// Runs while the bus takes nothing.
  private var hanging: LoopTimer?
  private var stage = Stage.connecting
  private var line: [UInt8] = []
  private var stream = BusStream()
  private var waiting: [UInt8] = []
  /// How many of the waiting bytes have been sent.
  private var sent = 0
  private var isFlushing = false
  private var buffer = [UInt8](repeating: 0, count: receiveSize)

  /// Begins to connect.
  ///
  /// - Parameters:
  ///   - path: The path of the bus's socket; a leading zero byte stands for an abstract name.
  ///   - loop: The loop that calls the handler.
  ///   - handler: Called with each event, never from within a method of this type.
  /// - Throws: ``SystemError`` when there is no bus, or it is too busy.
  init(to path: String, on loop: EventLoop, _ handler: @escaping (Event) -> Void) throws(SystemError) {
    self.loop = loop
    self.handler = handler
    descriptor = OwnedDescriptor(
      try systemCall("socket") {
        socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      })
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw SystemError("connect", errno: ENAMETOOLONG) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    // The length counts in an abstract name.
    let length = MemoryLayout<sa_family_t>.size + bytes.count + (bytes.first == 0 ? 0 : 1)
    try systemCall("connect") {
      withUnsafePointer(to: &address) {
        connect(descriptor.number, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(length))
      }
    }
    watch = try loop.watch(descriptor.number, for: .readable) { [weak self] events in self?.happened(events) }
    stage = .identifying
    let user = String(geteuid()).utf8.map { String($0, radix: 16) }.joined()
    write([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8))
  }

  deinit {
    assert(watch == nil, "a connection to the bus was not closed")
  }

  /// Sends a message at the end of this tick, together with others.
  func send(_ message: BusMessage) {
    guard stage == .open else { return }
    write(message.encoded)
  }

  /// Sends what waits, as far as the bus takes it at once, and ends the connection without an event.
  func close() {
    flush()
    stage = .ended
    watch?.cancel()
    watch = nil
    hanging?.cancel()
    hanging = nil
  }

  private func end(_ reason: String) {
    guard stage != .ended else { return }
    close()
    handler(.ended(reason: reason))
  }

  // MARK: - Writing

  private func write(_ bytes: [UInt8]) {
    waiting += bytes
    guard !isFlushing else { return }
    isFlushing = true
    loop.atEndOfTick { [weak self] in
      guard let self else { return }
      isFlushing = false
      flush()
      if waiting.count - sent > Self.mostWaiting { end("the bus does not take what is sent") }
    }
  }

  private func flush() {
    guard stage != .ended else { return }
    let former = sent
    while sent < waiting.count {
      do throws(SystemError) {
        sent += try systemCall("send") {
          waiting.withUnsafeBytes {
            CBonjourishLinux.send(
              descriptor.number, $0.baseAddress?.advanced(by: sent), $0.count - sent, CInt(MSG_NOSIGNAL))
          }
        }
      } catch {
        // Another error comes to light when something is received.
        if error.errno != EAGAIN { sent = waiting.count }
        wait(hasProgress: sent > former)
        return
      }
    }
    hanging?.cancel()
    hanging = nil
    // A large buffer of a burst is given back.
    waiting.removeAll(keepingCapacity: waiting.capacity <= Self.receiveSize)
    sent = 0
    watch?.update(.readable)
  }

  /// Waits until the bus takes more.
  private func wait(hasProgress: Bool) {
    watch?.update(waiting.count - sent > Self.muchWaiting ? .writable : [.readable, .writable])
    if hasProgress || hanging == nil {
      hanging?.cancel()
      hanging = loop.schedule(after: Self.hangingTime) { [weak self] in self?.end("the bus takes nothing") }
    }
    // The rest is moved seldom: not more bytes in all than were sent.
    if sent > max(Self.receiveSize, waiting.count / 2) {
      waiting.removeFirst(sent)
      sent = 0
    }
  }

  // MARK: - Reading

  private func happened(_ events: DescriptorEvents) {
    if events.contains(.writable) { flush() }
    guard !events.intersection([.readable, .readHangUp, .hangUp, .error]).isEmpty else { return }
    let count: Int
    do throws(SystemError) {
      count = try systemCall("recv") { recv(descriptor.number, &buffer, buffer.count, 0) }
    } catch {
      return error.errno == EAGAIN ? () : end("\(error)")
    }
    guard count > 0 else { return end("the bus has ended the connection") }
    switch stage {
    case .connecting, .ended: return
    case .identifying: identify(buffer[..<count])
    case .open: take(buffer[..<count])
    }
  }

  private func identify(_ bytes: ArraySlice<UInt8>) {
    line += bytes
    guard let place = line.firstIndex(of: UInt8(ascii: "\n")) else {
      return line.count > 1_024 ? end("the bus does not speak D-Bus") : ()
    }
    let answer = String(decoding: line[..<place].prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    guard answer.hasPrefix("OK ") else { return end("the bus refuses this user: \(answer)") }
    write(Array("BEGIN\r\n".utf8))
    stage = .open
    let rest = line[(place + 1)...]
    line = []
    handler(.opened)
    take(rest)
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    stream.append(bytes)
    do throws(BusStream.Malformed) {
      while stage == .open, let message = try stream.next() { handler(.received(message)) }
    } catch {
      end("the bus sent what is not D-Bus")
    }
  }
}
