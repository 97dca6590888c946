// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target: imports are internal unless declared otherwise, and a nonisolated async function runs on its
/// caller's executor. Warnings are errors where `make` checks, but not for those who depend on this package.
let common: [SwiftSetting] =
  [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
    "InferIsolatedConformances",
  ].map { .enableUpcomingFeature($0) } + [.swiftLanguageMode(.v6)]
  + (Context.environment["BONJOURISH_CHECKS"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// The settings of modules without I/O: they import the standard library and other pure modules only, and contain nothing unsafe.
let pure: [SwiftSetting] = common + [.strictMemorySafety()]

// MARK: - Names
/// The modules that only this package imports, by the short words that their folders and this file use. SwiftPM wants the names of
/// modules to be unique among all packages of a program, so that none of ours is a common word.
let names = Dictionary(
  uniqueKeysWithValues: [
    "_Bonjourish":
      "Base EventLoop Signals PrivateFiles Discovery Interfaces MulticastDNS MulticastBackend BusProtocol SystemBus AvahiBackend Doctor "
      + "DirectoryProtocol Terminal Console DiscoveryOptions DaemonMachine Daemon "
      + "DaemonConfiguration SimpleProtocol SimpleSocket DaemonService DaemonOptions",
    "_Framed": "WebProtocol", "CBonjourish": "Linux Avahi NATS Expat", "CFramed": "OpenSSL Sodium",
  ].flatMap { family, words in words.split(separator: " ").map { (String($0), family + $0) } })

/// The dependencies that words name, of which some are needed with a package trait only.
func dependencies(
  _ words: [String], withAvahi: String = "", withDirectory: String = "", withDaemon: String = ""
) -> [Target.Dependency] {
  func modules(_ words: String, _ condition: TargetDependencyCondition? = nil) -> [Target.Dependency] {
    words.split(separator: " ").map { .target(name: names[String($0)] ?? String($0), condition: condition) }
  }
  return words.flatMap { modules($0) } + modules(withAvahi, .when(traits: ["Avahi"]))
    + modules(withDirectory, .when(traits: ["Directory"])) + modules(withDaemon, .when(traits: ["Daemon"]))
}

/// A module in a folder, which has its name if no other is given; a program, if the name is in lower case. Those of examples see what a
/// stranger's program sees: the public declarations.
func part(
  _ folder: String, named given: String? = nil, _ words: String..., withAvahi: String = "", withDirectory: String = "",
  withDaemon: String = "", exclude: [String] = [], settings: [SwiftSetting] = common
) -> Target {
  let word = given ?? String(folder.split(separator: "/").last!)
  let name = names[word] ?? word
  let needed = dependencies(words, withAvahi: withAvahi, withDirectory: withDirectory, withDaemon: withDaemon)
  let isInside = !folder.hasPrefix("Examples/")
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

/// Those that need no module of C that the host lacks: elsewhere than on Linux the modules without I/O, and their tests.
func offered(_ targets: [Target]) -> [Target] {
  var gone = Set(targets.filter { $0.type == .system && !(isLinux && (hasLibraries || $0.providers == nil)) }.map(\.name))
  func isGone(_ dependency: Target.Dependency, unlessOptional: Bool) -> Bool {
    guard case .targetItem(let name, let condition) = dependency else { return false }
    return gone.contains(name) && (condition == nil || !unlessOptional)
  }
  for _ in targets {
    gone.formUnion(targets.filter { $0.dependencies.contains { isGone($0, unlessOptional: true) } }.map(\.name))
  }
  for target in targets { target.dependencies.removeAll { isGone($0, unlessOptional: false) } }
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
  part("Sources/Discovery/MulticastBackend", "Discovery EventLoop Interfaces Linux MulticastDNS"),
  part("Sources/Discovery/BusProtocol", settings: pure),
  part("Sources/Discovery/SystemBus", "BusProtocol EventLoop Linux"),
  library("Avahi", at: "Sources/Discovery/Avahi", debian: "libavahi-client-dev", "libavahi-common-dev"),
  part("Sources/Discovery/AvahiBackend", "Discovery EventLoop Interfaces Linux SystemBus", withAvahi: "Avahi"),
  part(
    "Sources/Discovery/Bonjourish", "Discovery EventLoop Interfaces Linux MulticastBackend PrivateFiles Signals",
    withAvahi: "AvahiBackend"),
  part("Sources/Discovery/Doctor", "BusProtocol Discovery EventLoop Interfaces Linux MulticastBackend MulticastDNS SystemBus"),
  // The daemon.
  part("Sources/Daemon/Machine", named: "DaemonMachine", "Base BusProtocol Discovery MulticastDNS", settings: pure),
  part(
    "Sources/Daemon/Daemon", "BusProtocol DaemonMachine Discovery EventLoop Interfaces Linux MulticastBackend MulticastDNS",
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
  part("Sources/Transport/WebProtocol", settings: pure),
  part("Sources/Transport/FramedWebSockets", "EventLoop FramedCoding FramedTransport Linux WebProtocol"),
  part("Sources/Transport/BonjourishTransport", "Bonjourish Discovery EventLoop FramedTransport"),
  // Find each other beyond one network. Whoever does not use this product needs nothing of NATS.
  library("NATS", at: "Sources/Directory/NATS", pkgConfig: "libnats", debian: "libnats-dev"),
  part("Sources/Directory/Protocol", named: "DirectoryProtocol", "Base Discovery", settings: pure),
  part(
    "Sources/Directory/BonjourishDirectory", "Bonjourish BonjourishTransport DirectoryProtocol Discovery EventLoop",
    "FramedTransport Interfaces Linux NATS PrivateFiles"),
  // The daemon.
  part("Sources/Daemon/Configuration", named: "DaemonConfiguration", "Base Discovery", settings: pure),
  part("Sources/Daemon/SimpleProtocol", "Discovery", settings: pure),
  part("Sources/Daemon/SimpleSocket", "Discovery EventLoop Linux SimpleProtocol"),
  library("Expat", at: "Sources/Daemon/Expat", pkgConfig: "expat", debian: "libexpat1-dev"),
  part(
    "Sources/Daemon/Service", named: "DaemonService", "DaemonConfiguration Discovery EventLoop Linux PrivateFiles",
    withDaemon: "Expat"),
  // What programs share, and the program of the toolkit. Without the trait Directory, they need nothing of NATS.
  part("Sources/Programs/Terminal", "EventLoop Linux Signals"),
  part("Sources/Programs/Console", "Base EventLoop Linux Signals Terminal"),
  part("Sources/Programs/DaemonOptions", "Console DaemonConfiguration DaemonService Linux SimpleSocket"),
  part("Sources/Programs/DiscoveryOptions", "Bonjourish Console", withDirectory: "BonjourishDirectory"),
  part(
    "Sources/Programs/bonjourish-cli", "Base Bonjourish Console DiscoveryOptions Doctor EventLoop Linux MulticastBackend",
    "MulticastDNS Terminal", exclude: ["Output/output.schema.json"]),
  // Without the trait Daemon, it does nothing.
  part(
    "Sources/Programs/bonjourishd",
    withDaemon:
      "Console Daemon DaemonConfiguration DaemonMachine DaemonOptions DaemonService Discovery EventLoop Linux Signals "
      + "SimpleProtocol SimpleSocket"),
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
  part("Examples/TwentyFour/Web/Page", named: "CTwentyFourPage", exclude: ["icon.svg", "index.html", "page.css", "page.js"]),
  part("Examples/TwentyFour/Web", named: "TwentyFourWeb", "CQRencode CTwentyFourPage FramedWebSockets", exclude: ["Page"]),
  part("Examples/TwentyFour/Server", named: "MatchServer", "Bonjourish FramedSecurity FramedTransport Rooms TwentyFour"),
  part("Examples/TwentyFour/Results", "CSQLite PrivateFiles TwentyFour"),
  part(
    "Examples/TwentyFour/Screens", "Bonjourish Console DiscoveryOptions FramedSecurity FramedTransport Names PrivateFiles",
    "Rooms Terminal TwentyFour TwentyFourWeb"),
  part(
    "Examples/TwentyFour/Host", named: "twentyfour-host", "Bonjourish Console DiscoveryOptions FramedJSON FramedSecurity",
    "FramedTransport MatchServer Results Rooms Screens TwentyFour", withDirectory: "BonjourishDirectory",
    exclude: ["twentyfour-host.service", "twentyfour-host.socket"]),
  part("Examples/TwentyFour/Join", named: "twentyfour-join", "Bonjourish Console DiscoveryOptions Rooms Screens TwentyFour"),
  part("Examples/PacketDuel/FourInARow", settings: pure),
  part("Examples/PacketDuel/PacketDuel", "FourInARow FramedCoding", settings: pure),
  part(
    "Examples/PacketDuel/Program", named: "packet-duel", "Bonjourish BonjourishTransport Console FourInARow FramedTransport",
    "PacketDuel"),
  part("Examples/RaceServer/Race", "FramedCoding", settings: pure),
  part("Examples/RaceServer/Server", named: "race-server", "Console FramedTransport Race"),
  part("Examples/RaceServer/Client", named: "race-client", "Console FramedTransport Race"),
]

// MARK: - Tests
/// The tests in a folder, which has their name. All may use `Base`, `EventLoop`, `Linux` and `TestSupport`.
func tests(_ folder: String, _ words: String..., withAvahi: String = "", exclude: [String] = []) -> Target {
  .testTarget(
    name: String(folder.split(separator: "/").last!),
    dependencies: dependencies(
      ["Base TestSupport", words.contains("Linux") ? "EventLoop" : isLinux ? "EventLoop Linux" : ""] + words,
      withAvahi: withAvahi),
    path: "Tests/\(folder)", exclude: exclude, swiftSettings: common)
}

let testing: [Target] = [
  library("CSpawn", at: "Tests/Support/CSpawn"),
  part(
    "Tests/Support/TestSupport", "Base Discovery", isLinux ? "CSpawn EventLoop Linux" : "",
    exclude: isLinux ? [] : ["OnLinux"]),
  part("Tests/Support/TransportTestSupport", "FramedTransport"),
  tests("Base/BaseTests"),
  tests("Base/EventLoopTests", "Linux"),
  part("Tests/Base/Stopping", named: "stop-cleanly", "Bonjourish"),
  tests("Base/SignalsTests", "Signals stop-cleanly"),
  tests("Base/PrivateFilesTests", "PrivateFiles"),
  tests("Discovery/InterfacesTests", "Discovery Interfaces"),
  tests("Discovery/DiscoveryTests", "Discovery"),
  tests("Discovery/MulticastDNSTests", "Discovery MulticastDNS", exclude: ["ATTACKS.md", "CLAUSES.txt", "CONFORMANCE.md"]),
  tests("Discovery/BusProtocolTests", "BusProtocol"),
  tests("Daemon/DaemonMachineTests", "BusProtocol DaemonMachine Discovery MulticastDNS"),
  tests("Discovery/AvahiBackendTests", "AvahiBackend Discovery", withAvahi: "Avahi"),
  tests("Discovery/BonjourishTests", "Bonjourish Discovery Interfaces PrivateFiles"),
  tests("Discovery/MulticastBackendTests", "Bonjourish Discovery Interfaces MulticastBackend MulticastDNS"),
  tests("Discovery/DoctorTests", "Discovery Doctor Interfaces MulticastBackend MulticastDNS SystemBus"),
  tests("Transport/FramingTests", "FramedCoding"),
  tests(
    "Transport/FramedTransportTests", "FrameStress FramedCoding FramedTransport FramedTransportTesting TransportTestSupport"),
  tests(
    "Transport/SecureTransportTests", "FramedSecurity FramedTransport FramedTransportTesting OpenSSL PrivateFiles",
    "TransportTestSupport"),
  tests("Transport/WebProtocolTests", "WebProtocol"),
  tests(
    "Transport/WebSocketsTests", "FramedCoding FramedJSON FramedTransport FramedTransportTesting FramedWebSockets",
    "TransportTestSupport", exclude: ["peers"]),
  tests(
    "Transport/SecureWebTests", "FramedSecurity FramedTransport FramedWebSockets TransportTestSupport", exclude: ["peers"]),
  part("Tests/Transport/Activation", named: "activated-echo", "FramedTransport Linux", exclude: ["launch.py"]),
  tests("Transport/ActivationTests", "FramedTransport activated-echo"),
  tests("Transport/JSONMessagesTests", "FramedCoding FramedJSON"),
  tests("Transport/FramedActorsTests", "FramedActors FramedJSON FramedTransport TransportTestSupport"),
  tests("Transport/BonjourishTransportTests", "Bonjourish BonjourishTransport FramedJSON FramedSecurity FramedTransport"),
  part("Tests/Directory/DirectoryModel", "DirectoryProtocol", settings: pure),
  tests("Directory/DirectoryProtocolTests", "DirectoryProtocol Discovery"),
  tests(
    "Directory/DirectoryTests", "Bonjourish BonjourishDirectory BonjourishTransport DirectoryModel DirectoryProtocol Discovery",
    "FramedSecurity FramedTransport NATS Sodium"),
  tests("Daemon/DaemonConfigurationTests", "DaemonConfiguration Discovery"),
  tests("Daemon/SimpleProtocolTests", "Discovery SimpleProtocol"),
  tests("Daemon/SimpleSocketTests", "Discovery SimpleProtocol SimpleSocket"),
  tests("Daemon/DaemonServiceTests", "DaemonConfiguration DaemonService Discovery"),
  tests("Programs/DaemonOptionsTests", "Console DaemonOptions"),
  tests("Programs/DiscoveryOptionsTests", "Bonjourish Console Discovery DiscoveryOptions"),
  tests("Programs/TerminalTests", "Terminal"),
  tests("Programs/ConsoleTests", "Console Terminal"),
  tests(
    "Programs/ToolTests", "Bonjourish Console Discovery DiscoveryOptions Doctor MulticastBackend MulticastDNS Terminal",
    "bonjourish-cli"),
  tests("Examples/FilesTests", "Bonjourish FramedSecurity FramedTransport FramedTransportTesting files"),
  tests("Examples/NamesTests", "Names TwentyFour"),
  tests("Examples/RulesTests", "TwentyFour"),
  tests("Examples/RoomsTests", "Bonjourish FramedCoding FramedJSON FramedSecurity FramedTransport Names Rooms TwentyFour"),
  tests(
    "Examples/ServerTests", "Bonjourish FramedJSON FramedSecurity FramedTransport MatchServer Rooms TwentyFour twentyfour-host",
    "twentyfour-load"),
  tests("Examples/GroupTests", "Bonjourish DirectoryModel DirectoryProtocol MatchServer Names Rooms TwentyFour"),
  tests("Examples/ScreensTests", "Bonjourish Console Discovery Names Rooms Screens Terminal TwentyFour"),
  tests("Examples/TwentyFourWebTests", "FramedWebSockets TwentyFourWeb"),
  tests("Examples/ResultsTests", "Results TwentyFour"),
  tests("Examples/FourInARowTests", "FourInARow"),
  tests("Examples/PacketDuelTests", "FourInARow FramedCoding PacketDuel packet-duel", exclude: ["peers"]),
  tests("Examples/RaceTests", "FramedCoding Race"),
  tests("Examples/RaceServerTests", "FramedTransport FramedTransportTesting Race race-client race-server", exclude: ["peers"]),
  tests("LANTests", "Linux", "MulticastDNS TwentyFour", exclude: ["peers"]),  // Whole programs on a private LAN.
  part("Tests/Security/Middle", named: "man-in-the-middle", "Console FramedSecurity FramedTransport"),
  // Speed and load.
  part(
    "Tests/Benchmarks/Transport/Program", named: "transport-bench",
    "Console FramedSecurity FramedTransport FramedWebSockets Linux"),
  tests("Benchmarks/TransportBenchTests", "FramedTransport transport-bench"),
  part(
    "Tests/Benchmarks/Relay", named: "relay-bench", "Bonjourish BonjourishDirectory BonjourishTransport FramedTransport Linux",
    exclude: ["relay"]),
  part("Tests/Benchmarks/Engine", named: "bench-engine", "Console Discovery Linux MulticastDNS"),
  part("Tests/Benchmarks/Publish", named: "bench-publish", "Bonjourish Console"),
  part(
    "Tests/Benchmarks/Directory/Program", named: "bench-directory",
    "Base Bonjourish BonjourishDirectory Console DirectoryProtocol Linux Terminal"),
  part(
    "Tests/Benchmarks/Load", named: "twentyfour-load", "Console FramedJSON FramedSecurity FramedTransport FramedWebSockets",
    "MatchServer Rooms TestSupport TwentyFour"),
  part(
    "Tests/Benchmarks/Siege/Players", named: "siege-players",
    "Console FramedJSON FramedSecurity FramedTransport FramedWebSockets Rooms TwentyFour"),
  part("Tests/Stress/FrameStress", "Base EventLoop FramedTransport Linux TestSupport"),
  part("Tests/Stress/Program", named: "stress-frames", "Console FrameStress Linux"),
  part("Tests/Stress/Discovery", named: "stress-discovery", "Base Bonjourish Console Linux", exclude: ["outages.py"]),
  // Inputs that once failed, or that reach far.
  part("Tests/Fuzz/Cases", named: "FuzzCases", "Discovery MulticastDNS", settings: pure),
  part(
    "Tests/Fuzz/TransportCases", named: "TransportFuzzCases",
    "FramedActors FramedCoding FramedJSON FramedTransport FramedTransportTesting FuzzCases", settings: pure),
  part("Tests/Fuzz/SecureCases", named: "SecureFuzzCases", "EventLoop FramedSecurity FramedTransport FuzzCases"),
  part("Tests/Fuzz/WebCases", named: "WebFuzzCases", "FuzzCases WebProtocol", settings: pure),
  part("Tests/Fuzz/DirectoryCases", named: "DirectoryFuzzCases", "DirectoryProtocol Discovery FuzzCases", settings: pure),
  part("Tests/Fuzz/RoomCases", named: "RoomFuzzCases", "FramedJSON FramedSecurity FuzzCases Rooms TwentyFour"),
  part(
    "Tests/Fuzz/DaemonCases", named: "DaemonFuzzCases",
    "BusProtocol DaemonMachine Discovery FuzzCases MulticastDNS SimpleProtocol",
    settings: pure),
  tests(
    "Fuzz/CorpusTests",
    "DaemonFuzzCases DirectoryFuzzCases FuzzCases RoomFuzzCases SecureFuzzCases TransportFuzzCases WebFuzzCases"),
]

/// Programs that libFuzzer drives, as `make fuzz` names them: program:folder:cases. They link only with `--sanitize=fuzzer`.
let fuzzers: [Target] = (Context.environment["FUZZ"] ?? "").split(separator: " ").map { words in
  let words = words.split(separator: ":", omittingEmptySubsequences: false)
  return part(
    "Tests/Fuzz/\(words[1])", named: "fuzz-\(words[0])", "FuzzCases", words[2].isEmpty ? "" : "\(words[2])FuzzCases",
    settings: common + [.unsafeFlags(["-parse-as-library"])])
}

let targets = offered(toolkit + examples + testing + fuzzers)

// The programs of the examples and tests are no products: whoever depends on this package sees nothing of them.
let package = Package(
  name: "bonjourish",
  platforms: [.macOS(.v26)],
  products: [
    "Bonjourish", "BonjourishTransport", "BonjourishDirectory", "FramedTransport", "FramedTransportTesting", "FramedJSON",
    "FramedSecurity", "FramedWebSockets", "FramedActors",
  ].filter { library in targets.contains { $0.name == library } }
    .map { .library(name: $0, targets: $0 == "FramedTransport" ? [$0, "FramedCoding"] : [$0]) }
    + (isLinux
      ? [
        .executable(name: "bonjourish", targets: ["bonjourish-cli"]),
        .executable(name: "bonjourishd", targets: ["bonjourishd"]),
      ]
      : []),
  traits: [
    .trait(name: "Avahi", description: "Discovery by avahi-daemon where it runs; needs Avahi's client library."),
    .trait(name: "Directory", description: "Discovery beyond the local network, too; needs the C client of NATS."),
    .trait(
      name: "Daemon",
      description:
        "The program bonjourishd: the machine's daemon behind the interface of avahi-daemon; needs the library expat."),
    // Whoever works on the package builds all of it.
    .default(
      enabledTraits: Set(
        (hasLibraries ? ["Avahi", "Directory"] : [])
          + (hasLibraries && Context.environment["BONJOURISH_CHECKS"] != nil ? ["Daemon"] : []))),
  ],
  targets: targets
)
