// swift-tools-version: 6.2
import PackageDescription

/// What every target is compiled with: warnings are errors, imports are internal unless said otherwise,
/// and a nonisolated async function stays on its caller's executor.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

/// Modules that do no I/O: the standard library only, and nothing unsafe.
let pure: [SwiftSetting] = house + [.strictMemorySafety()]

/// Programs that libFuzzer drives; they link only with `--sanitize=fuzzer`, so `make fuzz` alone asks for them.
let fuzzers: [Target] =
  Context.environment["FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "fuzz-message", dependencies: ["FuzzCases"], path: "Tests/Fuzz/Message",
      swiftSettings: house + [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "fuzz-engine", dependencies: ["FuzzCases"], path: "Tests/Fuzz/Engine",
      swiftSettings: house + [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "fuzz-frames", dependencies: ["FuzzCases", "TransportFuzzCases"], path: "Tests/Fuzz/Frames",
      swiftSettings: house + [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "fuzz-reader", dependencies: ["FuzzCases", "TransportFuzzCases"], path: "Tests/Fuzz/Reader",
      swiftSettings: house + [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "fuzz-json", dependencies: ["FuzzCases", "TransportFuzzCases"], path: "Tests/Fuzz/JSON",
      swiftSettings: house + [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "fuzz-requests", dependencies: ["FuzzCases", "TransportFuzzCases"], path: "Tests/Fuzz/Requests",
      swiftSettings: house + [.unsafeFlags(["-parse-as-library"])]),
  ]

let package = Package(
  name: "bonjourish",
  products: [
    .library(name: "Bonjourish", targets: ["Bonjourish"]),
    .library(name: "FramedTransport", targets: ["FramedTransport", "Framing"]),
    .library(name: "JSONMessages", targets: ["JSONMessages"]),
    .library(name: "BonjourishTransport", targets: ["BonjourishTransport"]),
    .library(name: "TwentyFour", targets: ["TwentyFour"]),
    .library(name: "Rooms", targets: ["Rooms"]),
    .executable(name: "bonjourish", targets: ["bonjourish-cli"]),
    .executable(name: "twentyfour-host", targets: ["twentyfour-host"]),
    .executable(name: "twentyfour-join", targets: ["twentyfour-join"]),
    .executable(name: "transport-bench", targets: ["transport-bench"]),
  ],
  targets: [
    // The system, in C.
    .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev", "libavahi-common-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),

    // Time, threads and descriptors.
    .target(name: "EventLoop", dependencies: ["CLinux"], swiftSettings: house),

    // Find each other.
    .target(name: "Discovery", swiftSettings: pure),
    .target(name: "MulticastDNS", swiftSettings: pure),
    .target(name: "AvahiBackend", dependencies: ["CAvahi", "CLinux", "Discovery", "EventLoop"], swiftSettings: house),
    .target(
      name: "MulticastBackend", dependencies: ["CLinux", "Discovery", "EventLoop", "MulticastDNS"], swiftSettings: house),
    .target(
      name: "Bonjourish", dependencies: ["AvahiBackend", "Discovery", "EventLoop", "MulticastBackend"], swiftSettings: house),

    // Talk in frames.
    .target(name: "Framing", swiftSettings: pure),
    .target(name: "FramedTransport", dependencies: ["CLinux", "EventLoop", "Framing"], swiftSettings: house),
    .target(name: "JSONMessages", dependencies: ["Framing"], swiftSettings: house),

    // Find each other, and talk.
    .target(name: "BonjourishTransport", dependencies: ["Bonjourish", "FramedTransport"], swiftSettings: house),

    // Play by rules.
    .target(name: "TwentyFour", swiftSettings: pure),
    .target(
      name: "Rooms",
      dependencies: ["Bonjourish", "BonjourishTransport", "EventLoop", "FramedTransport", "Framing", "TwentyFour"],
      swiftSettings: house),
    .target(name: "Results", dependencies: ["CSQLite", "EventLoop", "TwentyFour"], swiftSettings: house),

    // Programs.
    .target(name: "Terminal", dependencies: ["CLinux", "EventLoop"], swiftSettings: house),
    .target(name: "Console", dependencies: ["CLinux", "Discovery", "Terminal"], swiftSettings: house),
    .executableTarget(
      name: "bonjourish-cli", dependencies: ["Bonjourish", "Console"], exclude: ["bonjourish.1"], swiftSettings: house),
    .target(
      name: "PlayerConsole",
      dependencies: ["Bonjourish", "Console", "EventLoop", "FramedTransport", "Rooms", "Terminal", "TwentyFour"],
      path: "Examples/PlayerConsole", swiftSettings: house),
    .executableTarget(
      name: "twentyfour-host",
      dependencies: [
        "Bonjourish", "Console", "Discovery", "EventLoop", "FramedTransport", "Framing", "PlayerConsole", "Results", "Rooms",
        "TwentyFour",
      ],
      path: "Examples/Host", exclude: ["twentyfour-host.1", "twentyfour-host.service", "twentyfour-host.socket"],
      swiftSettings: house),
    .executableTarget(
      name: "twentyfour-join", dependencies: ["Bonjourish", "Console", "PlayerConsole", "Rooms", "TwentyFour"],
      path: "Examples/Join", exclude: ["twentyfour-join.1"], swiftSettings: house),
    .executableTarget(
      name: "chat", dependencies: ["Bonjourish", "BonjourishTransport", "Console", "FramedTransport"], path: "Examples/Chat",
      swiftSettings: house),
    .target(name: "FourInARow", path: "Examples/PacketDuel/FourInARow", swiftSettings: pure),
    .target(
      name: "PacketDuel", dependencies: ["FourInARow", "Framing"], path: "Examples/PacketDuel/PacketDuel", swiftSettings: pure),
    .executableTarget(
      name: "packet-duel",
      dependencies: [
        "Bonjourish", "BonjourishTransport", "Console", "FourInARow", "FramedTransport", "Framing", "PacketDuel", "TwentyFour",
      ],
      path: "Examples/PacketDuel/Program", exclude: ["packet-duel.1"], swiftSettings: house),
    .target(name: "Race", dependencies: ["Framing"], path: "Examples/RaceServer/Race", swiftSettings: pure),
    .executableTarget(
      name: "race-server", dependencies: ["Console", "Discovery", "EventLoop", "FramedTransport", "Framing", "Race"],
      path: "Examples/RaceServer/Server", exclude: ["race-server.1"], swiftSettings: house),
    .executableTarget(
      name: "race-client",
      dependencies: ["Console", "Discovery", "EventLoop", "FramedTransport", "Framing", "Race", "TwentyFour"],
      path: "Examples/RaceServer/Client", exclude: ["race-client.1"], swiftSettings: house),
    .executableTarget(
      name: "transport-bench", dependencies: ["Console", "FramedTransport"], exclude: ["transport-bench.1"],
      swiftSettings: house),

    // Tests.
    .target(
      name: "TestSupport", dependencies: ["Discovery", "EventLoop"], path: "Tests/TestSupport",
      swiftSettings: house),
    .testTarget(name: "EventLoopTests", dependencies: ["CLinux", "EventLoop"], swiftSettings: house),
    .testTarget(name: "DiscoveryTests", dependencies: ["Discovery", "TestSupport"], swiftSettings: house),
    .testTarget(
      name: "MulticastDNSTests", dependencies: ["MulticastDNS"], exclude: ["CONFORMANCE.md"], swiftSettings: house),
    .testTarget(name: "BonjourishTests", dependencies: ["Bonjourish", "Discovery", "TestSupport"], swiftSettings: house),
    .testTarget(
      name: "MulticastBackendTests", dependencies: ["Bonjourish", "Discovery", "MulticastBackend", "MulticastDNS"],
      swiftSettings: house),
    .testTarget(name: "FramingTests", dependencies: ["Framing", "TestSupport"], swiftSettings: house),
    .testTarget(
      name: "FramedTransportTests", dependencies: ["EventLoop", "FramedTransport", "FrameStress", "Framing", "TestSupport"],
      swiftSettings: house),
    .executableTarget(
      name: "activated-echo", dependencies: ["FramedTransport"], path: "Tests/Activation", exclude: ["launch.py"],
      swiftSettings: house),
    .testTarget(
      name: "ActivationTests", dependencies: ["FramedTransport", "TestSupport", "activated-echo"], swiftSettings: house),
    .testTarget(
      name: "JSONMessagesTests", dependencies: ["Framing", "JSONMessages", "TestSupport"], swiftSettings: house),
    .testTarget(
      name: "BonjourishTransportTests", dependencies: ["Bonjourish", "BonjourishTransport", "FramedTransport", "TestSupport"],
      swiftSettings: house),
    .testTarget(name: "TwentyFourTests", dependencies: ["TwentyFour"], swiftSettings: house),
    .testTarget(
      name: "RoomsTests", dependencies: ["Bonjourish", "FramedTransport", "Rooms", "TestSupport", "TwentyFour"],
      swiftSettings: house),
    .testTarget(name: "TerminalTests", dependencies: ["Terminal", "TestSupport"], swiftSettings: house),
    .executableTarget(
      name: "twentyfour-load", dependencies: ["Console", "EventLoop", "FramedTransport", "Framing", "Rooms", "TwentyFour"],
      path: "Tests/Load", swiftSettings: house),
    .testTarget(
      name: "HouseTests",
      dependencies: ["FramedTransport", "Framing", "Rooms", "TestSupport", "TwentyFour", "twentyfour-host", "twentyfour-load"],
      swiftSettings: house),
    .testTarget(
      name: "PlayerConsoleTests",
      dependencies: ["Bonjourish", "PlayerConsole", "Rooms", "Terminal", "TestSupport", "TwentyFour"], swiftSettings: house),
    .testTarget(name: "ResultsTests", dependencies: ["Results", "TestSupport", "TwentyFour"], swiftSettings: house),
    .testTarget(name: "ConsoleTests", dependencies: ["Console", "Discovery", "TestSupport"], swiftSettings: house),
    .testTarget(name: "FourInARowTests", dependencies: ["FourInARow", "TestSupport"], swiftSettings: house),
    .testTarget(
      name: "PacketDuelTests", dependencies: ["FourInARow", "Framing", "PacketDuel", "TestSupport", "packet-duel"],
      exclude: ["peers"], swiftSettings: house),
    .testTarget(name: "RaceTests", dependencies: ["Framing", "Race", "TestSupport"], swiftSettings: house),
    .testTarget(
      name: "RaceServerTests",
      dependencies: ["EventLoop", "FramedTransport", "Race", "TestSupport", "race-client", "race-server"], exclude: ["peers"],
      swiftSettings: house),
    .testTarget(name: "TransportBenchTests", dependencies: ["FramedTransport", "transport-bench"], swiftSettings: house),
    .testTarget(name: "LANTests", dependencies: ["MulticastDNS", "TwentyFour"], exclude: ["peers"], swiftSettings: house),
    .executableTarget(
      name: "bench-engine", dependencies: ["Console", "MulticastDNS"], path: "Tests/Benchmarks/Engine", swiftSettings: house),
    .executableTarget(
      name: "bench-publish", dependencies: ["Bonjourish", "Console"], path: "Tests/Benchmarks/Publish", swiftSettings: house),
    .target(
      name: "FrameStress", dependencies: ["CLinux", "EventLoop", "FramedTransport", "TestSupport"],
      path: "Tests/Stress/FrameStress",
      swiftSettings: house),
    .executableTarget(
      name: "stress-frames", dependencies: ["Console", "FrameStress"], path: "Tests/Stress/Program", swiftSettings: house),
    .target(name: "FuzzCases", dependencies: ["MulticastDNS"], path: "Tests/Fuzz/Cases", swiftSettings: pure),
    .target(
      name: "TransportFuzzCases", dependencies: ["FramedTransport", "Framing", "FuzzCases", "JSONMessages"],
      path: "Tests/Fuzz/TransportCases",
      swiftSettings: pure),
    .testTarget(name: "CorpusTests", dependencies: ["FuzzCases", "TransportFuzzCases"], swiftSettings: house),
  ] + fuzzers
)
