import CBonjourishLinux
import Testing

extension PublishingOnALAN {
  /// Other ways to the daemon than the tools': Avahi's Python binding, and Apple's interface over Avahi's library. The same for avahi-daemon.
  struct ClientLibrariesTests {
    /// The daemons of h1, where something is published, and of h2, where it is looked for.
    static let pairs = BonjourishdTests.pairs

    private static let binding = "/usr/lib/python3/dist-packages/avahi/__init__.py"
    private static let appleLibrary = "/usr/lib/x86_64-linux-gnu/libdns_sd.so.1"

    /// The values of a signal or an answer: the interface and the family come first, the flags last.
    private func values(_ line: JSON) -> [JSON] { Array((line["values"]?.array ?? []).dropFirst(2).dropLast()) }

    @Test(
      .needs(binding, of: "python3-avahi"), .needs(appleLibrary, of: "libavahi-compat-libdnssd1"), arguments: pairs)
    func `what a group of python3-avahi publishes is found by each kind of object`(_ daemons: String) async throws {
      try await withLab(hosts: 2, running: daemons) { lab in
        let publisher = try lab.start(LAN.peer("avahi_objects") + ["publish", "Ada"], on: .h1)
        for (call, error) in [
          ("AddService", "InvalidServiceNameError"), ("AddService", "InvalidServiceTypeError"),
          ("AddAddress", "InvalidAddressError"),
          ("AddRecord", "InvalidRDataError"),
        ] {
          try await publisher.event("refused") {
            $0["call"]?.string == call && $0["error"]?.string == "org.freedesktop.Avahi.\(error)"
          }
        }
        for state in [1, 2] {
          try await publisher.event("group") {
            $0["state"] == .number(Double(state)) && $0["error"] == "org.freedesktop.Avahi.Success"
          }
        }
        let looker = try lab.start(LAN.peer("avahi_objects") + ["look", "_http._tcp"], on: .h2)
        for (kind, found) in [
          ("services", ["Ada", "_http._tcp", "local"]), ("subtype", ["Ada", "_http._tcp", "local"]),
          ("types", ["_http._tcp", "local"]),
          ("domains", ["example.local"]),
        ] as [(String, [JSON])] {
          try await looker.event("ItemNew") { $0["of"]?.string == kind && values($0) == found }
          for signal in ["CacheExhausted", "AllForNow"] { try await looker.event(signal) { $0["of"]?.string == kind } }
        }
        try await looker.event("ItemNew") {
          $0["of"] == "records" && values($0) == ["notes.local", 1, 16, "036e3d31"]
        }
        for (kind, found) in [
          ("host", ["other.local", 0, "10.77.0.99"]), ("alias", ["other.local", 0, "10.77.0.99"]),
          ("address", [0, "10.77.0.1", "h1.local"]),
        ] as [(String, [JSON])] {
          try await looker.event("Found") { $0["of"]?.string == kind && values($0) == found }
        }
        for way in ["object", "call"] {
          let service = values(try await looker.event("Found") { $0["of"]?.string == way && $0["values"]?[1] == 0 })
          #expect(Array(service.prefix(7)) == ["Ada", "_http._tcp", "local", "h1.local", 0, "10.77.0.1", 80])
          #expect(Set(service.last?.array?.compactMap(\.string) ?? []) == ["a=1", "flag", "b=Grüße"])
        }
        try await looker.event("names") { $0["next"] == "Ada #3" && $0["host"] == "ada-2" }
        try await looker.event("interface") { $0["name"] == "eth0" }
        try await looker.event("cookie") { $0["isThere"] == true }
        try await looker.event("refused") {
          $0["call"] == "ResolveHostName" && $0["error"] == "org.freedesktop.Avahi.TimeoutError"
        }

        for command in [["avahi-browse", "-Dpt"], ["avahi-browse-domains", "-pt"]] {
          let domains = try lab.start(command, on: .h2)
          #expect(try await domains.exitCode() == 0)
          #expect(domains.outputLines.contains("+;eth0;IPv4;example.local"))
        }
        let domains = try lab.start(LAN.peer("dns_sd") + ["domains"], on: .h2)
        try await domains.event("domain") { $0["name"] == "example.local." }

        try publisher.send("text b=2")
        try await looker.event("Found") { $0["of"] == "object" && values($0).last == ["b=2"] }
        try publisher.send("reset")
        try await publisher.event("empty") { $0["empty"] == true && $0["state"] == 0 }
        for kind in ["services", "subtype", "types", "records"] {
          try await looker.event("ItemRemove") { $0["of"]?.string == kind }
        }
        try publisher.send("free")
        try await publisher.event("refused") { $0["call"] == "GetState" }
      }
    }

    /// The shapes of Avahi's own test of aliases (`cname-test`), and the name that X leads to, if that has an address.
    private static let shapes: [(name: String, records: [String], target: String?)] = [
      ("self-loop", ["X>X"], nil), ("one-normal", ["X>Y"], nil), ("one-loop", ["X>Y", "Y>X"], nil),
      ("two-normal", ["X>Y", "Y>Z"], nil), ("two-loop", ["X>Y", "Y>Z", "Z>X"], nil),
      ("two-loop-inner", ["X>Y", "Y>Z", "Z>Y"], nil), ("two-loop-inner2", ["X>Y", "Y>Z", "Y>X"], nil),
      ("three-loop", ["X>Y", "Y>Z", "Z>A", "A>X"], nil), ("diamond", ["X>Y", "X>Z", "Y>A", "Z>A"], nil),
      ("both", ["X>Z", "X>A", "Z>A", "A>Z"], nil), ("answer", ["X>Y", "Y>10.77.0.99"], "Y"),
      ("answer-diamond", ["X>Y", "X>Z", "Y>A", "Z>A", "A>10.77.0.99"], "A"),
    ]

    @Test(.needs(binding, of: "python3-avahi"), arguments: pairs)
    func `aliases of every shape are followed, and loops are not`(_ daemons: String) async throws {
      try await withLab(hosts: 2, running: daemons) { lab in
        let records = Self.shapes.flatMap { shape in
          shape.records.map { record in
            record.split(separator: ">").map { $0.contains(".") ? String($0) : "\($0)-\(shape.name).local" }.joined(
              separator: ">")
          }
        }
        let publisher = try lab.start(LAN.peer("avahi_objects") + ["aliases"] + records, on: .h1)
        for record in records { try await publisher.event("group") { $0["shape"]?.string == record && $0["state"] == 2 } }
        for host in [Lab.Host.h2, .h1] {
          let resolvers = try Self.shapes.map { try lab.start("avahi-resolve", "-4", "-n", "X-\($0.name).local", on: host) }
          for (shape, resolver) in zip(Self.shapes, resolvers) {
            _ = try await resolver.exitCode()
            #expect(
              resolver.outputLines == (shape.target.map { ["\($0)-\(shape.name).local\t10.77.0.99"] } ?? []),
              "\(shape.name) on \(host)")
          }
        }
        // The daemons have not gone away over it.
        for host in [Lab.Host.h1, .h2] {
          let alive = try lab.start("avahi-resolve", "-4", "-n", "h1.local", on: host)
          #expect(try await alive.exitCode() == 0)
          #expect(alive.outputLines == ["h1.local\t10.77.0.1"])
        }
      }
    }

    @Test(.needs(appleLibrary, of: "libavahi-compat-libdnssd1"), arguments: pairs)
    func `a program of Apple's interface registers, browses, resolves and queries`(_ daemons: String) async throws {
      try await withLab(hosts: 2, running: daemons) { lab in
        let peer = LAN.peer("dns_sd")
        let first = try lab.start(peer + ["register", "Ada's", "_http._tcp,_pages", "8080", "a=1", "flag"], on: .h1)
        try await first.event("registered") { $0["name"] == "Ada's" && $0["type"] == "_http._tcp." && $0["domain"] == "local." }
        let browsers = try ["_http._tcp", "_http._tcp,_pages"].map { try lab.start(peer + ["browse", $0], on: .h2) }
        for browser in browsers {
          let found = try await browser.event("found")
          #expect(
            found["name"] == "Ada's" && found["type"] == "_http._tcp." && found["domain"] == "local."
              && found["interface"] == "eth0")
        }
        let resolver = try lab.start(peer + ["resolve", "Ada's", "_http._tcp", "local"], on: .h2)
        let resolved = try await resolver.event("resolved")
        #expect(
          resolved["name"] == "Ada\\039s._http._tcp.local." && resolved["host"] == "h1.local." && resolved["port"] == 8080)
        #expect(Set(resolved["txt"]?.array?.compactMap(\.string) ?? []) == ["a=1", "flag"])
        let query = try lab.start(peer + ["query", "h1.local", "1"], on: .h2)
        try await query.event("answer") { $0["data"] == "0a4d0001" }

        // A name that is taken is changed by the library, and the program is told.
        let second = try lab.start(peer + ["register", "Ada's", "_http._tcp", "8081"], on: .h2)
        try await second.event("registered") { $0["name"] == "Ada's #2" }
        try await browsers[0].event("found") { $0["name"] == "Ada's #2" }
        try first.send("b=2")
        try await resolver.event("resolved") { $0["txt"] == ["b=2"] }
        try first.closeInput()
        #expect(try await first.exitCode() == 0)
        for browser in browsers { try await browser.event("lost") { $0["name"] == "Ada's" } }
      }
    }
  }
}
