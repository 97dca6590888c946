import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// Which records of this machine are in each other's way, and how programs want them to be published: as Avahi has it.
@Suite struct ConflictTests {
  private static let prefix = "org.freedesktop.Avahi."
  // AVAHI_PUBLISH_UNIQUE, …_NO_PROBE, …_NO_ANNOUNCE, …_ALLOW_MULTIPLE.
  private static let unique: UInt32 = 1
  private static let noProbe: UInt32 = 2
  private static let noAnnounce: UInt32 = 4
  private static let multiple: UInt32 = 8

  private let sshfp = DNSType(rawValue: 44)

  /// A program with a group, which adds records; they return the error, or "" for none.
  private struct Program {
    let client: String
    let group: String

    init(_ client: String, _ bench: inout Bench) {
      self.client = client
      group = bench.make("EntryGroupNew", by: client, [])
    }

    func add(
      _ name: String, _ type: DNSType, _ bytes: [UInt8], flags: UInt32 = ConflictTests.unique, timeToLive: UInt32 = 60,
      interface: Int32 = -1, _ bench: inout Bench
    ) -> String {
      error(
        bench.call(
          "AddRecord", group,
          [.int32(interface), .int32(-1), .uint32(flags), .text(name), .uint16(1), .uint16(type.rawValue)]
            + [.uint32(timeToLive), .bytes(bytes)], by: client))
    }

    func add(_ name: String, address: String, flags: UInt32 = 0, _ bench: inout Bench) -> String {
      error(bench.call("AddAddress", group, any + [.uint32(flags), .text(name), .text(address)], by: client))
    }

    func add(service port: UInt16, _ bench: inout Bench) -> String {
      error(bench.call("AddService", group, GroupTests.service(port: port), by: client))
    }

    private func error(_ answer: BusMessage?) -> String {
      answer?.errorName.map { String($0.dropFirst(ConflictTests.prefix.count)) } ?? ""
    }
  }

  @Test func `records of the host's name are published, if they are not in the way of its addresses`() throws {
    var bench = Bench()
    let one = Program(":1.5", &bench)
    #expect(one.add("h1.local", sshfp, [4, 1, 9], &bench) == "")
    #expect(one.add("h1.local", .txt, [1, 68], &bench) == "")
    // The host's own addresses allow others, and so do those of AddAddress.
    #expect(one.add("h1.local", address: "10.0.0.9", &bench) == "")
    #expect(one.add("h1.local", .a, [10, 0, 0, 8], &bench) == "CollisionError")
    #expect(one.add("h1.local", .a, [10, 0, 0, 8], flags: 0, &bench) == "CollisionError")
    #expect(one.add("h1.local", .a, [10, 0, 0, 8], flags: Self.unique | Self.multiple, &bench) == "")
    bench.call("Commit", of: "EntryGroup", at: one.group)
    guard case .publish(_, let records, _)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(records.map(\.name).prefix(3) == [name("h1.local"), name("h1.local"), name("h1.local")])
    // Without addresses of its own, the name is free.
    var settings = DaemonSettings()
    settings.publishesAddresses = false
    var other = Bench(settings)
    let program = Program(":1.5", &other)
    #expect(program.add("h1.local", .a, [10, 0, 0, 8], &other) == "")
  }

  @Test func `what says the same is no conflict, and another type is none either`() {
    var bench = Bench()
    let (one, other) = (Program(":1.5", &bench), Program(":1.6", &bench))
    #expect(one.add("x.local", .txt, [1, 68], &bench) == "")
    #expect(other.add("x.local", .txt, [1, 68], &bench) == "")
    #expect(other.add("x.local", .txt, [1, 69], &bench) == "CollisionError")
    #expect(one.add("x.local", .txt, [1, 69], &bench) == "CollisionError")
    #expect(other.add("x.local", sshfp, [4, 1, 9], &bench) == "")
    #expect(one.add(service: 80, &bench) == "" && other.add(service: 80, &bench) == "")
    #expect(other.add(service: 81, &bench) == "CollisionError")
    // A shared record is in the way of a unique one, and not of another shared one.
    #expect(one.add("y.local", .txt, [1, 68], flags: 0, &bench) == "")
    #expect(other.add("y.local", .txt, [1, 69], flags: 0, &bench) == "")
    #expect(other.add("y.local", .txt, [1, 70], &bench) == "CollisionError")
    #expect(other.add("y.local", .txt, [1, 68], &bench) == "CollisionError")
    // Not on other interfaces.
    #expect(one.add("z.local", .txt, [1, 68], interface: 2, &bench) == "")
    #expect(other.add("z.local", .txt, [1, 69], interface: 3, &bench) == "")
    #expect(other.add("z.local", .txt, [1, 69], &bench) == "CollisionError")
  }

  @Test func `unique records that both allow others are no conflict`() {
    var bench = Bench()
    let (one, other) = (Program(":1.5", &bench), Program(":1.6", &bench))
    #expect(one.add("x.local", address: "10.0.0.7", &bench) == "")
    #expect(other.add("x.local", address: "10.0.0.8", &bench) == "")
    #expect(one.add("x.local", address: "2001:db8::7", &bench) == "")
    #expect(other.add("x.local", .a, [10, 0, 0, 9], &bench) == "CollisionError")
    #expect(one.add("y.local", .txt, [1, 68], flags: Self.unique | Self.multiple, &bench) == "")
    #expect(other.add("y.local", .txt, [1, 69], flags: Self.unique | Self.multiple, &bench) == "")
    #expect(other.add("y.local", .txt, [1, 70], &bench) == "CollisionError")
    bench.machine.end(client: ":1.5")
    #expect(other.add("y.local", .txt, [1, 70], &bench) == "CollisionError")
    bench.machine.end(client: ":1.6")
    #expect(bench.machine.sets.isEmpty)
  }

  @Test func `a unique set has a limit`() {
    var settings = DaemonSettings()
    settings.limits.uniqueRecordsPerSet = 3
    var bench = Bench(settings)
    let one = Program(":1.5", &bench)
    let errors = (0..<5).map { one.add("x.local", address: "10.0.0.\($0)", &bench) }
    #expect(errors == ["", "", "", "TooManyEntriesError", "TooManyEntriesError"])
    #expect(one.add("x.local", address: "2001:db8::1", &bench) == "")
  }

  @Test(arguments: [(1, 10), (10, 10), (60, 60), (4_500, 4_500), (86_400, 4_500), (UInt32.max, 4_500)] as [(UInt32, UInt32)])
  func `the time to live of a record is obeyed within bounds`(wanted: UInt32, given: UInt32) throws {
    var bench = Bench()
    let one = Program(":1.5", &bench)
    #expect(one.add("x.local", .txt, [1, 68], timeToLive: wanted, &bench) == "")
    #expect(one.add("y.local", .txt, [1, 68], timeToLive: 0, &bench) == "InvalidTTLError")
    bench.call("Commit", of: "EntryGroup", at: one.group)
    guard case .publish(_, let records, _)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(records.map(\.timeToLive) == [given])
  }

  @Test func `a program chooses not to probe and not to announce`() throws {
    var bench = Bench()
    let one = Program(":1.5", &bench)
    for (place, flags) in [0, Self.unique, Self.noProbe, Self.noAnnounce, Self.noAnnounce | Self.noProbe].enumerated() {
      for isUnique in [true, false] {
        #expect(one.add("x\(place)\(isUnique).local", .txt, [1, 68], flags: flags & ~1 | (isUnique ? 1 : 0), &bench) == "")
      }
    }
    #expect(one.add("y.local", address: "10.0.0.7", flags: Self.noAnnounce | Self.noProbe | 16, &bench) == "")
    bench.call("Commit", of: "EntryGroup", at: one.group)
    guard case .publish(_, let records, _)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(
      records.map(\.isProbed) == [true, true, true, true, false, false, true, true, false, false, false])
    // What is probed for is announced.
    #expect(
      records.map(\.isAnnounced) == [true, true, true, true, true, true, true, false, false, false, false])
  }

  @Test func `what the daemon would publish of itself is left to a program that has its name already`() {
    var settings = DaemonSettings()
    settings.hostInformation = HostInformation(processor: "X86_64", system: "LINUX")
    var bench = Bench(settings, isConnected: false)
    bench.send(.connected)
    let program = Program(":1.5", &bench)
    #expect(program.add("h1.local", .hinfo, [1, 65, 1, 66], &bench) == "")
    bench.send(.host(.established(name("h1.local"))))
    #expect(bench.publications.isEmpty && bench.machine.groups.count == 1)
    guard case .log(let message)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(message.level == .warning && message.text == "h1.local is not published: a program of this machine has the name")
    // It is tried again with the host's next change.
    bench.call("Reset", of: "EntryGroup", at: program.group)
    bench.send(.interfaces([Bench.eth0]))
    guard case .publish(_, _, let links)? = bench.effects.last else { return #expect(Bool(false)) }
    #expect(links == settings.interfaces)
  }

  @Test func `the host's processor and interfaces are told if that is configured`() throws {
    var settings = DaemonSettings()
    settings.hostInformation = HostInformation(processor: "X86_64", system: "LINUX")
    settings.publishesWorkstation = true
    var bench = Bench(settings, isConnected: false)
    #expect(bench.publications.isEmpty)
    bench.send(.host(.established(name("h1.local"))))
    guard case .publish(let id, let records, _)? = bench.effects.last else { return #expect(Bool(false)) }
    let data = DNSData.hinfo(cpu: Array("X86_64".utf8), system: Array("LINUX".utf8))
    #expect(records == [PublishedRecord(name("h1.local"), .data(data), .unique)])
    bench.send(.interfaces([Bench.eth0], hardware: [2: [2, 0, 0, 0, 171, 1]]))
    guard case .publish(_, let services, let links)? = bench.effects.last else { return #expect(Bool(false)) }
    let workstation = name("h1 [02:00:00:00:ab:01]._workstation._tcp.local")
    #expect(services[1] == PublishedRecord(workstation, .serviceOfThisHost(port: 9), .unique))
    #expect(links.index == 2 && bench.publications.count == 2)
    // With another name, all of it has another name.
    bench.send(.published(id, .conflict(name("h1.local"))))
    bench.send(.host(.renamed(from: name("h1.local"), to: name("h1-2.local"))))
    #expect(bench.withdrawals.count == 2)
    bench.send(.host(.established(name("h1-2.local"))))
    #expect(bench.publications.count == 4)
    bench.send(.interfaces([]))
    #expect(bench.withdrawals.count == 3)
    #expect(!bench.machine.sets.isEmpty)
  }
}
