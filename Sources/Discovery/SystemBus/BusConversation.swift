import CBonjourishLinux
package import _BonjourishBusProtocol
package import _BonjourishEventLoop

/// A conversation with the system bus that ends in time, whatever hangs. It blocks its thread.
///
/// The library of D-Bus waits without limit for a bus that hangs when it is connected to, and for 25 seconds for an answer. It does
/// not tell a missing bus from one that does not answer.
package final class BusConversation {
  package enum Failure: Error, Equatable {
    case timedOut
    case system(SystemError)
    case rejected
    /// The bus has ended the conversation, or does not speak D-Bus.
    case ended
    case error(name: String, text: String)
  }

  private let descriptor: OwnedDescriptor
  private let deadline: ContinuousClock.Instant
  private var received: [UInt8] = []
  private var stream = BusStream()
  private var serial: UInt32 = 0
  /// The signals that came while an answer was awaited.
  private var signals: [BusMessage] = []

  /// The path of the bus's socket; nil if the environment names a bus that has none. A leading zero byte stands for an abstract name.
  package static var path: String? {
    guard let address = getenv("DBUS_SYSTEM_BUS_ADDRESS").map({ String(cString: $0) }), !address.isEmpty else {
      return "/run/dbus/system_bus_socket"
    }
    return path(in: address)
  }

  /// The path in an address such as `unix:path=/run/dbus/system_bus_socket,guid=…;tcp:…`.
  package static func path(in address: String) -> String? {
    for one in address.split(separator: ";") where one.hasPrefix("unix:") {
      for pair in one.dropFirst(5).split(separator: ",") {
        if pair.hasPrefix("path=") { return text(of: pair.dropFirst(5)) }
        if pair.hasPrefix("abstract=") { return text(of: pair.dropFirst(9)).map { "\0" + $0 } }
      }
    }
    return nil
  }

  /// The text of a value in an address, where bytes may be written as `%20` (D-Bus specification, "Server Addresses").
  private static func text(of value: Substring) -> String? {
    var rest = value.utf8[...]
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let byte = UInt8(String(Substring(digits)), radix: 16), byte != 0 else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Connects, and identifies this user. A bus that hangs does not answer that.
  ///
  /// - Parameters:
  ///   - path: See ``path``.
  ///   - deadline: When every call of this conversation fails with `timedOut`.
  package init(with path: String, by deadline: ContinuousClock.Instant) throws(Failure) {
    self.deadline = deadline
    do throws(SystemError) {
      descriptor = OwnedDescriptor(
        try systemCall("socket") {
          socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        })
    } catch {
      throw .system(error)
    }
    try connect(to: path)
    let user = String(geteuid()).utf8.map { String($0, radix: 16) }.joined()
    try send([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8))
    let answer = try line()
    guard answer.hasPrefix("OK ") else { throw answer.hasPrefix("REJECTED") ? .rejected : .ended }
  }

  /// Becomes a program of the bus, which can make calls.
  package func begin() throws(Failure) {
    try send(Array("BEGIN\r\n".utf8))
    _ = try call("Hello", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", in: "org.freedesktop.DBus")
  }

  private func connect(to path: String) throws(Failure) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw .system(SystemError("connect", errno: ENAMETOOLONG))
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    // The length counts in an abstract name.
    let length = MemoryLayout<sa_family_t>.size + bytes.count + (bytes.first == 0 ? 0 : 1)
    while true {
      do throws(SystemError) {
        _ = try systemCall("connect") {
          withUnsafePointer(to: &address) {
            CBonjourishLinux.connect(
              descriptor.number, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(length))
          }
        }
        return
      } catch {
        // The queue of a bus that hangs is full.
        guard error.errno == EAGAIN else { throw .system(error) }
        guard deadline > .now else { throw .timedOut }
        usleep(20_000)
      }
    }
  }

  // MARK: - Calls

  /// Calls a method, and returns the first value of the answer. ``begin()`` comes first.
  package func call(
    _ member: String, of interface: String, at path: String, in destination: String, _ arguments: BusValue...
  ) throws(Failure) -> BusValue? {
    serial += 1
    var question = BusMessage.call(member, of: interface, at: path, in: destination, arguments)
    question.serial = serial
    try send(question.encoded)
    while true {
      guard let message = try next() else {
        try receive()
        continue
      }
      guard message.answers == serial else {
        if message.kind == .signal, signals.count < Self.mostSignals { signals.append(message) }
        continue
      }
      guard message.kind == .error else { return message.body?.first }
      var text = ""
      if case .text(let reason)? = message.body?.first { text = reason }
      throw .error(name: message.errorName ?? "", text: text)
    }
  }

  /// The largest number of signals that are kept.
  private static let mostSignals = 1_024

  /// The first values of the signals of this name that have arrived. Does not wait.
  package func values(ofSignal member: String) throws(Failure) -> [BusValue] {
    while try arrives() {}
    while let message = try next() {
      if message.kind == .signal, signals.count < Self.mostSignals { signals.append(message) }
    }
    return signals.filter { $0.member == member }.compactMap { $0.body?.first }
  }

  private func next() throws(Failure) -> BusMessage? {
    stream.append(received)
    received = []
    do throws(BusStream.Malformed) {
      return try stream.next()
    } catch {
      throw .ended
    }
  }

  // MARK: - Bytes

  private func line() throws(Failure) -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeSubrange(...end)
        return line
      }
      try receive()
    }
  }

  private func receive() throws(Failure) {
    // A bus that goes on sending is not waited for.
    guard deadline > .now else { throw .timedOut }
    if try !arrives() { try wait(for: CInt(POLLIN)) }
  }

  /// Takes some of the bytes that have arrived, if there are any.
  private func arrives() throws(Failure) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    guard received.count + stream.count <= 2 * BusMessage.maximumBytes else { throw .ended }
    let count: Int
    do throws(SystemError) {
      count = try systemCall("recv") { recv(descriptor.number, &buffer, buffer.count, 0) }
    } catch {
      guard error.errno == EAGAIN else { throw .system(error) }
      return false
    }
    guard count > 0 else { throw .ended }
    received += buffer[..<count]
    return true
  }

  private func send(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(SystemError) {
        let count = try systemCall("send") {
          rest.withUnsafeBytes { CBonjourishLinux.send(descriptor.number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        }
        rest = rest.dropFirst(count)
      } catch {
        guard error.errno == EAGAIN else { throw .system(error) }
        try wait(for: CInt(POLLOUT))
      }
    }
  }

  private func wait(for events: CInt) throws(Failure) {
    let (seconds, attoseconds) = ContinuousClock.now.duration(to: deadline).components
    let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    guard milliseconds > 0 else { throw .timedOut }
    var one = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
    _ = poll(&one, 1, CInt(clamping: milliseconds))
  }
}
