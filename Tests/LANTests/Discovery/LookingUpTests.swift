import Testing

extension PublishingOnALAN {
  /// Types, hosts, addresses and records, of others' responders.
  @Suite("Looking up")
  struct LookingUpTests {
    @Test(arguments: Backend.allCases) func `types are listed and followed`(_ backend: Backend) async throws {
      try await withLab(hosts: 2, daemons: true, backend: backend) { lab in
        _ = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", on: .h1)
        let types = try lab.bonjourish("types", "--json", on: .h2)
        try await types.event("found") { $0["type"] == "_http._tcp" && $0["title"] == "Web server" }
        try await types.event("settled")
        // It breaks RFC 6335, and exists.
        _ = try lab.start("avahi-publish", "-s", "Odd", "_nvstream_dbd._tcp", "81", on: .h1)
        try await types.event("found") { $0["type"] == "_nvstream_dbd._tcp" }
        let once = try lab.bonjourish("types", "--once", on: .h2)
        #expect(try await once.exitCode(within: .seconds(12)) == 0)
        let listed = once.outputLines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        #expect(listed.sorted() == ["+ _http._tcp", "+ _nvstream_dbd._tcp"])
      }
    }

    @Test(arguments: Backend.allCases) func `hosts, addresses and records are looked up`(_ backend: Backend) async throws {
      try await withLab(hosts: 2, daemons: true, backend: backend) { lab in
        let ada = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", "path=/", on: .h1)
        try await ada.errorLine { $0.contains("Established") }
        let host = try lab.bonjourish("lookup", "h1", on: .h2)
        let name = try lab.bonjourish("lookup", Lab.Host.h1.address, on: .h2)
        let record = try lab.bonjourish("query", "Ada._http._tcp.local", "TXT", "--json", on: .h2)
        let pointers = try lab.bonjourish("query", "_http._tcp.local", "PTR", "--watch", "--json", on: .h2)
        let nothing = try lab.bonjourish("query", "nobody.local", "A", "--timeout", "1.5", on: .h2)
        let nobody = try lab.bonjourish("lookup", "nobody", "--timeout", "1", on: .h2)
        for program in [host, name, record] { #expect(try await program.exitCode(within: .seconds(12)) == 0) }
        #expect(host.outputLines.contains(Lab.Host.h1.address))
        #expect(name.outputLines == ["h1.local"])
        #expect(record.events("found").first?["data"] == #""path=/""#)
        #expect(try await nothing.exitCode(within: .seconds(12)) == 69)
        #expect(nothing.outputLines.isEmpty && nothing.errorLines.count == 1)
        #expect(
          nothing.errorLines.first?.hasSuffix(
            "looking up A records of nobody.local: no host has any, or none answered within 1.5 seconds") == true)
        #expect(try await nobody.exitCode(within: .seconds(12)) == 69)
        try await pointers.event("found") { $0["data"] == "Ada._http._tcp.local." }
        try ada.signal(15)
        try await pointers.event("lost") { $0["data"] == "Ada._http._tcp.local." }
      }
    }
  }
}
