import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishBusProtocol
import _BonjourishDaemonMachine
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import _BonjourishDaemon

/// The whole daemon with its engine on the loopback interface, where nobody else hears it, and a bus of the test's making.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DaemonLoopbackTests {
  private let folder: TemporaryFolder
  private let bus: FakeBus
  private let loop: EventLoop
  private var settings = DaemonSettings()
  /// Of this process, for others on the machine may be testing too.
  private let host = "daemon-\(getpid())"
  private let index = Int32(if_nametoindex("lo"))
  private let told: AsyncStream<String>
  private let teller: AsyncStream<String>.Continuation
  private let logged: AsyncStream<String>
  private let logger: AsyncStream<String>.Continuation

  init() throws {
    (told, teller) = AsyncStream.makeStream()
    (logged, logger) = AsyncStream.makeStream()
    folder = try TemporaryFolder()
    bus = try FakeBus(at: folder.path + "/bus")
    loop = try EventLoop(name: "test")
    settings.interfaces.included = ["lo"]
    settings.hostName = host
  }

  /// Starts a daemon, whose news are "ready" or the reason of its failure.
  private func start(_ settings: DaemonSettings, busPath: String?) async throws -> Daemon {
    let daemon = try await Daemon(
      settings, version: "bonjourish 0", busPath: busPath, on: loop, log: { [logger] in logger.yield($0.text) }
    ) { [teller] news in
      switch news {
      case .ready: teller.yield("ready")
      case .failed(let reason): teller.yield(reason)
      }
    }
    await daemon.start()
    return daemon
  }

  private func start(_ settings: DaemonSettings) async throws -> Daemon {
    try await start(settings, busPath: folder.path + "/bus")
  }

  /// Lets the daemon in, and answers for its name.
  private func welcome(_ answer: UInt32 = 1) async throws {
    try await bus.welcome()
    #expect(try await bus.message().member == "Hello")
    #expect(try await bus.message().member == "AddMatch")
    try await bus.answer(try await bus.message("RequestName"), [.uint32(answer)])
  }

  private func end(_ daemon: Daemon) async {
    await daemon.close()
    await loop.shutdown()
  }

  /// Calls a method as a program, and returns the results.
  private func call(
    _ member: String, of interface: String = "Server", at path: String = "/", serial: UInt32, _ values: [BusValue] = []
  ) async throws -> [BusValue]? {
    var call = BusMessage.call(member, of: "org.freedesktop.Avahi.\(interface)", at: path, in: "org.freedesktop.Avahi", values)
    call.serial = serial
    try await bus.send(call, from: ":1.5")
    while true {
      let message = try await bus.message()
      if message.member == "GetConnectionUnixUser" { try await bus.answer(message, [.uint32(1_000)]) }
      if message.answers == serial { return message.body }
    }
  }

  @Test func `programs on the bus and files are served, and names are found, until the daemon is closed`() async throws {
    let daemon = try await start(settings)
    var news = told.makeAsyncIterator()
    try await welcome()
    #expect(await news.next() == "ready")
    #expect(try await call("GetHostNameFqdn", serial: 1) == [.text("\(host).local")])
    #expect(try await call("GetNetworkInterfaceNameByIndex", serial: 2, [.int32(index)]) == [.text("lo")])
    #expect(try await call("GetVersionString", serial: 3) == [.text("bonjourish 0")])

    // A program browses before there is anything.
    let type = "_d-\(getpid())._tcp"
    let browser = try await call(
      "ServiceBrowserNew", serial: 4, [.int32(-1), .int32(0), .text(type), .text(""), .uint32(0)])
    guard case .path(let path)? = browser?.first else { return #expect(Bool(false), "\(browser ?? [])") }
    var service = StaticService(name: "Files", type: type, port: 80)
    service.families = [.ipv4]
    await daemon.publish(files: ["a": [service]])
    let found = try await bus.message("ItemNew")
    #expect(found.path == path && found.destination == ":1.5")
    #expect(found.body == [.int32(index), .int32(0), .text("Files"), .text(type), .text("local"), .uint32(4 | 8)])
    await daemon.publish(files: [:])
    #expect(try await bus.message("ItemRemove").body?[2] == .text("Files"))

    // A program publishes, changes its text, and is told.
    guard case .path(let group)? = try await call("EntryGroupNew", serial: 5)?.first else { return #expect(Bool(false)) }
    let place: [BusValue] = [.int32(-1), .int32(0), .uint32(0), .text("Own"), .text(type), .text("")]
    let text = BusValue.array(of: "ay", [.bytes(Array("v=1".utf8))])
    _ = try await call("AddService", of: "EntryGroup", at: group, serial: 6, place + [.text(""), .uint16(80), text])
    _ = try await call("Commit", of: "EntryGroup", at: group, serial: 7)
    #expect(try await bus.message("ItemNew").body?[2] == .text("Own"))
    let changed = BusValue.array(of: "ay", [.bytes(Array("v=2".utf8))])
    _ = try await call("UpdateServiceTxt", of: "EntryGroup", at: group, serial: 8, place + [changed])
    let resolved = try await call(
      "ResolveService", serial: 9,
      [.int32(-1), .int32(0), .text("Own"), .text(type), .text("local"), .int32(0), .uint32(0)])
    #expect(resolved?[9] == changed && resolved?[5] == .text("\(host).local"))
    _ = try await call("Free", of: "EntryGroup", at: group, serial: 10)
    #expect(try await bus.message("ItemRemove").body?[2] == .text("Own"))
    _ = try await call("Free", of: "ServiceBrowser", at: path, serial: 11)

    await daemon.close()
    await #expect(throws: FakeBus.Ended.self) { while true { _ = try await bus.message() } }
    await loop.shutdown()
  }

  @Test func `without the bus the daemon is ready with its name, and looks up for the simple socket`() async throws {
    var settings = settings
    (settings.usesBus, settings.needsBus) = (false, false)
    let daemon = try await start(settings)
    var news = told.makeAsyncIterator()
    #expect(await news.next() == "ready")
    let (addresses, address) = AsyncStream.makeStream(of: ResolvedAddress?.self)
    let (names, name) = AsyncStream.makeStream(of: ResolvedName?.self)
    var (firstAddress, firstName) = (addresses.makeAsyncIterator(), names.makeAsyncIterator())
    _ = daemon.resolve(hostName: "\(host).local", .ipv4) { address.yield($0) }
    let own = await firstAddress.next() ?? nil
    #expect(own?.name == "\(host).local" && own?.address == IPAddress("127.0.0.1")!)
    #expect(own?.interface == index && own?.family == .ipv4)
    // An address of a file of hosts, and its name.
    let printer = IPAddress("10.\(getpid() >> 16 & 255).\(getpid() >> 8 & 255).\(getpid() & 255)")!
    await daemon.publish(hosts: [StaticHost(name: "printer-\(getpid()).local", address: printer)])
    _ = daemon.resolve(printer) { name.yield($0) }
    let found = await firstName.next() ?? nil
    #expect(found?.name == "printer-\(getpid()).local" && found?.interface == index)
    // What is cancelled is not answered, and does not keep others from it.
    let cancelled = Locked(false)
    let id = daemon.resolve(hostName: "nobody-\(getpid()).local", nil) { _ in cancelled.withLock { $0 = true } }
    daemon.cancel(id)
    daemon.cancel(id)
    _ = daemon.resolve(hostName: "\(host).local", .ipv4) { address.yield($0) }
    #expect(await firstAddress.next() ?? nil == own)
    #expect(!cancelled.withLock { $0 })
    let left = await [daemon.tokens.count, daemon.ids.count, daemon.addressHandlers.count, daemon.nameHandlers.count]
    #expect(left == [0, 0, 0, 0])
    await end(daemon)
  }

  @Test(arguments: [true, false]) func `a bus that refuses the name ends the daemon, if it needs the bus`(needsBus: Bool)
    async throws
  {
    var settings = settings
    settings.needsBus = needsBus
    let daemon = try await start(settings)
    try await welcome(3)
    await #expect(throws: FakeBus.Ended.self) { _ = try await bus.message() }
    let reason =
      "the bus does not give this program the name org.freedesktop.Avahi: "
      + "another program is org.freedesktop.Avahi, such as avahi-daemon"
    var (news, log) = (told.makeAsyncIterator(), logged.makeAsyncIterator())
    if needsBus {
      #expect(await news.next() == reason)
    } else {
      while let text = await log.next(), text != "no system bus; trying again every 30 s: \(reason)" {}
      #expect(await news.next() == "ready")
    }
    await end(daemon)
  }

  @Test func `a bus that goes away is told once, and the daemon comes back to the next one`() async throws {
    let daemon = try await start(settings)
    var (news, log) = (told.makeAsyncIterator(), logged.makeAsyncIterator())
    try await welcome()
    #expect(await news.next() == "ready")
    bus.hangUp()
    while let text = await log.next(), !text.hasPrefix("no system bus; trying again every 1 s: ") {}
    try await bus.accept()
    bus.hangUp()
    try await welcome()
    // The second attempt was not told.
    var later: [String] = []
    while let text = await log.next(), text != "programs can call this daemon on the system bus" { later.append(text) }
    #expect(!later.contains { $0.hasPrefix("no system bus") })
    #expect(try await call("GetHostName", serial: 1) == [.text(host)])
    await end(daemon)
    teller.finish()
    #expect(await news.next() == nil)
  }

  @Test(arguments: [true, false]) func `an address of a bus that is none is told`(needsBus: Bool) async throws {
    var settings = settings
    settings.needsBus = needsBus
    let daemon = try await start(settings, busPath: nil)
    var (news, log) = (told.makeAsyncIterator(), logged.makeAsyncIterator())
    let reason = "DBUS_SYSTEM_BUS_ADDRESS does not name a socket of this machine"
    if needsBus {
      #expect(await news.next() == reason)
    } else {
      while let text = await log.next(), text != reason {}
      #expect(await news.next() == "ready")
    }
    await end(daemon)
  }

  @Test func `a bus that is not there is told with the reason`() async throws {
    let daemon = try await start(settings, busPath: folder.path + "/none")
    var log = logged.makeAsyncIterator()
    while let text = await log.next() {
      guard text.hasPrefix("no system bus; trying again every 1 s: ") else { continue }
      #expect(text.hasSuffix("No such file or directory"))
      break
    }
    await end(daemon)
  }
}
