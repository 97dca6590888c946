import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishSimpleProtocol

@testable import _BonjourishSimpleSocket

/// A socket in a folder of its own, whose look-ups are answered by the test. Sendable: used on its loop only, but for what is locked.
private final class Host: @unchecked Sendable {
  let loop: EventLoop
  let folder: TemporaryFolder
  var path: String { folder.path + "/socket" }
  let requests = Locked<[SimpleRequest]>([])
  let endings = Locked(0)
  let logged = Locked<[String]>([])
  var asked: [SimpleRequest] { requests.withLock { $0 } }
  var ended: Int { endings.withLock { $0 } }
  private var socket: SimpleSocket?
  private var handlers: [@Sendable (SimpleAnswer) -> Void] = []
  /// Answers at once, within the call.
  private let answersAtOnce: SimpleAnswer?

  init(_ limits: SimpleServer.Limits = SimpleServer.Limits(), answersAtOnce: SimpleAnswer? = nil) async throws {
    loop = try EventLoop(name: "test")
    folder = try TemporaryFolder()
    self.answersAtOnce = answersAtOnce
    try await run { host in
      host.socket = try SimpleSocket(
        SimpleListener(at: host.path), on: host.loop, limits: limits,
        lookUp: { [unowned host] request, handler in
          host.handlers.append(handler)
          if let answer = host.answersAtOnce { handler(answer) }
          host.requests.withLock { $0.append(request) }
          return { host.endings.withLock { $0 += 1 } }
        }, log: { [unowned host] message in host.logged.withLock { $0.append(message.text) } })
    }
  }

  func run<Value: Sendable>(_ body: @escaping @Sendable (Host) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      loop.execute { continuation.resume(with: Result { try body(self) }) }
    }
  }

  var count: Int {
    get async throws { try await run { $0.socket?.count ?? 0 } }
  }

  /// Waits until there are so many look-ups, and answers the last one.
  func answer(_ number: Int, _ answer: SimpleAnswer) async throws {
    while asked.count < number { await Task.yield() }
    try await run { $0.handlers[number - 1](answer) }
  }

  func close() async throws {
    try await run { host in
      host.socket?.close()
      host.socket = nil
    }
    await loop.shutdown()
  }

  func connect() throws -> Peer {
    let peer = try Peer()
    try peer.connect(path)
    return peer
  }
}

/// A client of the socket.
private final class Peer: Sendable {
  private let descriptor: OwnedDescriptor

  init() throws {
    descriptor = OwnedDescriptor(try systemCall("socket") { socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0) })
  }

  func connect(_ path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    try withUnsafePointer(to: &address) { pointer throws(SystemError) in
      let pointer = UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      _ = try systemCall("connect") {
        CBonjourishLinux.connect(descriptor.number, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = CBonjourishLinux.send(descriptor.number, bytes, bytes.count, CInt(MSG_NOSIGNAL))
  }

  func closeForWriting() { shutdown(descriptor.number, CInt(SHUT_WR)) }

  /// Everything until the socket closes.
  func all() async throws -> String {
    try await blocking {
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = read(self.descriptor.number, &buffer, buffer.count)
        guard count > 0 else { return String(decoding: text, as: UTF8.self) }
        text += buffer[..<count]
      }
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct SimpleSocketTests {
  private static let found = SimpleAnswer.address(
    IPAddress("10.77.0.2")!, ofHost: "h2.local", .init(interface: 2, family: .ipv4))

  @Test func `a client is answered and closed`() async throws {
    let host = try await Host()
    let peer = try host.connect()
    peer.send("RESOLVE-HOST")
    peer.send("NAME-IPV4 h2.local\nHELP\n")
    try await host.answer(1, Self.found)
    #expect(try await peer.all() == "+ 2 0 h2.local 10.77.0.2\n")
    #expect(host.asked == [.address(ofHost: "h2.local", .ipv4)])
    #expect(host.ended == 0)
    #expect(try await host.count == 0)
    try await host.close()
  }

  @Test func `an answer at once is one, too`() async throws {
    let host = try await Host(answersAtOnce: Self.found)
    let peer = try host.connect()
    peer.send("RESOLVE-HOSTNAME h2.local\n")
    #expect(try await peer.all() == "+ 2 0 h2.local 10.77.0.2\n")
    try await host.close()
    #expect(host.ended == 0)
  }

  @Test func `errors and help are answered by the socket itself`() async throws {
    let host = try await Host()
    for (line, start) in [("HELP\n", "+ "), ("x\n", "-21 "), ("RESOLVE-ADDRESS x\n", "-14 ")] {
      let peer = try host.connect()
      peer.send(line)
      #expect(try await peer.all().hasPrefix(start))
    }
    #expect(host.asked.isEmpty)
    try await host.close()
  }

  @Test func `a client that closes its side after the line is answered`() async throws {
    let host = try await Host()
    let peer = try host.connect()
    peer.send("RESOLVE-ADDRESS 10.77.0.2\n")
    peer.closeForWriting()
    try await host.answer(1, .name("h2.local", .init(interface: 2, family: .ipv4)))
    #expect(try await peer.all() == "+ 2 0 h2.local\n")
    try await host.close()
  }

  @Test func `the look-up of a client that has gone is ended`() async throws {
    let host = try await Host()
    var peer: Peer? = try host.connect()
    peer?.send("RESOLVE-ADDRESS 10.77.0.2\n")
    while host.asked.isEmpty { await Task.yield() }
    peer = nil
    while host.ended == 0 { await Task.yield() }
    #expect(try await host.count == 0)
    // Too late an answer has no effect.
    try await host.answer(1, .timeout)
    try await host.close()
    #expect(host.ended == 1)
  }

  @Test func `look-ups are ended with the socket, which is removed`() async throws {
    let host = try await Host()
    let peer = try host.connect()
    peer.send("RESOLVE-ADDRESS 10.77.0.2\n")
    while host.asked.isEmpty { await Task.yield() }
    try await host.close()
    #expect(try await peer.all() == "")
    #expect(host.ended == 1)
    #expect(try host.folder.contents().isEmpty)
  }

  @Test func `whoever says nothing is closed`() async throws {
    var limits = SimpleServer.Limits()
    limits.silence = .milliseconds(1)
    let host = try await Host(limits)
    #expect(try await host.connect().all() == "")
    try await host.close()
  }

  /// The event that a client had ended was not taken, so that it came again and again.
  @Test(arguments: ["", "RESOLVE-HOST", String(repeating: "x", count: 100_000)])
  func `CVE-2021-3468: a client that ends within its line is closed, and others are served`(text: String) async throws {
    let host = try await Host(answersAtOnce: Self.found)
    for _ in 0..<10 {
      let peer = try host.connect()
      peer.send(text)
      peer.closeForWriting()
      _ = try await peer.all()
    }
    #expect(try await host.count == 0)
    let asking = try host.connect()
    asking.send("RESOLVE-HOSTNAME h2.local\n")
    #expect(try await asking.all() == "+ 2 0 h2.local 10.77.0.2\n")
    try await host.close()
  }

  /// CVE-2025-59529. All clients are of one user here, so that the silent ones make room for those who ask.
  @Test func `ten thousand silent clients do not keep out who asks`() async throws {
    var limits = SimpleServer.Limits()
    limits.clients = 64
    limits.silence = .seconds(3_600)
    let host = try await Host(limits, answersAtOnce: Self.found)
    var silent: [Peer] = []
    for number in 1...10_000 {
      silent.append(try host.connect())
      if silent.count > 100 { silent.removeFirst() }
      guard number.isMultiple(of: 1_000) else { continue }
      let asking = try host.connect()
      asking.send("RESOLVE-HOSTNAME h2.local\n")
      #expect(try await asking.all() == "+ 2 0 h2.local 10.77.0.2\n")
      #expect(try await host.count <= 64)
    }
    #expect(host.logged.withLock { $0.count } == 1)
    try await host.close()
  }

  /// How many descriptors the process may have; nil for as many as it had.
  private static func limitDescriptors(to count: CInt?) throws {
    var limit = rlimit()
    let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    try systemCall("getrlimit") { getrlimit(kind, &limit) }
    limit.rlim_cur = count.map { rlim_t($0) } ?? limit.rlim_max
    try systemCall("setrlimit") { setrlimit(kind, &limit) }
  }

  /// Connects when there is no descriptor to accept with, and returns when that is logged. Another thread may just give one back: then it is
  /// tried again.
  private static func connectInShortage(_ host: Host, logged count: Int) async throws -> Peer {
    while true {
      let (peer, before) = (try Peer(), try await host.count)
      let next = dup(STDIN_FILENO)
      close(next)
      try limitDescriptors(to: next)
      try peer.connect(host.path)
      while host.logged.withLock({ $0.count }) < count, try await host.count <= before { await Task.yield() }
      if host.logged.withLock({ $0.count }) == count { return peer }
      try limitDescriptors(to: nil)
      peer.closeForWriting()
      while try await host.count > before { await Task.yield() }
    }
  }

  /// In a process of its own, whose descriptors they are.
  @Test func `without a descriptor the oldest client makes room, and without clients the next one waits`() async {
    await #expect(processExitsWith: .success) {
      let host = try await Host(answersAtOnce: SimpleSocketTests.found)
      for count in 1...2 {
        while try await host.count > 0 { await Task.yield() }
        let silent = count == 1 ? nil : try host.connect()
        while try await host.count < count - 1 { await Task.yield() }
        let asking = try await SimpleSocketTests.connectInShortage(host, logged: count)
        if silent == nil { try SimpleSocketTests.limitDescriptors(to: nil) }
        asking.send("RESOLVE-HOSTNAME h2.local\n")
        #expect(try await asking.all() == "+ 2 0 h2.local 10.77.0.2\n")
        if let silent { #expect(try await silent.all() == "") }
        try SimpleSocketTests.limitDescriptors(to: nil)
      }
      let reason = SystemError("accept4", errno: EMFILE)
      let evicted = "no descriptor is left: the oldest clients of the user with the most are closed (0 so far)"
      #expect(
        host.logged.withLock { $0 }
          == ["the simple socket: clients have to wait (\(reason))", "the simple socket: \(evicted)"])
      try await host.close()
    }
  }

  @Test func `a socket that was left is replaced, and a file is not`() async throws {
    let host = try await Host()
    _ = try SimpleListener(at: host.folder.path + "/left")
    _ = try SimpleListener(at: host.folder.path + "/left")
    let file = OwnedDescriptor(try systemCall("open") { linux_open(host.folder.path + "/file", O_CREAT | O_WRONLY, 0o600) })
    withExtendedLifetime(file) {}
    let failure = #expect(throws: SimpleListener.Failure.self) { _ = try SimpleListener(at: host.folder.path + "/file") }
    #expect(failure?.description.contains("Address already in use") == true)
    #expect(throws: SimpleListener.Failure.self) { _ = try SimpleListener(at: host.folder.path + "/none/socket") }
    #expect(throws: SimpleListener.Failure.self) { _ = try SimpleListener(at: "/" + String(repeating: "x", count: 200)) }
    try await host.close()
  }

  @Test func `a socket that another daemon has made since stays`() async throws {
    let host = try await Host()
    let other = try SimpleListener(at: host.path)
    try await host.close()
    #expect(try host.folder.contents() == ["socket"])
    withExtendedLifetime(other) {}
  }

  @Test func `all users may connect`() async throws {
    let host = try await Host()
    var status = stat()
    try systemCall("stat") { stat(host.path, &status) }
    #expect(status.st_mode & 0o777 == 0o666)
    try await host.close()
  }
}
