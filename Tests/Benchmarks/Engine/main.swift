import CBonjourishLinux
import _BonjourishConsole
import _BonjourishDiscovery
import _BonjourishMulticastDNS

// bench-engine: how many datagrams a second an engine takes in, how much memory a record in its cache takes, and how long the slowest
// hostile datagram takes (--all: of each kind). With --message HEX instead, how long it takes to parse and to write that message.
// Writes lines of a figure's name and the figure. Memory comes first, while the heap is fresh.

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--message" {
  try MessageTimes.tell(CommandLine.arguments[2])
  exit(0)
}

let link = MulticastLink(interface: 1, family: .ipv4)
let type = try DNSName("_bench._tcp.local")

/// An engine that browses.
func makeEngine() -> MulticastEngine {
  var engine = MulticastEngine(seed: 1)
  _ = engine.handle(.linkUp(link, addresses: [InterfaceAddress(.ipv4(0x0A00_0001), prefixLength: 8)]), at: .zero)
  _ = engine.handle(.ask(.init(1), type, .ptr), at: .zero)
  return engine
}

/// What a host says of one service: a pointer, and with it SRV, TXT and address.
func announcement(_ number: Int) throws -> [UInt8] {
  var message = DNSMessage(isResponse: true)
  let name = try type.adding(label: "service number \(number)")
  let host = try DNSName("host-\(number % 500).local")
  message.answers = [DNSRecord(type, .ptr(name), timeToLive: 4500)]
  message.additionals = [
    DNSRecord(name, .srv(DNSService(target: host, port: 1)), timeToLive: 120, cacheFlush: true),
    DNSRecord(name, .txt([3, 0x76, 0x3D, 0x31]), timeToLive: 4500, cacheFlush: true),
    DNSRecord(host, .address(.ipv4(UInt32(number % 500))), timeToLive: 120, cacheFlush: true),
  ]
  return message.written()
}

func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var (total, resident) = (0, 0)
  withUnsafeMutablePointer(to: &total) { total in
    withUnsafeMutablePointer(to: &resident) { resident in
      _ = withVaList([total, resident]) { vfscanf(file, "%ld %ld", $0) }
    }
  }
  return resident * sysconf(CInt(_SC_PAGESIZE))
}

func receive(_ datagrams: [[UInt8]], into engine: inout MulticastEngine) {
  var now = Duration.seconds(10)
  for (index, bytes) in datagrams.enumerated() {
    let source = MulticastSource(.ipv4(0x0A00_0100 + UInt32(index % 200)), port: MulticastEngine.port, link: link)
    now += .microseconds(5)
    _ = engine.handle(.received(bytes, from: source, to: .multicast), at: now)
  }
}

func tell(_ name: String, _ datagrams: [[UInt8]], into engine: inout MulticastEngine) {
  let time = ContinuousClock().measure { receive(datagrams, into: &engine) }
  Output.standard.line("\(name) \(Int(Double(datagrams.count) / (time / .seconds(1))))")
}

let services = try (0..<4000).map(announcement)
var full = makeEngine()
let before = residentBytes()
receive(services, into: &full)
Output.standard.line("bytes_per_record \((residentBytes() - before) / (full.load(of: link)?.records ?? 1))")

var engine = makeEngine()
tell("new_services_per_second", services, into: &engine)
tell("known_services_per_second", (0..<25).flatMap { _ in services }, into: &engine)
tell("flood_per_second", try (4000..<54_000).map(announcement), into: &engine)
var query = DNSMessage(isResponse: false)
query.questions = [DNSQuestion(try DNSName("_other._tcp.local"), .ptr)]
tell("queries_per_second", Array(repeating: query.written(), count: 200_000), into: &engine)
try Hostile.tell()
