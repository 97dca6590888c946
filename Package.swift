// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target: imports are internal unless declared otherwise, and a nonisolated async function runs on its
/// caller's executor. Warnings are errors where `make` checks, but not for those who depend on this package.
let common: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
  ] + (Context.environment["BONJOURISH_CHECKS"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// The settings of modules without I/O: they import the standard library and other pure modules only, and contain nothing unsafe.
let pure: [SwiftSetting] = common + [.strictMemorySafety()]

// MARK: - Names

/// The modules that only this package imports, by the short words that their folders and this file use. SwiftPM wants the names of
/// modules to be unique among all packages of a program, so that none of ours is a common word.
let names = [
  "Linux": "CBonjourishLinux", "Base": "_BonjourishBase", "EventLoop": "_BonjourishEventLoop", "Signals": "_BonjourishSignals",
  "PrivateFiles": "_BonjourishPrivateFiles",
  "Discovery": "_BonjourishDiscovery", "Interfaces": "_BonjourishInterfaces", "MulticastDNS": "_BonjourishMulticastDNS",
  "MulticastBackend": "_BonjourishMulticastBackend", "SystemBus": "_BonjourishSystemBus", "Avahi": "CBonjourishAvahi",
  "AvahiBackend": "_BonjourishAvahiBackend", "Doctor": "_BonjourishDoctor",
  "OpenSSL": "CFramedOpenSSL", "Sodium": "CFramedSodium", "WebProtocol": "_FramedWebProtocol",
  "DirectoryProtocol": "_BonjourishDirectoryProtocol", "NATS": "CBonjourishNATS",
  "Terminal": "_BonjourishTerminal", "Console": "_BonjourishConsole", "DiscoveryOptions": "_BonjourishDiscoveryOptions",
]

/// The dependencies that words name, of which some are needed with a package trait only.
func dependencies(_ words: [String], withAvahi: String = "", withDirectory: String = "") -> [Target.Dependency] {
  func modules(_ words: String, _ condition: TargetDependencyCondition? = nil) -> [Target.Dependency] {
    words.split(separator: " ").map { .target(name: names[String($0)] ?? String($0), condition: condition) }
  }
  return words.flatMap { modules($0) } + modules(withAvahi, .when(traits: ["Avahi"]))
    + modules(withDirectory, .when(traits: ["Directory"]))
}

/// A module of the toolkit, in a folder of a street.
func room(
  _ word: String, in street: String, folder: String? = nil, _ words: String..., withAvahi: String = "",
  withDirectory: String = "", settings: [SwiftSetting] = common
) -> Target {
  .target(
    name: names[word] ?? word,
    dependencies: dependencies(words, withAvahi: withAvahi, withDirectory: withDirectory),
    path: "Sources/\(street)/\(folder ?? word)", swiftSettings: settings)
}

/// A library in C that the system has, with its name in pkg-config where that tells nothing but what to link. (Avahi's tells more.)
func library(_ word: String, at path: String, pkgConfig: String? = nil, debian packages: String...) -> Target {
  .systemLibrary(
    name: names[word] ?? word, path: path, pkgConfig: pkgConfig, providers: packages.isEmpty ? nil : [.apt(packages)])
}

// MARK: - The toolkit

let toolkit: [Target] = [
  // Deadlines, seeded numbers and text of strangers; one thread with its descriptors; ending in order; files of one user alone.
  library("Linux", at: "Sources/Base/Linux"),
  room("Base", in: "Base", settings: pure),
  room("EventLoop", in: "Base", "Base Linux"),
  room("Signals", in: "Base", "EventLoop Linux"),
  room("PrivateFiles", in: "Base", "Base EventLoop Linux"),

  // Find each other. Without the trait Avahi its backend is empty, and a build needs nothing of Avahi.
  room("Discovery", in: "Discovery", "Base", settings: pure),
  room("Interfaces", in: "Discovery", "Discovery EventLoop Linux"),
  room("MulticastDNS", in: "Discovery", "Base Discovery", settings: pure),
  room("MulticastBackend", in: "Discovery", "Discovery EventLoop Interfaces Linux MulticastDNS"),
  room("SystemBus", in: "Discovery", "EventLoop Linux"),
  library("Avahi", at: "Sources/Discovery/Avahi", debian: "libavahi-client-dev", "libavahi-common-dev"),
  room("AvahiBackend", in: "Discovery", "Discovery EventLoop Interfaces Linux SystemBus", withAvahi: "Avahi"),
  room(
    "Bonjourish", in: "Discovery", "Discovery EventLoop Interfaces Linux MulticastBackend PrivateFiles Signals",
    withAvahi: "AvahiBackend"),
  room("Doctor", in: "Discovery", "Discovery EventLoop Interfaces Linux MulticastBackend MulticastDNS SystemBus"),

  // Talk in frames, in secret and with browsers. Whoever does not use FramedSecurity needs neither of its libraries.
  room("FramedCoding", in: "Transport", "Base", settings: pure),
  room("FramedTransport", in: "Transport", "EventLoop FramedCoding Linux Signals"),
  room("FramedTransportTesting", in: "Transport", "Base EventLoop FramedCoding FramedTransport Linux"),
  room("FramedJSON", in: "Transport", "Base FramedCoding"),
  library("OpenSSL", at: "Sources/Transport/OpenSSL", pkgConfig: "openssl", debian: "libssl-dev"),
  library("Sodium", at: "Sources/Transport/Sodium", pkgConfig: "libsodium", debian: "libsodium-dev"),
  room("FramedSecurity", in: "Transport", "EventLoop FramedTransport Linux OpenSSL PrivateFiles Sodium"),
  room("WebProtocol", in: "Transport", settings: pure),
  room("FramedWebSockets", in: "Transport", "EventLoop FramedCoding FramedTransport Linux WebProtocol"),
  // Find each other, and talk.
  room("BonjourishTransport", in: "Transport", "Bonjourish Discovery EventLoop FramedTransport"),

  // Find each other beyond one network. Whoever does not use this product needs nothing of NATS.
  library("NATS", at: "Sources/Directory/NATS", pkgConfig: "libnats", debian: "libnats-dev"),
  room("DirectoryProtocol", in: "Directory", folder: "Protocol", "Base Discovery", settings: pure),
  room(
    "BonjourishDirectory", in: "Directory", "Bonjourish BonjourishTransport DirectoryProtocol Discovery EventLoop",
    "FramedTransport Interfaces Linux NATS PrivateFiles"),

  // What programs share, and the program of the toolkit. Without the trait Directory, they need nothing of NATS.
  room("Terminal", in: "Programs", "EventLoop Linux Signals"),
  room("Console", in: "Programs", "Base EventLoop Linux Signals Terminal"),
  room("DiscoveryOptions", in: "Programs", "Bonjourish Console", withDirectory: "BonjourishDirectory"),
  .executableTarget(
    name: "bonjourish-cli",
    dependencies: dependencies([
      "Base Bonjourish Console DiscoveryOptions Doctor EventLoop Linux MulticastBackend MulticastDNS Terminal"
    ]),
    path: "Sources/Programs/bonjourish-cli", exclude: ["Output/output.schema.json"], swiftSettings: common),
]

// MARK: - Examples

/// A module of an example. It sees what a stranger's program sees: the public declarations.
func exampleModule(
  _ name: String, in folder: String, _ words: String..., exclude: [String] = [], settings: [SwiftSetting] = common
) -> Target {
  .target(
    name: name, dependencies: dependencies(words), path: "Examples/\(folder)", exclude: exclude, packageAccess: false,
    swiftSettings: settings)
}

/// A program of an example, which sees no more than its modules do.
func exampleProgram(
  _ name: String, in folder: String, _ words: String..., withDirectory: String = "", exclude: [String] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies(words, withDirectory: withDirectory), path: "Examples/\(folder)", exclude: exclude,
    packageAccess: false, swiftSettings: common)
}

let examples: [Target] = [
  exampleProgram("chat", in: "Chat", "Bonjourish BonjourishTransport FramedTransport"),

  library("CSQLite", at: "Examples/TwentyFour/CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
  library("CICU", at: "Examples/TwentyFour/CICU", pkgConfig: "icu-uc", debian: "libicu-dev"),
  library("CQRencode", at: "Examples/TwentyFour/CQRencode", pkgConfig: "libqrencode", debian: "libqrencode-dev"),
  exampleModule("TwentyFour", in: "TwentyFour/Rules", settings: pure),
  exampleModule("Names", in: "TwentyFour/Names", "CICU TwentyFour"),
  exampleModule(
    "Rooms", in: "TwentyFour/Rooms", "Bonjourish BonjourishTransport FramedJSON FramedSecurity FramedTransport",
    "FramedWebSockets Names PrivateFiles TwentyFour"),
  // The page for phones is part of the program: there is no file to install.
  .target(
    name: "CTwentyFourPage", path: "Examples/TwentyFour/Web/Page", exclude: ["icon.svg", "index.html", "page.css", "page.js"],
    packageAccess: false),
  exampleModule("TwentyFourWeb", in: "TwentyFour/Web", "CQRencode CTwentyFourPage FramedWebSockets", exclude: ["Page"]),
  exampleModule("MatchServer", in: "TwentyFour/Server", "Bonjourish FramedSecurity FramedTransport Rooms TwentyFour"),
  exampleModule("Results", in: "TwentyFour/Results", "CSQLite PrivateFiles TwentyFour"),
  exampleModule(
    "Screens", in: "TwentyFour/Screens",
    "Bonjourish Console DiscoveryOptions FramedSecurity FramedTransport Names PrivateFiles",
    "Rooms Terminal TwentyFour TwentyFourWeb"),
  exampleProgram(
    "twentyfour-host", in: "TwentyFour/Host", "Bonjourish Console DiscoveryOptions FramedJSON FramedSecurity FramedTransport",
    "MatchServer Results Rooms Screens TwentyFour", withDirectory: "BonjourishDirectory",
    exclude: ["twentyfour-host.service", "twentyfour-host.socket"]),
  exampleProgram("twentyfour-join", in: "TwentyFour/Join", "Bonjourish Console DiscoveryOptions Rooms Screens TwentyFour"),

  exampleModule("FourInARow", in: "PacketDuel/FourInARow", settings: pure),
  exampleModule("PacketDuel", in: "PacketDuel/PacketDuel", "FourInARow FramedCoding", settings: pure),
  exampleProgram(
    "packet-duel", in: "PacketDuel/Program", "Bonjourish BonjourishTransport Console FourInARow FramedTransport PacketDuel"),

  exampleModule("Race", in: "RaceServer/Race", "FramedCoding", settings: pure),
  exampleProgram("race-server", in: "RaceServer/Server", "Console FramedTransport Race"),
  exampleProgram("race-client", in: "RaceServer/Client", "Console FramedTransport Race"),
]

// MARK: - Tests

/// The tests in a folder, which has their name. All may use `Base` and `TestSupport`.
func tests(_ folder: String, _ words: String..., withAvahi: String = "", exclude: [String] = []) -> Target {
  .testTarget(
    name: String(folder.split(separator: "/").last!),
    dependencies: dependencies(["Base TestSupport"] + words, withAvahi: withAvahi),
    path: "Tests/\(folder)", exclude: exclude, swiftSettings: common)
}

/// What several tests share.
func shared(_ name: String, in folder: String, _ words: String..., settings: [SwiftSetting] = common) -> Target {
  .target(name: name, dependencies: dependencies(words), path: "Tests/\(folder)", swiftSettings: settings)
}

/// A program that tests start, or that measures.
func testProgram(_ name: String, in folder: String, _ words: String..., exclude: [String] = []) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies(words), path: "Tests/\(folder)", exclude: exclude, swiftSettings: common)
}

let testing: [Target] = [
  library("CSpawn", at: "Tests/Support/CSpawn"),
  shared("TestSupport", in: "Support/TestSupport", "Base CSpawn Discovery EventLoop Linux Terminal"),
  shared("TransportTestSupport", in: "Support/TransportTestSupport", "FramedTransport"),

  tests("Base/BaseTests"),
  tests("Base/EventLoopTests", "EventLoop Linux"),
  testProgram("stop-cleanly", in: "Base/Stopping", "Bonjourish"),
  tests("Base/SignalsTests", "Linux Signals stop-cleanly"),
  tests("Base/PrivateFilesTests", "Linux PrivateFiles"),

  tests("Discovery/InterfacesTests", "Discovery EventLoop Interfaces Linux"),
  tests("Discovery/DiscoveryTests", "Discovery Linux"),
  tests(
    "Discovery/MulticastDNSTests", "Discovery Linux MulticastDNS", exclude: ["ATTACKS.md", "CLAUSES.txt", "CONFORMANCE.md"]),
  tests("Discovery/AvahiBackendTests", "AvahiBackend Discovery EventLoop Linux", withAvahi: "Avahi"),
  tests("Discovery/BonjourishTests", "Bonjourish Discovery EventLoop Interfaces PrivateFiles"),
  tests("Discovery/MulticastBackendTests", "Bonjourish Discovery EventLoop Interfaces Linux MulticastBackend MulticastDNS"),
  tests("Discovery/DoctorTests", "Discovery Doctor EventLoop Interfaces Linux MulticastBackend MulticastDNS SystemBus"),

  tests("Transport/FramingTests", "FramedCoding"),
  tests(
    "Transport/FramedTransportTests", "EventLoop FrameStress FramedCoding FramedTransport FramedTransportTesting Linux",
    "TransportTestSupport"),
  tests(
    "Transport/SecureTransportTests", "EventLoop FramedSecurity FramedTransport FramedTransportTesting Linux OpenSSL",
    "PrivateFiles TransportTestSupport"),
  tests("Transport/WebProtocolTests", "WebProtocol"),
  tests(
    "Transport/WebSocketsTests", "EventLoop FramedCoding FramedJSON FramedTransport FramedTransportTesting",
    "FramedWebSockets Linux TransportTestSupport", exclude: ["peers"]),
  testProgram("activated-echo", in: "Transport/Activation", "FramedTransport Linux", exclude: ["launch.py"]),
  tests("Transport/ActivationTests", "FramedTransport activated-echo"),
  tests("Transport/JSONMessagesTests", "FramedCoding FramedJSON"),
  tests("Transport/BonjourishTransportTests", "Bonjourish BonjourishTransport EventLoop FramedSecurity FramedTransport Linux"),

  shared("DirectoryModel", in: "Directory/DirectoryModel", "DirectoryProtocol", settings: pure),
  tests("Directory/DirectoryProtocolTests", "DirectoryProtocol Discovery"),
  tests(
    "Directory/DirectoryTests", "Bonjourish BonjourishDirectory BonjourishTransport DirectoryModel DirectoryProtocol",
    "Discovery EventLoop FramedSecurity FramedTransport Linux NATS Sodium"),

  tests("Programs/DiscoveryOptionsTests", "Bonjourish Console Discovery DiscoveryOptions"),
  tests("Programs/TerminalTests", "Linux Terminal"),
  tests("Programs/ConsoleTests", "Console EventLoop Linux Terminal"),
  tests(
    "Programs/ToolTests", "Bonjourish Console DiscoveryOptions Doctor MulticastBackend MulticastDNS Terminal",
    "bonjourish-cli"),

  tests("Examples/NamesTests", "Names TwentyFour"),
  tests("Examples/RulesTests", "TwentyFour"),
  tests(
    "Examples/RoomsTests", "Bonjourish EventLoop FramedCoding FramedJSON FramedSecurity FramedTransport Names Rooms",
    "TwentyFour"),
  tests(
    "Examples/ServerTests", "Bonjourish FramedJSON FramedSecurity FramedTransport MatchServer Rooms",
    "TwentyFour twentyfour-host twentyfour-load"),
  tests("Examples/GroupTests", "Bonjourish DirectoryModel DirectoryProtocol MatchServer Names Rooms TwentyFour"),
  tests("Examples/ScreensTests", "Bonjourish Console Names Rooms Screens Terminal TwentyFour"),
  tests("Examples/TwentyFourWebTests", "FramedWebSockets TwentyFourWeb"),
  tests("Examples/ResultsTests", "Results TwentyFour"),
  tests("Examples/FourInARowTests", "FourInARow"),
  tests("Examples/PacketDuelTests", "FourInARow FramedCoding PacketDuel packet-duel", exclude: ["peers"]),
  tests("Examples/RaceTests", "FramedCoding Race"),
  tests(
    "Examples/RaceServerTests", "EventLoop FramedTransport FramedTransportTesting Race race-client", "race-server",
    exclude: ["peers"]),

  // Whole programs on a private LAN.
  tests("LANTests", "Linux MulticastDNS TwentyFour", exclude: ["peers"]),

  testProgram("man-in-the-middle", in: "Security/Middle", "Console FramedSecurity FramedTransport"),

  // Speed and load.
  testProgram(
    "transport-bench", in: "Benchmarks/Transport/Program", "Console FramedSecurity FramedTransport FramedWebSockets Linux"),
  tests("Benchmarks/TransportBenchTests", "FramedTransport transport-bench"),
  testProgram(
    "relay-bench", in: "Benchmarks/Relay", "Bonjourish BonjourishDirectory BonjourishTransport FramedTransport Linux",
    exclude: ["relay"]),
  testProgram("bench-engine", in: "Benchmarks/Engine", "Console Discovery Linux MulticastDNS"),
  testProgram("bench-publish", in: "Benchmarks/Publish", "Bonjourish Console"),
  testProgram(
    "bench-directory", in: "Benchmarks/Directory/Program", "Base Bonjourish BonjourishDirectory Console DirectoryProtocol",
    "Linux Terminal"),
  testProgram(
    "twentyfour-load", in: "Benchmarks/Load", "Console FramedJSON FramedSecurity FramedTransport FramedWebSockets MatchServer",
    "Rooms TestSupport TwentyFour"),
  testProgram(
    "siege-players", in: "Benchmarks/Siege/Players", "Console FramedJSON FramedSecurity FramedTransport FramedWebSockets",
    "Rooms TwentyFour"),

  shared("FrameStress", in: "Stress/FrameStress", "Base EventLoop FramedTransport Linux TestSupport"),
  testProgram("stress-frames", in: "Stress/Program", "Console FrameStress Linux"),
  testProgram("stress-discovery", in: "Stress/Discovery", "Base Bonjourish Console Linux", exclude: ["outages.py"]),

  // Inputs that once failed, or that reach far.
  shared("FuzzCases", in: "Fuzz/Cases", "Discovery MulticastDNS", settings: pure),
  shared("TransportFuzzCases", in: "Fuzz/TransportCases", "FramedCoding FramedJSON FramedTransport FuzzCases", settings: pure),
  shared("SecureFuzzCases", in: "Fuzz/SecureCases", "EventLoop FramedSecurity FramedTransport FuzzCases"),
  shared("WebFuzzCases", in: "Fuzz/WebCases", "FuzzCases WebProtocol", settings: pure),
  shared("DirectoryFuzzCases", in: "Fuzz/DirectoryCases", "DirectoryProtocol Discovery FuzzCases", settings: pure),
  shared("RoomFuzzCases", in: "Fuzz/RoomCases", "FramedJSON FramedSecurity FuzzCases Rooms TwentyFour"),
  tests("Fuzz/CorpusTests", "DirectoryFuzzCases FuzzCases RoomFuzzCases SecureFuzzCases TransportFuzzCases WebFuzzCases"),
]

/// Programs that libFuzzer drives. They link only with `--sanitize=fuzzer`, so `make fuzz` alone asks for them.
let fuzzers: [Target] =
  Context.environment["FUZZ"] == nil
  ? []
  : [
    ("message", "Message", []), ("engine", "Engine", []), ("frames", "Frames", ["TransportFuzzCases"]),
    ("reader", "Reader", ["TransportFuzzCases"]), ("json", "JSON", ["TransportFuzzCases"]),
    ("requests", "Requests", ["TransportFuzzCases"]), ("tls-handshake", "TLSHandshake", ["SecureFuzzCases"]),
    ("cpace", "CPace", ["SecureFuzzCases"]), ("websocket", "WebSocket", ["WebFuzzCases"]), ("http", "HTTP", ["WebFuzzCases"]),
    ("directory", "Directory", ["DirectoryFuzzCases"]), ("room", "Room", ["RoomFuzzCases"]),
  ].map { (name, folder, dependencies: [Target.Dependency]) in
    .executableTarget(
      name: "fuzz-\(name)", dependencies: ["FuzzCases"] + dependencies, path: "Tests/Fuzz/\(folder)",
      swiftSettings: common + [.unsafeFlags(["-parse-as-library"])])
  }

// The programs of the examples and tests are no products: whoever depends on this package sees nothing of them.
let package = Package(
  name: "bonjourish",
  products: [
    "Bonjourish", "BonjourishTransport", "BonjourishDirectory", "FramedTransport", "FramedTransportTesting", "FramedJSON",
    "FramedSecurity", "FramedWebSockets",
  ].map { .library(name: $0, targets: $0 == "FramedTransport" ? [$0, "FramedCoding"] : [$0]) } + [
    .executable(name: "bonjourish", targets: ["bonjourish-cli"])
  ],
  traits: [
    .trait(name: "Avahi", description: "Discovery by avahi-daemon where it runs; needs Avahi's client library."),
    .trait(
      name: "Directory",
      description: "Programs find and publish services beyond the local network, too; needs the C client of NATS."),
    .default(enabledTraits: ["Avahi", "Directory"]),
  ],
  targets: toolkit + examples + testing + fuzzers
)
