import _BonjourishDiscovery
import _BonjourishTerminal

@testable import _BonjourishExplorer

extension DiscoveredService {
  /// A service for tests; without a host it has no endpoint.
  static func sample(
    _ name: String, type: String = "_http._tcp", interfaces: [String] = ["eth0"], host: String? = nil, port: UInt16 = 80,
    addresses: [String] = [], txt: TXTRecord = TXTRecord(), isOwn: Bool = false
  ) throws -> DiscoveredService {
    let endpoint = try host.map { host throws(DiscoveryError) in
      Endpoint(host: try DomainName(host), port: port, txt: txt, addresses: addresses.compactMap(IPAddress.init))
    }
    return DiscoveredService(
      instance: ServiceInstance(try InstanceName(name), type: try ServiceType(type)),
      links: interfaces.enumerated().map { index, name in
        let region = name.hasPrefix("directory:") ? name.split(separator: ":").last : nil
        let interface = NetworkInterface(index: UInt32(index + 1), name: name)
        return Link(region.map { .directory(String($0)) } ?? DiscoverySource(interface), .ipv4)
      }, endpoint: endpoint, isOwn: isOwn)
  }
}

/// An explorer with a clock, and a person who presses keys and reads.
struct Driver {
  var explorer: Explorer
  var now: Duration = .zero
  var size = TerminalSize(columns: 80, rows: 24)
  var appearance = Appearance()
  /// What it has wanted so far.
  var effects: [ExplorerEffect] = []

  init(_ sought: [String]? = nil, columns: Int = 80, rows: Int = 24, _ change: (inout ExplorerSettings) -> Void = { _ in }) {
    var settings = ExplorerSettings()
    settings.sought = sought
    settings.clock = 12 * 3_600
    settings.title = { type in
      ["http": "Web server", "ipp": "Printer (IPP)", "ssh": "Remote login (SSH)"][type.name].flatMap {
        type.transport == .tcp ? $0 : nil
      }
    }
    settings.shortName = { [title = settings.title] type in title(type) == nil ? nil : type.name }
    change(&settings)
    explorer = Explorer(settings)
    appearance = Appearance(isUnicode: settings.isUnicode)
    size = TerminalSize(columns: columns, rows: rows)
  }

  /// Thirty web servers, `s10` to `s39`.
  static func many(columns: Int = 80, rows: Int = 14) throws -> Driver {
    var driver = Driver(["_http._tcp"], columns: columns, rows: rows)
    for number in 10..<40 { driver.found(try .sample("s\(number)", host: "h.local", addresses: ["10.0.0.1"])) }
    driver.effects = []
    return driver
  }

  /// Hands over an event, and draws.
  mutating func handle(_ event: ExplorerEvent) {
    effects += explorer.handle(event, at: now)
    _ = explorer.draw(size, appearance, at: now)
  }

  mutating func found(_ services: DiscoveredService...) {
    for service in services { handle(.changed(.found(service), of: service.instance.type)) }
  }

  mutating func updated(_ service: DiscoveredService) { handle(.changed(.updated(service), of: service.instance.type)) }

  mutating func lost(_ service: DiscoveredService) { handle(.changed(.lost(service), of: service.instance.type)) }

  mutating func press(_ keys: Key...) { for key in keys { handle(.key(key)) } }

  /// Writes a text, key by key.
  mutating func type(_ text: String) { for scalar in text.unicodeScalars { handle(.key(.text(scalar))) } }

  mutating func wait(_ seconds: Int) {
    now += .seconds(seconds)
    handle(.tick)
  }

  /// What stands on the screen.
  var lines: [String] {
    var copy = explorer
    return copy.draw(size, appearance, at: now).lines
  }

  /// The rows of the list, without spaces at the ends.
  var rows: [String] {
    let lines = lines
    let list = explorer.layout.list
    return lines[list.row..<min(lines.count, list.row + list.rows)].map { line in
      String(line.dropFirst(list.column).prefix(list.columns)).trimmed
    }.filter { !$0.isEmpty }
  }

  /// The names of the services that are listed.
  var names: [String] { explorer.shown.map(\.instance.name.text) }

  /// The last line.
  var command: String { String((lines.last ?? "").trimmed.dropFirst(2)) }
}

extension String {
  var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
