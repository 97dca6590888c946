import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces

@testable import _BonjourishDoctor

/// The readers of what the kernel and the system say.
@Suite struct FactsTests {
  @Test func `sockets at port 5353 are read with their drops`() {
    let text = """
         sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
       1557: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   107        0 3236342 2 000000001b9e25ea 7
      14621: 00000000:87F1 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 3236344 2 0000000010709358 0
       1557: FB0000E0:14E9 00000000:0000 07
      """
    #expect(PortSocket.parse(text, .ipv4) == [PortSocket(.ipv4, inode: 3_236_342, user: 107, drops: 7)])
  }

  @Test func `a counter of UDP is read by its name`() {
    let text = """
      Tcp: InSegs RcvbufErrors
      Tcp: 1 2
      Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
      Udp: 12 0 4 8 3 0
      """
    #expect(UDPCounters.parse(text, "RcvbufErrors") == 3)
    #expect(UDPCounters.parse(text, "MemErrors") == nil)
    #expect(UDPCounters.parse("Udp: RcvbufErrors\nUdp:\n", "RcvbufErrors") == nil)
    #expect(UDPCounters.parse(text, "InSegs", of: "Tcp") == 1)
  }

  @Test func `routes are read with their routers and refusals`() {
    let text = """
      Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
      eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
      *\t000000E0\t00000000\t0001\t0\t0\t0\t000000F0\t0\t0\t0
      *\t0000000A\t00000000\t0201\t0\t0\t0\t000000FF\t0\t0\t0
      eth0\tnonsense
      eth1\t000000AC\t00000000\t0000\t0\t0\t0\t000000FF\t0\t0\t0
      eth1\t000000AC\t00000000\t0001\t0\t0\t0\t000000FF
      """
    #expect(
      Route.parse(ipv4: text) == [
        Route(to: .ipv4(0), prefixLength: 0, via: .ipv4(0xC0A8_0001), on: "eth0"),
        Route(to: .ipv4(0xE000_0000), prefixLength: 4, on: "*", isRefusing: true),
        Route(to: .ipv4(0x0A00_0000), prefixLength: 8, on: "*", isRefusing: true),
        Route(to: .ipv4(0xAC00_0000), prefixLength: 8, on: "eth1"),
      ])
  }

  @Test func `IPv6 routes are read`() {
    let zeros = String(repeating: "0", count: 32)
    let text = """
      ff000000000000000000000000000000 08 \(zeros) 00 \(zeros) 00000100 00000004 00000000 00000001     eth0
      \(zeros) 00 \(zeros) 00 \(zeros) ffffffff 00000001 00000000 00200200       lo
      ff 08 \(zeros) 00 \(zeros) 00000100 00000004 00000000 00000001     eth0
      \(zeros) 81 \(zeros) 00 \(zeros) 00000100 00000004 00000000 00000001     eth0
      \(zeros) 80 \(zeros) 00 fe8000000000000000000000000000ab 00000100 00000004 00000000 00000001     eth0
      """
    let group = IPAddress.ipv6(high: 0xFF00 << 48, low: 0)
    #expect(
      Route.parse(ipv6: text) == [
        Route(to: group, prefixLength: 8, on: "eth0"),
        Route(to: .ipv6(high: 0, low: 0), prefixLength: 0, on: "lo", isRefusing: true),
        Route(to: .ipv6(high: 0, low: 0), prefixLength: 128, via: .ipv6(high: 0xFE80 << 48, low: 0xAB), on: "eth0"),
      ])
  }

  @Test(arguments: [(0, true), (3, true), (4, true), (8, false), (32, false)])
  func `a route covers the addresses of its prefix`(_ length: Int, _ isCovering: Bool) {
    let route = Route(to: .ipv4(0xEF00_0000), prefixLength: length, on: "eth0")
    #expect(route.covers(.ipv4(0xE000_00FB)) == isCovering)
    #expect(!route.covers(.ipv6(high: 0, low: 0)))
  }

  @Test func `only neighbours whose hardware address is known are read`() {
    let text = """
      IP address       HW type     Flags       HW address            Mask     Device
      10.77.0.3        0x1         0x2         86:e2:a3:f4:e7:42     *        eth0
      10.77.0.4        0x1         0x0         00:00:00:00:00:00     *        eth0
      nonsense
      """
    #expect(NeighbourTable.parse(text) == ["eth0": [.ipv4(0x0A4D_0003)]])
  }

  @Test func `a process's state is read whatever its name is`() {
    let numbers = (1...30).map(String.init).joined(separator: " ")
    let state = ProcessTable.state(in: "12 (a) T 1 (b) T \(numbers)")
    #expect(state?.letter == "T" && state?.start == 19)
    #expect(ProcessTable.state(in: "12 (a) T 1") == nil)
    #expect(ProcessTable.state(in: "") == nil)
    #expect(ProcessTable.inode("socket:[77]") == 77)
    #expect(ProcessTable.inode("socket:[") == nil && ProcessTable.inode("pipe:[77]") == nil)
  }

  @Test func `files and processes of this machine are read, and what is not there is nothing`() throws {
    #expect(SystemFiles.number("/proc/self/stat") == Int(getpid()))
    #expect(SystemFiles.text("/proc/self/comm")?.split(separator: "\n").count == 1)
    #expect(SystemFiles.exists("/proc/self") && !SystemFiles.exists("/nowhere") && SystemFiles.text("/nowhere") == nil)
    #expect(SystemFiles.names(in: "/proc/self").contains("stat") && SystemFiles.names(in: "/nowhere") == [])
    #expect(SystemFiles.link("/proc/self/exe")?.hasPrefix("/") == true && SystemFiles.link("/proc/self/stat") == nil)
    #expect(SystemFiles.text("/proc/self/maps")?.hasSuffix("\n") == true)
    let descriptor = OwnedDescriptor(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))
    let inode = try #require(SystemFiles.link("/proc/self/fd/\(descriptor.number)").flatMap(ProcessTable.inode))
    let owner = try #require(ProcessTable.owners(of: [inode, 1])[inode])
    #expect(owner.process == Int(getpid()) && owner.name == ProcessTable.name(of: Int(getpid())) && !owner.name.isEmpty)
    #expect(ProcessTable.owners(of: []) == [:] && ProcessTable.name(of: -1) == nil && ProcessTable.state(of: -1) == nil)
    #expect("RSD".contains(try #require(ProcessTable.state(of: Int(getpid()))).letter))
  }

  @Test func `a container is known by what it leaves behind`() {
    func kind(_ change: (inout ContainerClues) -> Void) -> String? {
      var clues = ContainerClues()
      change(&clues)
      return clues.kind
    }
    #expect(kind { _ in } == nil)
    #expect(kind { $0.hasDockerFile = true } == "Docker")
    #expect(kind { $0.hasPodmanFile = true } == "Podman")
    #expect(kind { ($0.hasDockerFile, $0.hasKubernetes) = (true, true) } == "Kubernetes")
    #expect(kind { $0.systemd = "systemd-nspawn\n" } == "systemd-nspawn")
    #expect(kind { $0.controlGroup = "0::/lxc/web\n" } == "LXC")
    #expect(kind { $0.controlGroup = "0::/user.slice\n" } == nil)
    for (folder, name) in [("kubepods", "Kubernetes"), ("docker/7", "Docker"), ("libpod-7", "Podman")] {
      #expect(kind { $0.controlGroup = "0::/\(folder)\n" } == name)
    }
    #expect(kind { $0.systemd = String(repeating: "x", count: 40) } == String(repeating: "x", count: 32))
  }

  @Test(arguments: [
    ("ID=debian\n", PackageManager.apt), ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", .apt),
    ("ID=rocky\nID_LIKE='rhel fedora'", .dnf),
    ("NAME=debian\nID=arch", .pacman), ("ID=opensuse-leap", .zypper), ("ID=alpine", .apk), ("", .unknown), ("ID\n=", .unknown),
  ])
  func `the distribution says how to install`(_ text: String, _ manager: PackageManager) {
    #expect(PackageManager(osRelease: text) == manager)
  }

  @Test func `the daemon's interfaces are read from its configuration`() {
    let configuration = DaemonConfiguration(
      "[server]\n#allow-interfaces=eth9\nallow-interfaces = eth0, wlan0\ndeny-interfaces=eth1\n=\n[publish]\ndeny-interfaces=eth0\n"
    )
    #expect(configuration.allowed == ["eth0", "wlan0"] && configuration.denied == ["eth1"])
    #expect(!configuration.excludes("eth0") && configuration.excludes("eth1") && configuration.excludes("eth2"))
    #expect(!DaemonConfiguration("").excludes("eth0"))
    let families = DaemonConfiguration("[server]\nuse-ipv4=yes\nuse-ipv4 = no\nuse-ipv6=yes\n[publish]\nuse-ipv6=no\n")
    #expect(families.unused == [.ipv4])
    for (word, isUnused) in [
      ("no", true), ("N", true), ("0", true), ("false", true), ("off", true), ("yes", false), ("", false),
    ] {
      #expect(DaemonConfiguration("[server]\n;use-ipv6=no\nuse-ipv6=\(word)\n").unused == (isUnused ? [.ipv6] : []))
    }
  }

  @Test func `a clock that was set back is noticed`() {
    // The machine has run for 1,000 s and the process for 900 s. Its file was written an hour after what is now its start.
    #expect(ClockFacts.setBack(now: 5_000, sinceBoot: 1_000, startTicks: 10_000, ticks: 100, written: 7_700) == 3_600)
    #expect(ClockFacts.setBack(now: 5_000, sinceBoot: 1_000, startTicks: 10_000, ticks: 100, written: 4_100) == 0)
    #expect(ClockFacts.setBack(now: 5_000, sinceBoot: 10, startTicks: .max, ticks: 100, written: 4_100) == nil)
    #expect(ClockFacts.setBack(now: .max, sinceBoot: 10, startTicks: 1, ticks: 0, written: .min) == nil)
  }

  @Test func `who sends an ARP message is read`() throws {
    let address = IPAddress.ipv4(0x0A4D_0001)
    var message = AddressProbe.question(for: address, from: [2, 0, 0, 0, 0, 1])
    #expect(message.count == 28 && Array(message[24...]) == address.bytes)
    // A question is from nobody.
    #expect(AddressProbe.sender(of: message)?.address == .ipv4(0))
    message.replaceSubrange(6..<18, with: [0, 2, 2, 0, 0, 0, 0, 9] + address.bytes)
    let sender = try #require(AddressProbe.sender(of: message))
    #expect(sender.address == address && sender.hardware == [2, 0, 0, 0, 0, 9])
    for count in 0..<28 { #expect(AddressProbe.sender(of: Array(message[..<count])) == nil) }
    message[3] = 6
    #expect(AddressProbe.sender(of: message) == nil)
  }

  // MARK: - Interfaces

  @Test func `interfaces are read with their kinds, flags and addresses`() {
    let links = NetlinkBytes.link(
      2, "eth0", flags: 0x11043, attributes: [(37, [0, 0, 0, 0]), (18, NetlinkBytes.attribute(1, Array("veth\0".utf8)))])
    let addresses =
      NetlinkBytes.address(2, [10, 77, 0, 1])
      + NetlinkBytes.address(2, [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1], flags: 0x48)
      + NetlinkBytes.address(9, [10, 77, 0, 2])
    let interface = InterfaceTable.entries(links: links + NetlinkBytes.message(3, []), addresses: addresses)
      .map(InterfaceFacts.init)
    #expect(
      interface == [
        InterfaceFacts(
          index: 2, name: "eth0", flags: [.up, .broadcast, .running, .multicast, .carrier], kind: "veth", hasDistantPeer: true,
          addresses: [
            .init(.ipv4(0x0A4D_0001), prefixLength: 64),
            .init(.ipv6(high: 0xFE80 << 48, low: 1), isDuplicate: true, isTentative: true),
          ])
      ])
  }

  @Test func `damaged content of any kind is skipped`() {
    var random = SplitMix(state: 7)
    let links = NetlinkBytes.link(
      2, "eth0", flags: 0x11043, attributes: [(18, NetlinkBytes.attribute(1, Array("veth\0".utf8)))])
    let addresses = NetlinkBytes.address(2, [10, 77, 0, 1])
    let texts = [
      "1: 00000000:14E9 0 07 0 0 0 107 0 3 2 0 7", "eth0\t0\t0\t3\t0\t0\t0\t0", "12 (a) T 1 2 3", "10.0.0.1 0x1 0x2 x * eth0",
    ]
    for _ in 0..<3_000 {
      let text = String(decoding: random.damage(Array(texts.randomElement(using: &random)!.utf8)), as: UTF8.self)
      _ = PortSocket.parse(text, .ipv4)
      _ = UDPCounters.parse("Udp: a\nUdp: \(text)", "a")
      _ = Route.parse(ipv4: text) + Route.parse(ipv6: text)
      _ = NeighbourTable.parse(text)
      _ = ProcessTable.state(in: text)
      _ = PackageManager(osRelease: text)
      _ = DaemonConfiguration(text)
      _ = InterfaceTable.entries(links: random.damage(links), addresses: random.damage(addresses))
    }
  }
}

/// Random numbers that are the same in each run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The bytes with up to four changed, and sometimes cut off.
  mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 0...4, using: &self) where !bytes.isEmpty {
      bytes[Int.random(in: 0..<bytes.count, using: &self)] = .random(in: 0...255, using: &self)
    }
    return Int.random(in: 0..<4, using: &self) == 0 ? Array(bytes.prefix(.random(in: 0...bytes.count, using: &self))) : bytes
  }
}
