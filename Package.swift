// swift-tools-version: 6.2
import PackageDescription

/// Whoever works on the package builds all of it, and warnings are errors then: `make` says so.
let isChecked = Context.environment["BONJOURISH_CHECKS"] != nil

/// The settings of every target: imports are internal unless declared, and a nonisolated async function runs on its caller's executor.
let common: [SwiftSetting] =
  "ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault InferIsolatedConformances"
  .split(separator: " ").map { .enableUpcomingFeature(String($0)) } + [.swiftLanguageMode(.v6)]
  + (isChecked ? [.treatAllWarnings(as: .error)] : [])

/// The settings of modules without I/O: they contain nothing unsafe, and import the standard library and pure modules (`Explorer` a canvas, too).
let pure: [SwiftSetting] = common + [.strictMemorySafety()]

// MARK: - Names
/// The modules that only this package imports, by the short words that their folders and this file use. SwiftPM wants the names of
/// modules to be unique among all packages of a program, so that none of ours is a common word.
let names = Dictionary(
  uniqueKeysWithValues: [
    "_Bonjourish": "Base EventLoop Signals PrivateFiles Discovery Interfaces MulticastDNS MulticastBackend BusProtocol "
      + "SystemBus AvahiBackend Doctor DirectoryProtocol Terminal Explorer Console JSONOutput DiscoveryOptions "
      + "DaemonMachine Daemon DaemonConfiguration SimpleProtocol SimpleSocket DaemonService DaemonOptions",
    "_Framed": "WebProtocol", "CBonjourish": "Linux Avahi NATS Expat", "CFramed": "OpenSSL Sodium",
  ].flatMap { family, words in words.split(separator: " ").map { (String($0), family + $0) } })

extension Target.Dependency {
  var name: String { if case .targetItem(let name, _) = self { name } else { "" } }
  var isOptional: Bool { if case .targetItem(_, .some) = self { true } else { false } }
}

var used: [String: [Target.Dependency]] = [:]  // What each module uses, of those that this file has named so far.

/// What modules may use: those that words name, with the trait Daemon only if `@Daemon` is beside them; below `Tests`, what these use, too.
@MainActor func dependencies(of folder: String, _ lists: [String]) -> [Target.Dependency] {
  let named = lists.map { $0.split(separator: " ").map(String.init) }.flatMap { words -> [Target.Dependency] in
    let trait = words.last.flatMap { $0.hasPrefix("@") ? String($0.dropFirst()) : nil }
    let condition: TargetDependencyCondition? = trait.flatMap { .when(traits: [$0]) }
    return words.dropLast(trait == nil ? 0 : 1).map { .target(name: names[$0] ?? $0, condition: condition) }
  }
  let below = folder.hasPrefix("Tests/") ? named.flatMap { used[$0.name] ?? [] } : []
  return below.reduce(into: named) { all, other in if !all.contains(where: { $0.name == other.name }) { all.append(other) } }
}

/// A module in a folder, of that name if no other is given; a program, if the name is in lower case. Examples see what is public.
@MainActor func part(
  _ folder: String, named given: String? = nil, _ words: String..., exclude: [String] = [], settings: [SwiftSetting] = common
) -> Target {
  let word = given ?? String(folder.split(separator: "/").last!)
  let (name, needed, isInside) = (names[word] ?? word, dependencies(of: folder, words), !folder.hasPrefix("Examples/"))
  used[name] = needed
  return name.first!.isLowercase
    ? .executableTarget(
      name: name, dependencies: needed, path: folder, exclude: exclude, packageAccess: isInside, swiftSettings: settings)
    : .target(
      name: name, dependencies: needed, path: folder, exclude: exclude, packageAccess: isInside, swiftSettings: settings)
}

/// A library in C that the system has, with its name in pkg-config where that tells nothing but what to link. (Avahi's tells more.)
func library(_ word: String, at path: String, pkgConfig: String? = nil, debian packages: String...) -> Target {
  .systemLibrary(
    name: names[word] ?? word, path: path, pkgConfig: pkgConfig, providers: packages.isEmpty ? nil : [.apt(packages)])
}

// MARK: - What a host can build
#if os(Linux)
let isLinux = Context.environment["BONJOURISH_PORTABLE"] == nil
#else
let isLinux = false
#endif
/// The machines of the Swift Package Index have no libraries but the system's.
let hasLibraries = isLinux && Context.environment["SPI_BUILD"] == nil
/// Without traits, a dependency that has a condition is not built.
let hasTraits = hasLibraries && Context.environment["BONJOURISH_BARE"] == nil

/// Those that need no module of C that the host lacks: elsewhere than on Linux the modules without I/O, and their tests. Of these, those
/// that `BONJOURISH_ONLY` names and what they need, for a quick build: the programs of the demo, or the tests of one module.
func offered(_ targets: [Target]) -> [Target] {
  var gone = Set(targets.filter { $0.type == .system && !(isLinux && (hasLibraries || $0.providers == nil)) }.map(\.name))
  for _ in targets {
    gone.formUnion(targets.filter { $0.dependencies.contains { !$0.isOptional && gone.contains($0.name) } }.map(\.name))
  }
  if let only = Context.environment["BONJOURISH_ONLY"] {
    var kept = Set(only.split(separator: " ").map(String.init))
    for _ in targets {
      let needed = targets.filter { kept.contains($0.name) }.flatMap(\.dependencies)
      kept.formUnion(needed.filter { hasTraits || !$0.isOptional }.map(\.name))
    }
    gone.formUnion(targets.map(\.name).filter { !kept.contains($0) })
  }
  for target in targets { target.dependencies.removeAll { gone.contains($0.name) } }
  return targets.filter { !gone.contains($0.name) }
}

// MARK: - The toolkit
let toolkit: [Target] = [
  // Deadlines, seeded numbers and text of strangers; one thread with its descriptors; ending in order; files of one user alone.
  library("Linux", at: "Sources/Base/Linux"),
  part("Sources/Base/Base", settings: pure),
  part("Sources/Base/EventLoop", "Base Linux"),
  part("Sources/Base/Signals", "EventLoop Linux"),
  part("Sources/Base/PrivateFiles", "Base EventLoop Linux"),
  // Find each other. Without the trait Avahi its backend is empty, and a build needs nothing of Avahi.
  part("Sources/Discovery/Discovery", "Base", settings: pure),
  part("Sources/Discovery/Interfaces", "Discovery EventLoop Linux"),
  part("Sources/Discovery/MulticastDNS", "Base Discovery", settings: pure),
  part("Sources/Discovery/MulticastBackend", "Base Discovery EventLoop Interfaces Linux MulticastDNS"),
  part("Sources/Discovery/BusProtocol", settings: pure),
  part("Sources/Discovery/SystemBus", "BusProtocol EventLoop Linux"),
  library("Avahi", at: "Sources/Discovery/Avahi", debian: "libavahi-client-dev", "libavahi-common-dev"),
  part("Sources/Discovery/AvahiBackend", "Discovery EventLoop Interfaces Linux SystemBus", "Avahi @Avahi"),
  part(
    "Sources/Discovery/Bonjourish", "Discovery EventLoop Interfaces Linux MulticastBackend PrivateFiles Signals",
    "AvahiBackend @Avahi"),
  part(
    "Sources/Discovery/Doctor", "Base BusProtocol Discovery EventLoop Interfaces Linux MulticastBackend MulticastDNS",
    "SystemBus"),
  // Talk in frames, by calls, in secret, with browsers and with services. Only FramedSecurity needs its two libraries.
  part("Sources/Transport/FramedCoding", "Base", settings: pure),
  part("Sources/Transport/FramedTransport", "EventLoop FramedCoding Linux Signals"),
  part("Sources/Transport/FramedTransportTesting", "Base EventLoop FramedCoding FramedTransport Linux"),
  part("Sources/Transport/FramedJSON", "Base FramedCoding"),
  part("Sources/Transport/FramedActors", "EventLoop FramedJSON FramedTransport"),
  library("OpenSSL", at: "Sources/Transport/OpenSSL", pkgConfig: "openssl", debian: "libssl-dev"),
  library("Sodium", at: "Sources/Transport/Sodium", pkgConfig: "libsodium", debian: "libsodium-dev"),
  part("Sources/Transport/FramedSecurity", "EventLoop FramedTransport Linux OpenSSL PrivateFiles Sodium"),
  part("Sources/Transport/WebProtocol", "Base", settings: pure),
  part("Sources/Transport/FramedWebSockets", "EventLoop FramedCoding FramedTransport Linux WebProtocol"),
  part("Sources/Transport/BonjourishTransport", "Bonjourish Discovery EventLoop FramedTransport"),
  // Find each other beyond one network. Whoever does not use this product needs nothing of NATS.
  library("NATS", at: "Sources/Directory/NATS", pkgConfig: "libnats", debian: "libnats-dev"),
  part("Sources/Directory/Protocol", named: "DirectoryProtocol", "Base Discovery", settings: pure),
  part(
    "Sources/Directory/BonjourishDirectory", "Bonjourish BonjourishTransport DirectoryProtocol Discovery EventLoop",
    "FramedTransport Interfaces Linux NATS PrivateFiles"),
  // The daemon behind the interface of avahi-daemon.
  part("Sources/Daemon/Machine", named: "DaemonMachine", "Base BusProtocol Discovery MulticastDNS", settings: pure),
  part(
    "Sources/Daemon/Daemon", "BusProtocol DaemonMachine Discovery EventLoop Interfaces Linux MulticastBackend MulticastDNS",
    "SystemBus"),
  part("Sources/Daemon/Configuration", named: "DaemonConfiguration", "Base Discovery", settings: pure),
  part("Sources/Daemon/SimpleProtocol", "Discovery", settings: pure),
  part("Sources/Daemon/SimpleSocket", "Discovery EventLoop Linux SimpleProtocol"),
  library("Expat", at: "Sources/Daemon/Expat", pkgConfig: "expat", debian: "libexpat1-dev"),
  part(
    "Sources/Daemon/Service", named: "DaemonService", "DaemonConfiguration Discovery EventLoop Linux PrivateFiles",
    "Expat @Daemon"),
  // What programs share, and the program of the toolkit. Without the trait Directory, they need nothing of NATS.
  part("Sources/Programs/Terminal", "Base EventLoop Linux Signals"),
  part("Sources/Programs/Explorer", "Base Discovery Terminal", settings: pure),
  part("Sources/Programs/Console", "Base EventLoop Linux Signals Terminal"),
  part("Sources/Programs/JSONOutput", "Base Console"),  // Apart, because it needs Foundation: the daemon has none.
  part("Sources/Programs/DaemonOptions", "Console DaemonConfiguration DaemonService Linux SimpleSocket"),
  part("Sources/Programs/DiscoveryOptions", "Bonjourish Console", "BonjourishDirectory @Directory"),
  part(
    "Sources/Programs/bonjourish-cli", "Base Bonjourish Console DiscoveryOptions Doctor EventLoop Explorer JSONOutput",
    "Linux MulticastBackend MulticastDNS Terminal", exclude: ["Output/output.schema.json"]),
  part(
    "Sources/Programs/bonjourishd", "Console Daemon DaemonConfiguration DaemonMachine DaemonOptions DaemonService @Daemon",
    "Discovery EventLoop Linux Signals SimpleProtocol SimpleSocket @Daemon"),  // Without the trait Daemon, it does nothing.
]

// MARK: - Examples
let examples: [Target] = [
  part("Examples/Chat", named: "chat", "Bonjourish BonjourishTransport FramedTransport"),
  part("Examples/Files", named: "files", "Bonjourish BonjourishTransport FramedJSON FramedSecurity FramedTransport"),
  part("Examples/Embed/Sources/advertise", named: "advertise", "Bonjourish"),  // A package of its own, too.
  part("Examples/Embed/Sources/embed", named: "embed", "Bonjourish"),
  part("Examples/TicTacToe", named: "tic-tac-toe", "Bonjourish BonjourishTransport FramedActors FramedTransport"),
  library("CSQLite", at: "Examples/TwentyFour/CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
  library("CICU", at: "Examples/TwentyFour/CICU", pkgConfig: "icu-uc", debian: "libicu-dev"),
  library("CQRencode", at: "Examples/TwentyFour/CQRencode", pkgConfig: "libqrencode", debian: "libqrencode-dev"),
  part("Examples/TwentyFour/Rules", named: "TwentyFour", settings: pure),
  part("Examples/TwentyFour/Names", "CICU TwentyFour"),
  part(
    "Examples/TwentyFour/Rooms", "Bonjourish BonjourishTransport FramedJSON FramedSecurity FramedTransport FramedWebSockets",
    "Names PrivateFiles TwentyFour"),
  // The page for phones is part of the program: there is no file to install.
  part(
    "Examples/TwentyFour/Web/Page", named: "CTwentyFourPage",
    exclude: ["icon.svg", "index.html", "page.css", "page.js", "sound.js", "speech.js"]),
  part("Examples/TwentyFour/Web", named: "TwentyFourWeb", "CQRencode CTwentyFourPage FramedWebSockets", exclude: ["Page"]),
  part("Examples/TwentyFour/Server", named: "MatchServer", "Bonjourish FramedSecurity FramedTransport Rooms TwentyFour"),
  part("Examples/TwentyFour/Results", "CSQLite PrivateFiles TwentyFour"),
  part(
    "Examples/TwentyFour/Screens", "Bonjourish Console DiscoveryOptions FramedSecurity FramedTransport JSONOutput Names",
    "PrivateFiles Rooms Terminal TwentyFour TwentyFourWeb"),
  part(
    "Examples/TwentyFour/Host", named: "twentyfour-host", "Bonjourish Console DiscoveryOptions FramedJSON FramedSecurity",
    "FramedTransport JSONOutput MatchServer Results Rooms Screens TwentyFour", "BonjourishDirectory @Directory",
    exclude: ["twentyfour-host.service", "twentyfour-host.socket"]),
  part("Examples/TwentyFour/Join", named: "twentyfour-join", "Bonjourish Console DiscoveryOptions Rooms Screens TwentyFour"),
  part("Examples/PacketDuel/FourInARow", settings: pure),
  part("Examples/PacketDuel/PacketDuel", "FourInARow FramedCoding", settings: pure),
  part(
    "Examples/PacketDuel/packet-duel", "Bonjourish BonjourishTransport Console FourInARow FramedTransport JSONOutput",
    "PacketDuel"),
  part("Examples/RaceServer/Race", "FramedCoding", settings: pure),
  part("Examples/RaceServer/Server", named: "race-server", "Console FramedTransport JSONOutput Race"),
  part("Examples/RaceServer/Client", named: "race-client", "Console FramedTransport JSONOutput Race"),
]

// MARK: - Tests
/// What tests use, programs that measure and attack, and inputs that once failed or that reach far.
let helpers: [Target] = [
  library("CSpawn", at: "Tests/Support/CSpawn"),
  part(
    "Tests/Support/TestSupport", "Base Discovery", isLinux ? "CSpawn EventLoop Linux" : "",
    exclude: isLinux ? [] : ["OnLinux"]),
  part("Tests/Support/TransportTestSupport", "FramedTransport"),
  part("Tests/Base/Stopping", named: "stop-cleanly", "Bonjourish"),
  part("Tests/Transport/Activation", named: "activated-echo", "FramedTransport", exclude: ["launch.py"]),
  part("Tests/Directory/DirectoryModel", "DirectoryProtocol", settings: pure),
  part("Tests/Security/Middle", named: "man-in-the-middle", "Console FramedSecurity JSONOutput"),
  part("Tests/Benchmarks/Transport/Program", named: "transport-bench", "Console FramedSecurity FramedWebSockets JSONOutput"),
  part("Tests/Benchmarks/Relay", named: "relay-bench", "BonjourishDirectory", exclude: ["relay"]),
  part("Tests/Benchmarks/Engine", named: "bench-engine", "Console MulticastDNS"),
  part("Tests/Benchmarks/Explorer", named: "bench-explorer", "Console Discovery Explorer Linux Terminal"),
  part("Tests/Benchmarks/Publish", named: "bench-publish", "Bonjourish Console"),
  part("Tests/Benchmarks/Directory/Program", named: "bench-directory", "BonjourishDirectory Console"),
  part("Tests/Benchmarks/Load", named: "twentyfour-load", "Console JSONOutput MatchServer Rooms TestSupport"),
  part("Tests/Benchmarks/Siege/Players", named: "siege-players", "Console JSONOutput Rooms"),
  part("Tests/Stress/FrameStress", "FramedTransport TestSupport"),
  part("Tests/Stress/Program", named: "stress-frames", "Console FrameStress"),
  part("Tests/Stress/Discovery", named: "stress-discovery", "Bonjourish Console JSONOutput", exclude: ["outages.py"]),
  part("Tests/Fuzz/FuzzCases", "MulticastDNS", settings: pure),
  part("Tests/Fuzz/TransportFuzzCases", "FramedActors FramedTransportTesting FuzzCases", settings: pure),
  part("Tests/Fuzz/SecureFuzzCases", "FramedSecurity FuzzCases"),
  part("Tests/Fuzz/WebFuzzCases", "FuzzCases WebProtocol", settings: pure),
  part("Tests/Fuzz/DirectoryFuzzCases", "DirectoryProtocol FuzzCases", settings: pure),
  part("Tests/Fuzz/RoomFuzzCases", "FuzzCases Rooms"),
  part("Tests/Fuzz/DaemonFuzzCases", "DaemonMachine FuzzCases SimpleProtocol", settings: pure),
]

/// The tests of each street by their names without `Tests`, with the modules that they use, else one of that name, and after a minus what
/// in their folder is no source, such as programs in other languages. All may use `Base`, `EventLoop`, `Linux` and `TestSupport`.
let tables = [
  "Base/": "Base, PrivateFiles, EventLoop: Linux, Signals: Signals stop-cleanly",
  "Discovery/":
    "Interfaces, Discovery, BusProtocol, AvahiBackend: AvahiBackend Bonjourish BusProtocol, Bonjourish, Doctor, "
    + "MulticastBackend: Bonjourish MulticastBackend, MulticastDNS: MulticastDNS -ATTACKS.md -CLAUSES.txt -CONFORMANCE.md",
  "Daemon/": "DaemonMachine, DaemonConfiguration, SimpleProtocol, SimpleSocket, DaemonService, Daemon",
  "Transport/":
    "WebProtocol, FramedCoding, FramedJSON, FramedActors: FramedActors TransportTestSupport, Activation: activated-echo, "
    + "FramedTransport: FrameStress FramedTransportTesting TransportTestSupport, "
    + "FramedSecurity: FramedSecurity FramedTransportTesting TransportTestSupport, "
    + "BonjourishTransport: BonjourishTransport FramedJSON FramedSecurity FramedTransportTesting TransportTestSupport, "
    + "FramedWebSockets: FramedJSON FramedTransportTesting FramedWebSockets TransportTestSupport WebProtocol -peers, "
    + "SecureWeb: FramedSecurity FramedWebSockets TransportTestSupport -peers",
  "Directory/": "DirectoryProtocol, BonjourishDirectory: BonjourishDirectory DirectoryModel FramedSecurity",
  "Programs/": "DaemonOptions, DiscoveryOptions, Terminal, Explorer, Console: Console JSONOutput, Tool: bonjourish-cli",
  "Examples/":
    "Names, Screens, TwentyFourWeb, Results, FourInARow, Race, Files: FramedTransportTesting files, Rules: TwentyFour, "
    + "Rooms: FramedJSON Rooms, Server: twentyfour-host twentyfour-join twentyfour-load, Group: DirectoryModel MatchServer Rooms, "
    + "PacketDuel: Bonjourish Console FramedTransport JSONOutput PacketDuel packet-duel -peers, "
    + "RaceServer: FramedTransportTesting race-client race-server -peers",
  "Benchmarks/": "TransportBench: transport-bench",
  "Fuzz/": "Corpus: DaemonFuzzCases DirectoryFuzzCases RoomFuzzCases SecureFuzzCases TransportFuzzCases WebFuzzCases",
  "": "LAN: Linux MulticastDNS TwentyFour -peers",  // Whole programs on a private LAN.
]

let testing: [Target] = tables.flatMap { street, table in
  table.split(separator: ", ").map { $0.split(separator: ": ") }.map { line in
    let words = line.last!.split(separator: " ").map(String.init) + ["TestSupport"]
    return .testTarget(
      name: "\(line[0])Tests", dependencies: dependencies(of: "Tests/", words.filter { !$0.hasPrefix("-") }),
      path: "Tests/\(street)\(line[0])Tests", exclude: words.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) },
      swiftSettings: common)
  }
}

/// Programs that libFuzzer drives, as `make fuzz` names them: program:folder:cases. They link only with `--sanitize=fuzzer`.
let fuzzers: [Target] = (Context.environment["FUZZ"] ?? "").split(separator: " ").map { words in
  let words = words.split(separator: ":", omittingEmptySubsequences: false)
  return part(
    "Tests/Fuzz/\(words[1])", named: "fuzz-\(words[0])", "FuzzCases", words[2].isEmpty ? "" : "\(words[2])FuzzCases",
    settings: common + [.unsafeFlags(["-parse-as-library"])])
}

let targets = offered(toolkit + examples + helpers + testing + fuzzers)
// The programs of the examples and tests are no products: whoever depends on this package sees nothing of them.
let package = Package(
  name: "bonjourish",
  platforms: [.macOS(.v26)],
  products: [
    "Bonjourish", "BonjourishTransport", "BonjourishDirectory", "FramedTransport", "FramedTransportTesting", "FramedJSON",
    "FramedSecurity", "FramedWebSockets", "FramedActors",
  ].filter { library in targets.contains { $0.name == library } }
    .map { .library(name: $0, targets: $0 == "FramedTransport" ? [$0, "FramedCoding"] : [$0]) }
    + ["bonjourish-cli", "bonjourishd"].filter { program in targets.contains { $0.name == program } }
    .map { .executable(name: $0 == "bonjourishd" ? $0 : "bonjourish", targets: [$0]) },
  traits: [
    .trait(name: "Avahi", description: "Discovery by avahi-daemon where it runs; needs Avahi's client library."),
    .trait(name: "Directory", description: "Discovery beyond the local network, too; needs the C client of NATS."),
    .trait(name: "Daemon", description: "The program bonjourishd, in the place of avahi-daemon; needs the library expat."),
    .default(enabledTraits: !hasTraits ? [] : isChecked ? ["Avahi", "Directory", "Daemon"] : ["Avahi", "Directory"]),
  ],
  targets: targets
)
