import CBonjourishLinux
import _BonjourishConsole
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Datagrams of almost 9,000 bytes that are made to take long, and how long the engine takes for each kind.
struct Hostile {
  private static let services = 20
  private static let datagrams = 100
  private static let host = [UInt8]([4]) + "evil".utf8 + [5] + "local".utf8 + [0]
  /// Where the first name of a message begins.
  private static let header = 12

  /// An engine that publishes and browses, after everything was announced.
  private static func makeEngine() throws -> MulticastEngine {
    var engine = MulticastEngine(seed: 1)
    _ = engine.handle(.linkUp(link, addresses: [InterfaceAddress(.ipv4(0x0A00_0001), prefixLength: 8)]), at: .zero)
    _ = engine.handle(.setHostName(try DNSName("victim.local")), at: .zero)
    for number in 0..<services {
      let name = try type.adding(label: "victim \(number)")
      let records = [
        PublishedRecord(type, .data(.ptr(name)), .shared),
        PublishedRecord(name, .serviceOfThisHost(port: 1), .unique), PublishedRecord(name, .data(.txt([0])), .unique),
      ]
      _ = engine.handle(.publish(.init(UInt64(number)), records), at: .zero)
      for asked in [DNSType.srv, .txt] {
        _ = engine.handle(
          .ask(.init(UInt64(100 + number * 2 + (asked == .srv ? 0 : 1))), name, asked), at: .zero)
      }
    }
    _ = engine.handle(.ask(.init(1), type, .ptr), at: .zero)
    while let next = engine.nextDeadline, next < .seconds(10) { _ = engine.handle(.timePassed, at: next) }
    return engine
  }

  /// Tells the microseconds for a datagram of the slowest kind.
  static func tell() throws {
    var slowest = 0.0
    for (name, make) in kinds {
      for port in [MulticastEngine.port, 40_000] {
        let packets = try (0..<datagrams).map { try make($0) }
        var engine = try makeEngine()
        var now = Duration.seconds(10)
        let before = processorMicroseconds()
        for (index, packet) in packets.enumerated() {
          let source = MulticastSource(.ipv4(0x0A00_0100 + UInt32(index % 50)), port: port, link: link)
          now += .milliseconds(50)
          _ = engine.handle(.received(packet, from: source, to: .multicast), at: now)
          while let next = engine.nextDeadline, next < now + .milliseconds(50) { _ = engine.handle(.timePassed, at: next) }
        }
        let microseconds = (processorMicroseconds() - before) / Double(datagrams)
        if CommandLine.arguments.contains("--all") {
          Output.standard.line("\(name)_from_port_\(port)_microseconds \(Int(microseconds))")
        }
        slowest = max(slowest, microseconds)
      }
    }
    Output.standard.line("slowest_datagram_microseconds \(Int(slowest))")
  }

  /// What this process has used of processors.
  private static func processorMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1_000_000 + Double(time.tv_nsec) / 1_000
  }

  // MARK: - Kinds

  private static let kinds: [(name: String, make: @Sendable (Int) throws -> [UInt8])] = [
    ("questions", { _ in try repeated(.question, first: type, [0, 12, 0, 1]) }),
    ("questions_for_any", { number in try repeated(.question, first: victim(number), [0, 255, 0, 1]) }),
    ("questions_for_unicast", { number in try repeated(.question, first: victim(number), [0, 33, 0x80, 1]) }),
    ("different_questions", { number in distinct(.question, seed: number, [0, 1, 0, 1]) }),
    ("probes", { number in try probe(for: victim(number)) }),
    ("known_answers", { number in try repeated(.answer, first: type, record(12, 4500, [0xC0, 12]), isResponse: false) }),
    ("conflicts", { number in try repeated(.answer, first: victim(number), record(33, 120, [0, 0, 0, 0, 0, 9, 0xC0, 12])) }),
    ("new_addresses", { number in distinct(.answer, seed: number, record(1, 120, [10, 0, 0, 1])) }),
    ("new_services", { number in try instances(seed: number, timeToLive: 4500) }),
    ("goodbyes", { number in try instances(seed: number / 2, timeToLive: number % 2 == 0 ? 4500 : 0) }),
    ("many_addresses_of_a_name", { number in try addresses(of: "victim.local", seed: number) }),
    ("long_names", { number in long(record(1, 120, [10, 0, 0, UInt8(truncatingIfNeeded: number)])) }),
    (
      "denials",
      { number in
        try repeated(.answer, first: victim(number), record(47, 120, [0xC0, 12, 0, 32] + [UInt8](repeating: 255, count: 32)))
      }
    ),
    ("pointers", { _ in pointers() }),
    ("noise", { number in noise(number) }),
  ]

  private enum Section: Int { case question, answer, authority, additional }

  private static func victim(_ number: Int) throws -> DNSName { try type.adding(label: "victim \(number % services)") }

  /// Type, class with the cache-flush bit, lifetime and data of a record.
  private static func record(_ type: UInt8, _ timeToLive: Int, _ data: [UInt8]) -> [UInt8] {
    let seconds = [UInt8(truncatingIfNeeded: timeToLive >> 8), UInt8(truncatingIfNeeded: timeToLive)]
    return [0, type, 0x80, 1, 0, 0] + seconds + [0, UInt8(data.count)] + data
  }

  private static func message(isResponse: Bool, _ counts: [Int], _ body: [UInt8]) -> [UInt8] {
    [0, 0, isResponse ? 0x84 : 0, 0] + counts.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } + body
  }

  private static func counts(_ section: Section, _ count: Int) -> [Int] {
    (0..<4).map { $0 == section.rawValue ? count : 0 }
  }

  /// As many elements as fit, all with the name of the first.
  private static func repeated(_ section: Section, first name: DNSName, _ rest: [UInt8], isResponse: Bool? = nil) throws
    -> [UInt8]
  {
    var body = encoded(name) + rest
    var count = 1
    while header + body.count + 2 + rest.count <= DNSMessage.maximumBytes {
      body += [0xC0, 12] + rest
      count += 1
    }
    return message(isResponse: isResponse ?? (section != .question), counts(section, count), body)
  }

  /// As many elements as fit, each with a name of its own.
  private static func distinct(_ section: Section, seed: Int, _ rest: [UInt8]) -> [UInt8] {
    var body = host + rest
    var count = 1
    while header + body.count + 8 + rest.count <= DNSMessage.maximumBytes {
      let number = seed * 1_000 + count
      body += [4] + (0..<4).map { UInt8(ascii: "a") + UInt8(number >> (4 * $0) & 15) } + [0xC0, 12] + rest
      count += 1
    }
    return message(isResponse: section != .question, counts(section, count), body)
  }

  /// Pointers to as many new instances of the type as fit.
  private static func instances(seed: Int, timeToLive: Int) throws -> [UInt8] {
    var body: [UInt8] = []
    var count = 0
    while header + body.count + 40 <= DNSMessage.maximumBytes {
      let number = seed * 1_000 + count
      let name = count == 0 ? encoded(type) : [0xC0, 12]
      body +=
        name + record(12, timeToLive, [4] + (0..<4).map { UInt8(ascii: "a") + UInt8(number >> (4 * $0) & 15) } + [0xC0, 12])
      count += 1
    }
    return message(isResponse: true, counts(.answer, count), body)
  }

  private static func addresses(of name: String, seed: Int) throws -> [UInt8] {
    var body: [UInt8] = []
    var count = 0
    let first = encoded(try DNSName(name))
    while header + body.count + 32 <= DNSMessage.maximumBytes {
      body +=
        (count == 0 ? first : [0xC0, 12])
        + record(1, 120, [10, UInt8(truncatingIfNeeded: seed), UInt8(count >> 8), UInt8(count & 255)])
      count += 1
    }
    return message(isResponse: true, counts(.answer, count), body)
  }

  private static func encoded(_ name: DNSName) -> [UInt8] {
    name.labels.reduce(into: []) { $0 += [UInt8($1.count)] + $1 } + [0]
  }

  private static func probe(for name: DNSName) throws -> [UInt8] {
    let labels = encoded(name)
    var body = labels + [0, 255, 0x80, 1]
    var count = 0
    while header + body.count + 40 <= DNSMessage.maximumBytes {
      body += [0xC0, 12] + record(33, 120, [0, 0, 0, 0, UInt8(count >> 8), UInt8(count & 255), 0xC0, 12])
      count += 1
    }
    return message(isResponse: false, [1, 0, count, 0], body)
  }

  /// Records with a name of 127 labels.
  private static func long(_ rest: [UInt8]) -> [UInt8] {
    var body = (0..<126).flatMap { [1, UInt8(97 + $0 % 26)] } + [0] + rest
    var count = 1
    while header + body.count + 2 + rest.count <= DNSMessage.maximumBytes {
      body += [0xC0, 12] + rest
      count += 1
    }
    return message(isResponse: true, counts(.answer, count), body)
  }

  /// Names that are pointers to pointers.
  private static func pointers() -> [UInt8] {
    let rest = record(1, 120, [10, 0, 0, 1])
    var body = host + rest
    var previous = header
    var count = 1
    while header + body.count + 2 + rest.count <= DNSMessage.maximumBytes {
      let place = header + body.count
      body += [0xC0 | UInt8(previous >> 8), UInt8(previous & 255)] + rest
      previous = place
      count += 1
    }
    return message(isResponse: true, counts(.answer, count), body)
  }

  private static func noise(_ seed: Int) -> [UInt8] {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    return message(
      isResponse: seed % 2 == 0, [200, 200, 200, 200],
      (0..<8_900).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56) & 0x0F
      })
  }
}
