// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target: warnings are errors, imports are internal unless declared otherwise, and a nonisolated async
/// function runs on its caller's executor.
let common: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

/// The settings of modules without I/O: they import the standard library and other pure modules only, and contain nothing unsafe.
let pure: [SwiftSetting] = common + [.strictMemorySafety()]

/// What only programs that can use avahi-daemon need.
let withAvahi = TargetDependencyCondition.when(traits: ["Avahi"])

/// What only programs that can use a directory need.
let withDirectory = TargetDependencyCondition.when(traits: ["Directory"])

// MARK: - The toolkit

let toolkit: [Target] = [
  // The system, in C.
  .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev", "libavahi-common-dev"])]),
  .systemLibrary(name: "CLinux"),

  // Time, threads and descriptors.
  .target(name: "Timing", swiftSettings: pure),
  .target(name: "EventLoop", dependencies: ["CLinux", "Timing"], swiftSettings: common),

  // Ending in order.
  .target(name: "Signals", dependencies: ["CLinux", "EventLoop"], swiftSettings: common),

  // Text of strangers.
  .target(name: "Escaping", swiftSettings: pure),

  // Files of one user alone.
  .target(name: "PrivateFiles", dependencies: ["CLinux", "Escaping", "EventLoop"], swiftSettings: common),

  // Find each other.
  .target(name: "Discovery", dependencies: ["Escaping", "Timing"], swiftSettings: pure),
  .target(name: "MulticastDNS", dependencies: ["Discovery", "Timing"], swiftSettings: pure),
  // The system bus, without the library of D-Bus.
  .target(name: "SystemBus", dependencies: ["CLinux", "EventLoop"], swiftSettings: common),

  // Empty without the trait Avahi, so that a build without it needs nothing of Avahi.
  .target(
    name: "AvahiBackend",
    dependencies: [.target(name: "CAvahi", condition: withAvahi), "CLinux", "Discovery", "EventLoop", "SystemBus"],
    swiftSettings: common),
  .target(
    name: "MulticastBackend", dependencies: ["CLinux", "Discovery", "EventLoop", "MulticastDNS"], swiftSettings: common),
  .target(
    name: "Bonjourish",
    dependencies: [
      .target(name: "AvahiBackend", condition: withAvahi), "CLinux", "Discovery", "EventLoop", "MulticastBackend",
      "PrivateFiles",
      "Signals",
    ],
    swiftSettings: common),

  // Why nothing is found.
  .target(
    name: "Doctor", dependencies: ["CLinux", "Discovery", "EventLoop", "MulticastBackend", "MulticastDNS", "SystemBus"],
    swiftSettings: common),

  // Talk in frames.
  .target(name: "Framing", dependencies: ["Escaping"], swiftSettings: pure),
  .target(name: "FramedTransport", dependencies: ["CLinux", "EventLoop", "Framing", "Signals"], swiftSettings: common),
  .target(
    name: "FramedTransportTesting", dependencies: ["CLinux", "EventLoop", "FramedTransport", "Framing", "Timing"],
    swiftSettings: common),
  .target(name: "JSONMessages", dependencies: ["Escaping", "Framing"], swiftSettings: common),

  // Talk in secret. Whoever does not use this product needs neither library.
  .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
  .target(
    name: "SecureTransport", dependencies: ["CLinux", "COpenSSL", "CSodium", "EventLoop", "FramedTransport", "PrivateFiles"],
    swiftSettings: common),

  // Find each other beyond one network. Whoever does not use this product needs nothing of NATS.
  .systemLibrary(name: "CNATS", providers: [.apt(["libnats-dev"])]),
  .target(name: "DirectoryProtocol", dependencies: ["Discovery", "Escaping", "Timing"], swiftSettings: pure),
  .target(
    name: "Directory",
    dependencies: [
      "Bonjourish", "BonjourishTransport", "CLinux", "CNATS", "DirectoryProtocol", "Discovery", "Escaping", "EventLoop",
      "FramedTransport", "MulticastBackend", "PrivateFiles",
    ],
    swiftSettings: common),

  // Talk with browsers.
  .target(name: "WebProtocol", swiftSettings: pure),
  .target(
    name: "WebSockets", dependencies: ["CLinux", "EventLoop", "FramedTransport", "Framing", "WebProtocol"],
    swiftSettings: common),

  // Find each other, and talk.
  .target(
    name: "BonjourishTransport", dependencies: ["Bonjourish", "Discovery", "EventLoop", "FramedTransport"],
    swiftSettings: common),

  // Programs.
  .target(name: "Terminal", dependencies: ["CLinux", "EventLoop", "Signals"], swiftSettings: common),
  .target(
    name: "Console", dependencies: ["CLinux", "Escaping", "EventLoop", "Signals", "Terminal", "Timing"], swiftSettings: common),
  // Without the trait Directory, its programs need nothing of NATS.
  .target(
    name: "DiscoveryOptions", dependencies: ["Bonjourish", "Console", .target(name: "Directory", condition: withDirectory)],
    swiftSettings: common),
  .executableTarget(
    name: "bonjourish-cli",
    dependencies: [
      "Bonjourish", "CLinux", "Console", "DiscoveryOptions", "Doctor", "Escaping", "EventLoop", "MulticastBackend",
      "MulticastDNS", "Terminal",
    ],
    exclude: ["Output/output.schema.json"], swiftSettings: common),
]

// MARK: - Examples

/// A module of an example. It sees what a stranger's program sees: the public declarations.
func exampleModule(
  _ name: String, in folder: String, dependencies: [Target.Dependency] = [], exclude: [String] = [],
  settings: [SwiftSetting] = common
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Examples/\(folder)", exclude: exclude, packageAccess: false,
    swiftSettings: settings)
}

/// A program of an example, which sees no more than its modules do.
func exampleProgram(
  _ name: String, in folder: String, dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Examples/\(folder)", exclude: exclude, packageAccess: false,
    swiftSettings: common)
}

let examples: [Target] = [
  exampleProgram(
    "chat", in: "Chat", dependencies: ["Bonjourish", "BonjourishTransport", "FramedTransport"]),

  .systemLibrary(name: "CSQLite", path: "Examples/TwentyFour/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
  exampleModule("TwentyFour", in: "TwentyFour/Rules", settings: pure),
  .systemLibrary(name: "CICU", path: "Examples/TwentyFour/CICU", providers: [.apt(["libicu-dev"])]),
  exampleModule("Names", in: "TwentyFour/Names", dependencies: ["CICU", "TwentyFour"]),
  exampleModule(
    "Rooms", in: "TwentyFour/Rooms",
    dependencies: [
      "Bonjourish", "BonjourishTransport", "FramedTransport", "JSONMessages", "Names", "PrivateFiles", "SecureTransport",
      "TwentyFour", "WebSockets",
    ]),
  .systemLibrary(name: "CQRencode", path: "Examples/TwentyFour/CQRencode", providers: [.apt(["libqrencode-dev"])]),
  // The page for phones is part of the program: there is no file to install.
  .target(
    name: "CTwentyFourPage", path: "Examples/TwentyFour/Web/Page", exclude: ["icon.svg", "index.html", "page.css", "page.js"],
    packageAccess: false),
  exampleModule(
    "TwentyFourWeb", in: "TwentyFour/Web", dependencies: ["CQRencode", "CTwentyFourPage", "WebSockets"], exclude: ["Page"]),
  exampleModule(
    "MatchServer", in: "TwentyFour/Server",
    dependencies: ["Bonjourish", "FramedTransport", "Rooms", "SecureTransport", "TwentyFour"]),
  exampleModule("Results", in: "TwentyFour/Results", dependencies: ["CSQLite", "PrivateFiles", "TwentyFour"]),
  exampleModule(
    "Screens", in: "TwentyFour/Screens",
    dependencies: [
      "Bonjourish", "Console", "DiscoveryOptions", "FramedTransport", "Names", "PrivateFiles", "Rooms", "SecureTransport",
      "Terminal", "TwentyFour", "TwentyFourWeb",
    ]),
  exampleProgram(
    "twentyfour-host", in: "TwentyFour/Host",
    dependencies: [
      "Bonjourish", "Console", .target(name: "Directory", condition: withDirectory), "DiscoveryOptions", "FramedTransport",
      "JSONMessages", "MatchServer", "Results", "Rooms",
      "Screens", "SecureTransport", "TwentyFour",
    ],
    exclude: ["twentyfour-host.service", "twentyfour-host.socket"]),
  exampleProgram(
    "twentyfour-join", in: "TwentyFour/Join",
    dependencies: ["Bonjourish", "Console", "DiscoveryOptions", "Rooms", "Screens", "TwentyFour"]),

  exampleModule("FourInARow", in: "PacketDuel/FourInARow", settings: pure),
  exampleModule(
    "PacketDuel", in: "PacketDuel/PacketDuel", dependencies: ["FourInARow", "Framing"], settings: pure),
  exampleProgram(
    "packet-duel", in: "PacketDuel/Program",
    dependencies: ["Bonjourish", "BonjourishTransport", "Console", "FourInARow", "FramedTransport", "PacketDuel"]),

  exampleModule("Race", in: "RaceServer/Race", dependencies: ["Framing"], settings: pure),
  exampleProgram(
    "race-server", in: "RaceServer/Server", dependencies: ["Console", "FramedTransport", "Race"]),
  exampleProgram(
    "race-client", in: "RaceServer/Client", dependencies: ["Console", "FramedTransport", "Race"]),
]

// MARK: - Tests

let tests: [Target] = [
  .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
  .target(
    name: "TestSupport", dependencies: ["CLinux", "CSpawn", "Discovery", "EventLoop", "Terminal", "Timing"],
    path: "Tests/TestSupport", swiftSettings: common),
  .target(
    name: "TransportTestSupport", dependencies: ["FramedTransport"], path: "Tests/TransportTestSupport", swiftSettings: common),
  .testTarget(name: "TimingTests", dependencies: ["Timing"], swiftSettings: common),
  .testTarget(name: "EventLoopTests", dependencies: ["CLinux", "EventLoop"], swiftSettings: common),
  .executableTarget(name: "stop-cleanly", dependencies: ["Bonjourish"], path: "Tests/Stopping", swiftSettings: common),
  .testTarget(
    name: "SignalsTests", dependencies: ["CLinux", "Signals", "TestSupport", "stop-cleanly"], swiftSettings: common),
  .testTarget(name: "PrivateFilesTests", dependencies: ["CLinux", "PrivateFiles", "TestSupport"], swiftSettings: common),
  .testTarget(name: "EscapingTests", dependencies: ["Escaping"], swiftSettings: common),
  .testTarget(name: "DiscoveryTests", dependencies: ["CLinux", "Discovery", "TestSupport", "Timing"], swiftSettings: common),
  .testTarget(
    name: "MulticastDNSTests", dependencies: ["CLinux", "Discovery", "MulticastDNS", "Timing"],
    exclude: ["CLAUSES.txt", "CONFORMANCE.md"], swiftSettings: common),
  .testTarget(
    name: "AvahiBackendTests",
    dependencies: ["AvahiBackend", .target(name: "CAvahi", condition: withAvahi), "CLinux", "Discovery", "EventLoop"],
    swiftSettings: common),
  .testTarget(
    name: "BonjourishTests", dependencies: ["Bonjourish", "Discovery", "EventLoop", "PrivateFiles", "TestSupport"],
    swiftSettings: common),
  .testTarget(
    name: "MulticastBackendTests",
    dependencies: [
      "EventLoop", "Bonjourish", "CLinux", "Discovery", "MulticastBackend", "MulticastDNS", "TestSupport", "Timing",
    ],
    swiftSettings: common),
  .testTarget(
    name: "DoctorTests",
    dependencies: ["CLinux", "Discovery", "Doctor", "EventLoop", "MulticastBackend", "MulticastDNS", "SystemBus"],
    swiftSettings: common),
  .testTarget(name: "FramingTests", dependencies: ["Framing", "TestSupport", "Timing"], swiftSettings: common),
  .testTarget(
    name: "FramedTransportTests",
    dependencies: [
      "CLinux", "EventLoop", "FrameStress", "FramedTransport", "FramedTransportTesting", "Framing", "TestSupport", "Timing",
      "TransportTestSupport",
    ],
    swiftSettings: common),
  .testTarget(
    name: "SecureTransportTests",
    dependencies: [
      "CLinux", "COpenSSL", "EventLoop", "FramedTransport", "FramedTransportTesting", "PrivateFiles", "SecureTransport",
      "TestSupport",
      "Timing", "TransportTestSupport",
    ],
    swiftSettings: common),
  .target(
    name: "DirectoryModel", dependencies: ["DirectoryProtocol", "Escaping"], path: "Tests/DirectoryModel", swiftSettings: pure),
  .testTarget(
    name: "DirectoryProtocolTests", dependencies: ["DirectoryProtocol", "Discovery", "Escaping", "Timing"], swiftSettings: common),
  .testTarget(
    name: "DirectoryTests",
    dependencies: [
      "Bonjourish", "BonjourishTransport", "CLinux", "CNATS", "CSodium", "Directory", "DirectoryModel", "DirectoryProtocol",
      "Discovery", "Escaping", "EventLoop", "FramedTransport", "SecureTransport", "TestSupport", "Timing",
    ],
    swiftSettings: common),
  .testTarget(
    name: "DiscoveryOptionsTests", dependencies: ["Bonjourish", "Console", "Discovery", "DiscoveryOptions"],
    swiftSettings: common),
  .testTarget(name: "WebProtocolTests", dependencies: ["Timing", "WebProtocol"], swiftSettings: common),
  .testTarget(
    name: "WebSocketsTests",
    dependencies: [
      "CLinux", "EventLoop", "FramedTransport", "FramedTransportTesting", "Framing", "JSONMessages", "TestSupport", "Timing",
      "TransportTestSupport", "WebSockets",
    ],
    exclude: ["peers"], swiftSettings: common),
  .executableTarget(
    name: "activated-echo", dependencies: ["CLinux", "FramedTransport"], path: "Tests/Activation", exclude: ["launch.py"],
    swiftSettings: common),
  .testTarget(
    name: "ActivationTests", dependencies: ["FramedTransport", "TestSupport", "activated-echo"], swiftSettings: common),
  .testTarget(
    name: "JSONMessagesTests", dependencies: ["Framing", "JSONMessages", "TestSupport", "Timing"], swiftSettings: common),
  .testTarget(
    name: "BonjourishTransportTests",
    dependencies: [
      "Bonjourish", "BonjourishTransport", "CLinux", "EventLoop", "FramedTransport", "SecureTransport", "TestSupport",
    ],
    swiftSettings: common),
  .testTarget(name: "TerminalTests", dependencies: ["CLinux", "Terminal", "TestSupport", "Timing"], swiftSettings: common),
  .testTarget(
    name: "ConsoleTests", dependencies: ["CLinux", "Console", "Escaping", "EventLoop", "Terminal", "TestSupport"],
    swiftSettings: common),

  .testTarget(
    name: "ToolTests",
    dependencies: [
      "Bonjourish", "Console", "DiscoveryOptions", "Doctor", "Escaping", "MulticastBackend", "MulticastDNS", "Terminal",
      "TestSupport", "Timing", "bonjourish-cli",
    ], swiftSettings: common),

  .testTarget(name: "NamesTests", dependencies: ["Names", "TwentyFour"], swiftSettings: common),
  .testTarget(name: "RulesTests", dependencies: ["TwentyFour"], swiftSettings: common),
  .testTarget(
    name: "RoomsTests",
    dependencies: [
      "Bonjourish", "EventLoop", "FramedTransport", "Framing", "JSONMessages", "Names", "Rooms", "SecureTransport",
      "TestSupport",
      "TwentyFour",
    ],
    swiftSettings: common),
  .testTarget(
    name: "ServerTests",
    dependencies: [
      "Bonjourish", "FramedTransport", "JSONMessages", "MatchServer", "Rooms", "SecureTransport", "TestSupport", "Timing",
      "TwentyFour",
      "twentyfour-host", "twentyfour-load",
    ],
    swiftSettings: common),
  .testTarget(
    name: "GroupTests",
    dependencies: [
      "Bonjourish", "DirectoryModel", "DirectoryProtocol", "MatchServer", "Names", "Rooms", "Timing", "TwentyFour",
    ],
    swiftSettings: common),
  .testTarget(
    name: "ScreensTests",
    dependencies: ["Bonjourish", "Console", "Names", "Rooms", "Screens", "Terminal", "TestSupport", "TwentyFour"],
    swiftSettings: common),
  .testTarget(
    name: "TwentyFourWebTests", dependencies: ["TestSupport", "TwentyFourWeb", "WebSockets"], swiftSettings: common),
  .testTarget(
    name: "ResultsTests", dependencies: ["Results", "TestSupport", "TwentyFour"], swiftSettings: common),
  .testTarget(name: "FourInARowTests", dependencies: ["FourInARow", "TestSupport", "Timing"], swiftSettings: common),
  .testTarget(
    name: "PacketDuelTests", dependencies: ["FourInARow", "Framing", "PacketDuel", "TestSupport", "Timing", "packet-duel"],
    exclude: ["peers"], swiftSettings: common),
  .testTarget(name: "RaceTests", dependencies: ["Framing", "Race", "TestSupport", "Timing"], swiftSettings: common),
  .testTarget(
    name: "RaceServerTests",
    dependencies: [
      "Timing", "EventLoop", "FramedTransport", "FramedTransportTesting", "Race", "TestSupport", "race-client", "race-server",
    ], exclude: ["peers"],
    swiftSettings: common),

  // Whole programs on a private LAN.
  .executableTarget(
    name: "man-in-the-middle", dependencies: ["Console", "FramedTransport", "SecureTransport"], path: "Tests/Security/Middle",
    swiftSettings: common),
  .testTarget(
    name: "LANTests", dependencies: ["CLinux", "MulticastDNS", "TestSupport", "TwentyFour"], exclude: ["peers"],
    swiftSettings: common),

  // Speed and load.
  .executableTarget(
    name: "transport-bench", dependencies: ["CLinux", "Console", "FramedTransport", "SecureTransport", "WebSockets"],
    path: "Tests/Benchmarks/Transport/Program", swiftSettings: common),
  .testTarget(
    name: "TransportBenchTests", dependencies: ["FramedTransport", "TestSupport", "transport-bench"], swiftSettings: common),
  .executableTarget(
    name: "relay-bench", dependencies: ["Bonjourish", "BonjourishTransport", "CLinux", "Directory", "FramedTransport"],
    path: "Tests/Benchmarks/Relay", exclude: ["relay"], swiftSettings: common),
  .executableTarget(
    name: "bench-engine", dependencies: ["CLinux", "Console", "Discovery", "MulticastDNS"], path: "Tests/Benchmarks/Engine",
    swiftSettings: common),
  .executableTarget(
    name: "bench-publish", dependencies: ["Bonjourish", "Console"], path: "Tests/Benchmarks/Publish",
    swiftSettings: common),
  .executableTarget(
    name: "bench-directory",
    dependencies: ["Bonjourish", "CLinux", "Console", "Directory", "DirectoryProtocol", "Escaping", "Terminal"],
    path: "Tests/Benchmarks/Directory/Program", swiftSettings: common),
  .executableTarget(
    name: "twentyfour-load",
    dependencies: [
      "Console", "FramedTransport", "JSONMessages", "MatchServer", "Rooms", "SecureTransport", "TestSupport", "TwentyFour",
      "WebSockets",
    ], path: "Tests/Benchmarks/Load", swiftSettings: common),
  .executableTarget(
    name: "siege-players",
    dependencies: ["Console", "FramedTransport", "JSONMessages", "Rooms", "SecureTransport", "TwentyFour", "WebSockets"],
    path: "Tests/Benchmarks/Siege/Players", swiftSettings: common),
  .target(
    name: "FrameStress", dependencies: ["CLinux", "EventLoop", "FramedTransport", "TestSupport", "Timing"],
    path: "Tests/Stress/FrameStress", swiftSettings: common),
  .executableTarget(
    name: "stress-frames", dependencies: ["CLinux", "Console", "FrameStress"], path: "Tests/Stress/Program",
    swiftSettings: common),
  .executableTarget(
    name: "stress-discovery", dependencies: ["Bonjourish", "CLinux", "Console", "Timing"], path: "Tests/Stress/Discovery",
    exclude: ["outages.py"], swiftSettings: common),

  // Inputs that once failed, or that reach far.
  .target(name: "FuzzCases", dependencies: ["Discovery", "MulticastDNS"], path: "Tests/Fuzz/Cases", swiftSettings: pure),
  .target(
    name: "TransportFuzzCases", dependencies: ["FramedTransport", "Framing", "FuzzCases", "JSONMessages"],
    path: "Tests/Fuzz/TransportCases", swiftSettings: pure),
  .target(
    name: "SecureFuzzCases", dependencies: ["EventLoop", "FramedTransport", "FuzzCases", "SecureTransport"],
    path: "Tests/Fuzz/SecureCases", swiftSettings: common),
  .target(
    name: "WebFuzzCases", dependencies: ["FuzzCases", "WebProtocol"], path: "Tests/Fuzz/WebCases", swiftSettings: pure),
  .target(
    name: "DirectoryFuzzCases", dependencies: ["DirectoryProtocol", "Discovery", "Escaping", "FuzzCases"],
    path: "Tests/Fuzz/DirectoryCases",
    swiftSettings: pure),
  .target(
    name: "RoomFuzzCases", dependencies: ["FuzzCases", "JSONMessages", "Rooms", "SecureTransport", "TwentyFour"],
    path: "Tests/Fuzz/RoomCases",
    swiftSettings: common),
  .testTarget(
    name: "CorpusTests",
    dependencies: [
      "DirectoryFuzzCases", "FuzzCases", "RoomFuzzCases", "SecureFuzzCases", "TransportFuzzCases", "WebFuzzCases",
    ],
    swiftSettings: common),
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

let package = Package(
  name: "bonjourish",
  products: [
    .library(name: "Bonjourish", targets: ["Bonjourish"]),
    .library(name: "FramedTransport", targets: ["FramedTransport", "Framing"]),
    .library(name: "FramedTransportTesting", targets: ["FramedTransportTesting"]),
    .library(name: "JSONMessages", targets: ["JSONMessages"]),
    .library(name: "SecureTransport", targets: ["SecureTransport"]),
    .library(name: "Directory", targets: ["Directory"]),
    .library(name: "WebSockets", targets: ["WebSockets", "WebProtocol"]),
    .library(name: "BonjourishTransport", targets: ["BonjourishTransport"]),
    .executable(name: "bonjourish", targets: ["bonjourish-cli"]),
    .executable(name: "twentyfour-host", targets: ["twentyfour-host"]),
    .executable(name: "twentyfour-join", targets: ["twentyfour-join"]),
  ],
  traits: [
    .trait(name: "Avahi", description: "Discovery by avahi-daemon where it runs; needs Avahi's client library."),
    .trait(
      name: "Directory",
      description: "Programs find and publish services beyond the local network, too; needs the C client of NATS."),
    .default(enabledTraits: ["Avahi", "Directory"]),
  ],
  targets: toolkit + examples + tests + fuzzers
)
