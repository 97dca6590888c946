import CBonjourishLinux
import _BonjourishConsole
import _BonjourishDiscovery
import _BonjourishExplorer
import _BonjourishTerminal

// bench-explorer: how much of one processor the explorer of `bonjourish browse` needs for a picture, in microseconds, while 30 services
// a second change and 20 pictures a second are drawn: the median and the longest, for several sizes of the screen and ways to group;
// then the same for keys that put all services in another order. The median of 5,000 services is compared with that of 500.

let changesPerSecond = 30
let picturesPerSecond = 20
let seconds = 10

/// What this process has used of processors.
func processorMicroseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1_000_000 + Double(time.tv_nsec) / 1_000
}

/// A network of services of 40 types on 800 hosts.
func service(_ number: Int, of count: Int, version: Int = 0) throws -> DiscoveredService {
  let host = try DomainName("host-\(number % max(1, count * 4 / 25)).local")
  let address = IPAddress(bytes: [10, 77, UInt8(number / 250 % 250), UInt8(number % 250 + 1)])
  return DiscoveredService(
    instance: ServiceInstance(
      try InstanceName("Service \(number) of somebody"), type: try ServiceType("_kind-\(number % 40)._tcp")),
    interfaces: [NetworkInterface(index: 1, name: "eth0")],
    endpoint: Endpoint(
      host: host, port: 8080, txt: ["path": "/", "version": TXTRecord.Value("\(version)")],
      addresses: [address].compactMap(\.self)))
}

struct Run {
  var explorer: Explorer
  var painter = Painter(Appearance())
  var now: Duration = .zero
  var microseconds: [Double] = []
  let count: Int
  let size: TerminalSize

  init(_ count: Int, _ size: TerminalSize, keys: [Key]) throws {
    self.count = count
    self.size = size
    explorer = Explorer(ExplorerSettings())
    for number in 0..<count { _ = explorer.handle(.changed(.found(try service(number, of: count)), of: nil), at: .zero) }
    _ = explorer.handle(.settled, at: .zero)
    for key in keys { _ = explorer.handle(.key(key), at: .zero) }
    draw()
  }

  mutating func draw() { _ = painter.paint(explorer.draw(size, Appearance(), at: now)) }

  /// Lets a second pass: changes, losses and returns, and a person who moves the cursor.
  mutating func live(second: Int) throws {
    var changes = 0
    for picture in 0..<picturesPerSecond {
      now += .seconds(1) / picturesPerSecond
      var events: [ExplorerEvent] = []
      while changes * picturesPerSecond < (picture + 1) * changesPerSecond {
        let number = (second * 7_919 + changes * 104_729) % count
        let changed = try service(number, of: count, version: second)
        switch changes % 3 {
        case 0: events.append(.changed(.updated(changed), of: nil))
        case 1: events.append(.changed(.lost(changed), of: nil))
        default: events.append(.changed(.found(changed), of: nil))
        }
        changes += 1
      }
      if picture % 4 == 0 { events.append(.key(second % 2 == 0 ? .pageDown : .up)) }
      let before = processorMicroseconds()
      for event in events { _ = explorer.handle(event, at: now) }
      draw()
      microseconds.append(processorMicroseconds() - before)
    }
  }

  /// What a key takes, with the picture after it.
  mutating func press(_ key: Key) -> Double {
    let before = processorMicroseconds()
    _ = explorer.handle(.key(key), at: now)
    draw()
    return processorMicroseconds() - before
  }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

let views: [(name: String, key: Unicode.Scalar)] = [("type", "1"), ("host", "2"), ("interface", "3"), ("flat", "4")]
var longest = 0.0
for (columns, rows) in [(80, 24), (200, 50), (300, 100)] {
  for (name, key) in views {
    var medians: [Double] = []
    for count in [500, 5_000] {
      var run = try Run(count, TerminalSize(columns: columns, rows: rows), keys: [.text(key)])
      for second in 0..<seconds { try run.live(second: second) }
      medians.append(median(run.microseconds))
      guard count == 5_000 else { continue }
      longest = max(longest, run.microseconds.max() ?? 0)
      Output.standard.line(
        "\(columns)x\(rows)_by_\(name)_microseconds \(Int(medians[1])) longest \(Int(run.microseconds.max() ?? 0)) "
          + "times_that_of_500 \((medians[1] / medians[0] * 100).rounded() / 100)")
    }
  }
}
var run = try Run(5_000, TerminalSize(columns: 200, rows: 50), keys: [])
for (name, key) in [
  ("sort", Key.text("s")), ("group_by_host", .text("2")), ("open_filter", .text("/")), ("filter_by_s", .text("s")),
  ("filter_by_so", .text("o")),
  ("show_all", .escape), ("fold_all", .text("-")),
] {
  Output.standard.line("key_\(name)_microseconds \(Int(run.press(key)))")
}
Output.standard.line("longest_picture_microseconds \(Int(longest))")
