import Testing
import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishSimpleProtocol

struct SimpleServerTests {
  private var server = SimpleServer()
  private let start = ContinuousClock.now

  private mutating func client(user: UInt32 = 1_000, after seconds: Double = 0) -> SimpleServer.ID {
    server.connect(user: user, at: start + .seconds(seconds)).0
  }

  private mutating func send(_ text: String, from id: SimpleServer.ID, after seconds: Double = 0) -> [SimpleServer.Effect] {
    server.receive(Array(text.utf8), from: id, at: start + .seconds(seconds))
  }

  /// What a client is told for its line.
  private mutating func answer(to line: String) -> String? {
    guard case .write(_, let bytes)? = send(line, from: client()).first else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func request(_ line: String) -> SimpleRequest? {
    guard case .lookUp(_, let request)? = send(line, from: client()).last else { return nil }
    return request
  }

  @Test mutating func `lines become requests`() {
    #expect(request("RESOLVE-HOSTNAME h1.local\n") == .address(ofHost: "h1.local", nil))
    #expect(request("RESOLVE-HOSTNAME-IPV4 h1.local\n") == .address(ofHost: "h1.local", .ipv4))
    #expect(request("  RESOLVE-HOSTNAME-IPV6\th1.local \r\n") == .address(ofHost: "h1.local", .ipv6))
    #expect(request("RESOLVE-HOSTNAME h1.local and more\n") == .address(ofHost: "h1.local", nil))
    #expect(request("RESOLVE-ADDRESS 10.77.0.1\n") == .name(of: IPAddress("10.77.0.1")!))
    #expect(request("RESOLVE-ADDRESS fe80::1\n") == .name(of: IPAddress("fe80::1")!))
  }

  @Test mutating func `what makes no sense is answered with the number of its error`() {
    #expect(answer(to: "\n") == "-21 The line has no command; try HELP\n")
    #expect(answer(to: " \t\n") == "-21 The line has no command; try HELP\n")
    for line in [
      "help\n", "RESOLVE-HOSTNAME\n", "RESOLVE-HOSTNAMES x\n", "RESOLVE-ADDRESS\n", "BROWSE-DNS-SERVERS x\n", "GET /\n",
    ] {
      #expect(answer(to: line)?.hasPrefix("-21 No command, or not with these arguments: ") == true, "\(line)")
    }
    #expect(answer(to: "RESOLVE-ADDRESS 10.77\n") == "-14 No IP address: 10.77\n")
    #expect(answer(to: "RESOLVE-ADDRESS fe80::1%eth0\n") == "-14 No IP address: fe80::1%eth0\n")
    #expect(
      answer(to: "HELP\n") == """
        + One command a connection:
        + RESOLVE-HOSTNAME NAME, RESOLVE-HOSTNAME-IPV4 NAME, RESOLVE-HOSTNAME-IPV6 NAME
        + RESOLVE-ADDRESS ADDRESS

        """)
  }

  @Test mutating func `words are as long as avahi-daemon reads them, and their rest is the next word`() {
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    #expect(answer(to: text(64) + "\n") == "-21 No command, or not with these arguments: \(text(63)); try HELP\n")
    #expect(request("RESOLVE-HOSTNAME \(text(1_014))\n") == .address(ofHost: text(1_013), nil))
    #expect(request("RESOLVE-HOSTNAME \(text(1_013))\n") == .address(ofHost: text(1_013), nil))
    for blank in ["\t", "\u{0B}", "\u{0C}", "\r"] {
      #expect(request("RESOLVE-HOSTNAME\(blank)h1.local\(blank)\n") == .address(ofHost: "h1.local", nil))
    }
    for sign in ["\u{08}", "\u{0E}", "\u{1F}", "!"] {
      #expect(request("RESOLVE-HOSTNAME h1\(sign)\n") == .address(ofHost: "h1\(sign)", nil))
    }
  }

  @Test mutating func `bytes that are not text, and zeros, are answered`() {
    let id = client()
    let effects = server.receive([0x52, 0xFF, 0x00, 0x41, 0x0A], from: id, at: start)
    guard case .write(id, let bytes)? = effects.first else { return #expect(Bool(false), "\(effects)") }
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("-21 "))
  }

  @Test mutating func `an answer is written, and the client closed`() {
    let id = client()
    #expect(send("RESOLVE-HOSTNAME h2.local\n", from: id) == [.lookUp(id, .address(ofHost: "h2.local", nil))])
    #expect(!server.isReading(id))
    let found = SimpleAnswer.address(IPAddress("fe80::2%eth0")!, ofHost: "h2.local", .init(interface: 3, family: .ipv6))
    let line = Array("+ 3 1 h2.local fe80::2\n".utf8)
    #expect(server.answer(found, to: id, at: start) == [.write(id, line)])
    #expect(server.wrote(10, to: id, at: start) == [])
    #expect(server.wrote(line.count - 10, to: id, at: start) == [.close(id)])
    #expect(server.count == 0)
    #expect(server.answer(found, to: id, at: start) == [])
  }

  @Test func `answers have the form that libnss-mdns reads`() {
    let source = SimpleAnswer.Source(interface: 2, family: .ipv4)
    #expect(SimpleAnswer.address(IPAddress("10.77.0.2")!, ofHost: "h2.local", source).line == "+ 2 0 h2.local 10.77.0.2\n")
    #expect(SimpleAnswer.name("h2.local", source).line == "+ 2 0 h2.local\n")
    #expect(SimpleAnswer.timeout.line == "-15 Timeout reached\n")
    #expect(SimpleAnswer.invalidHostName.line == "-3 Invalid host name\n")
    #expect(SimpleAnswer.notSupported.line == "-49 Not supported\n")
  }

  @Test func `a stranger's name makes no other words or lines`() {
    let source = SimpleAnswer.Source(interface: 2, family: .ipv4)
    #expect(
      SimpleAnswer.name("a b\n+ 2 0 x\u{7F}\u{85}é.local", source).line
        == "+ 2 0 a\\032b\\010+\\0322\\0320\\032x\\127\\194\\133é.local\n")
    #expect(SimpleAnswer.failure(.timeout, "a\nb").line == "-15 ab\n")
  }

  @Test mutating func `a line may come in pieces, and what follows it does not count`() {
    let id = client()
    #expect(send("RESOLVE-ADDRESS ", from: id) == [])
    #expect(server.isReading(id))
    #expect(send("10.77.0.1\nHELP\n", from: id) == [.lookUp(id, .name(of: IPAddress("10.77.0.1")!))])
    #expect(send("HELP\n", from: id) == [])
  }

  /// A client that never ends its line (after radamsa on Avahi's socket, avahi-daemon's buffer of 20 KiB).
  @Test mutating func `a line without end is refused`() {
    let id = client()
    for _ in 0..<10 { #expect(send(String(repeating: "x", count: 100), from: id) == []) }
    let effects = send(String(repeating: "x", count: 1 << 20), from: id)
    #expect(effects == [.write(id, Array("-21 The line is too long\n".utf8))])
    let other = client()
    let longest = "HELP " + String(repeating: "x", count: 1_082)
    #expect(send(longest + "\n", from: other).count == 1)
    #expect(answer(to: longest + "x\n") == "-21 The line is too long\n")
  }

  @Test mutating func `whoever says nothing is closed after five seconds`() {
    let id = client()
    _ = send("RESOLVE", from: id, after: 4)
    #expect(server.nextDeadline == start + .seconds(5))
    #expect(server.timePasses(at: start + .seconds(4.9)) == [])
    #expect(server.timePasses(at: start + .seconds(5)) == [.close(id)])
    #expect(server.nextDeadline == nil)
  }

  @Test mutating func `a look-up that takes too long is answered`() {
    let id = client()
    _ = send("RESOLVE-HOSTNAME h2.local\n", from: id, after: 1)
    #expect(server.nextDeadline == start + .seconds(11))
    #expect(
      server.timePasses(at: start + .seconds(11)) == [.cancel(id), .write(id, Array("-15 Timeout reached\n".utf8))])
    // Whoever does not read the answer is closed.
    #expect(server.timePasses(at: start + .seconds(16)) == [.close(id)])
  }

  @Test mutating func `a client that has closed its side is answered, and one that has gone is not`() {
    let (half, gone, silent) = (client(), client(), client())
    for id in [half, gone] { _ = send("RESOLVE-ADDRESS 10.77.0.1\n", from: id) }
    #expect(server.receiveEnd(from: half, at: start) == [])
    #expect(server.disconnect(gone) == [.cancel(gone), .close(gone)])
    #expect(server.receiveEnd(from: silent, at: start) == [.close(silent)])
    #expect(server.answer(.timeout, to: half, at: start) == [.write(half, Array("-15 Timeout reached\n".utf8))])
    #expect(server.disconnect(gone) == [])
  }

  @Test(arguments: ["", "-IPV4", "-IPV6"]) mutating func `name servers are not looked for`(suffix: String) {
    #expect(answer(to: "BROWSE-DNS-SERVERS\(suffix)\n") == "-49 Not supported\n")
  }

  @Test mutating func `there are no more clients than files that may be opened`() {
    #expect([1_024, 512, 256, 64].map { SimpleServer.Limits(openFiles: $0).clients } == [512, 384, 128, 1])
    #expect(server.evict() == [] && server.evictions == 0)
    let (silent, other) = (client(user: 1), client(user: 2))
    _ = send("RESOLVE-ADDRESS 10.77.0.1\n", from: other)
    #expect(server.evict() == [.close(silent)])
    #expect(server.evict() == [.cancel(other), .close(other)] && server.evictions == 2)
  }

  /// avahi-daemon went on reading for ever from who had ended within a line, or had sent a longer one than there may be.
  @Test(arguments: [0, 1, 20, 1_087, 1_088, 5_000])
  mutating func `CVE-2021-3468: a client that ends within its line is closed at once`(length: Int) {
    let id = client()
    var effects = send(String(repeating: "x", count: length), from: id)
    if effects.isEmpty { effects = server.receiveEnd(from: id, at: start) }
    // Closed, or told why and then closed.
    if case .write(_, let bytes)? = effects.first { effects += server.wrote(bytes.count, to: id, at: start) }
    #expect(effects.last == .close(id))
    #expect(server.count == 0 && server.nextDeadline == nil)
    #expect(server.receiveEnd(from: id, at: start).isEmpty && server.timePasses(at: start + .seconds(100)).isEmpty)
  }

  /// CVE-2025-59529: avahi-daemon's limit of clients had no effect, and one user could take all of its descriptors.
  @Test mutating func `ten thousand silent clients of one user keep nobody out`() {
    let honest = client(user: 1)
    var closed: [SimpleServer.ID] = []
    for index in 0..<10_000 {
      let (_, effects) = server.connect(user: 666, at: start + .milliseconds(index / 10))
      for case .close(let id) in effects { closed.append(id) }
    }
    #expect(server.count == 512)
    #expect(server.evictions == 10_000 - 511)
    #expect(!closed.contains(honest))
    // The oldest ones have gone.
    #expect(closed == closed.sorted())
    #expect(send("RESOLVE-ADDRESS 10.77.0.1\n", from: honest).count == 1)
    let other = client(user: 2, after: 2)
    #expect(send("RESOLVE-ADDRESS 10.77.0.1\n", from: other, after: 2).count == 1)
  }

  @Test mutating func `of the user with the most clients, those who ask stay longer than those who say nothing`() {
    var limits = SimpleServer.Limits()
    limits.clients = 3
    server = SimpleServer(limits)
    let asking = client(user: 1)
    _ = send("RESOLVE-ADDRESS 10.77.0.1\n", from: asking)
    let silent = client(user: 1, after: 1)
    let root = client(user: 0, after: 1)
    #expect(server.connect(user: 0, at: start + .seconds(2)).1 == [.close(silent)])
    // Root has two now, and the newest asks.
    #expect(server.connect(user: 0, at: start + .seconds(3)).1 == [.close(root)])
    #expect(server.isWaiting(asking))
  }

  @Test mutating func `all clients are closed at the end`() {
    let (asking, silent) = (client(), client())
    _ = send("RESOLVE-ADDRESS 10.77.0.1\n", from: asking)
    #expect(server.end() == [.cancel(asking), .close(asking), .close(silent)])
    #expect(server.count == 0 && server.nextDeadline == nil)
  }

  @Test mutating func `random clients leave nothing behind`() {
    var random = SeededGenerator(seed: 11)
    var known: [SimpleServer.ID] = []
    var unwritten: [SimpleServer.ID: Int] = [:]
    var waiting: Set<SimpleServer.ID> = []
    var limits = SimpleServer.Limits()
    limits.clients = 8
    server = SimpleServer(limits)
    func follow(_ effects: [SimpleServer.Effect]) {
      for effect in effects {
        switch effect {
        case .lookUp(let id, _): #expect(waiting.insert(id).inserted)
        case .cancel(let id): #expect(waiting.remove(id) != nil)
        case .write(let id, let bytes): unwritten[id, default: 0] += bytes.count
        case .close(let id):
          #expect(!waiting.contains(id))
          unwritten[id] = nil
        }
      }
    }
    let lines = ["HELP\n", "RESOLVE-ADDRESS 10.0.0.1\n", "RESOLVE-HOSTNAME a\n", "BROWSE-DNS-SERVERS\n", "x", "\n"]
    for step in 0..<20_000 {
      let now = start + .milliseconds(step * 5)
      let id = known.suffix(12).randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<7, using: &random) {
      case 0:
        let (new, effects) = server.connect(user: UInt32.random(in: 0..<3, using: &random), at: now)
        known.append(new)
        follow(effects)
      case 1: follow(server.receive(Array(lines.randomElement(using: &random)!.utf8), from: id, at: now))
      case 2: follow(server.receiveEnd(from: id, at: now))
      case 3: follow(server.disconnect(id))
      case 4:
        let wasWaiting = server.isWaiting(id)
        let effects = server.answer(.timeout, to: id, at: now)
        if wasWaiting { waiting.remove(id) }
        follow(effects)
      case 5:
        if let count = unwritten[id], count > 0 {
          let part = Int.random(in: 1...count, using: &random)
          unwritten[id] = count - part
          follow(server.wrote(part, to: id, at: now))
        }
      default: follow(server.timePasses(at: now))
      }
      #expect(server.count <= 8)
    }
    follow(server.end())
    #expect(waiting.isEmpty)
    #expect(server.count == 0)
  }
}
