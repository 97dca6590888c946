import Foundation
import TestSupport
import Testing

extension PublishingOnALAN {
  /// Types, hosts, addresses and records, of others' responders.
  @Suite("Looking up")
  struct LookingUpTests {
    @Test(arguments: Backend.allCases) func `types are listed and followed`(_ backend: Backend) async throws {
      try await withLab(hosts: 2, daemons: true, backend: backend) { lab in
        _ = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", on: .h1)
        let types = try lab.bonjourish("types", "--json", on: .h2)
        try await types.event("found") { $0["type"] == "_http._tcp" && $0["title"] == "Web server" && $0["instances"] == 1 }
        try await types.event("settled")
        let bob = try lab.start("avahi-publish", "-s", "Bob", "_http._tcp", "81", on: .h1)
        try await types.event("updated") { $0["type"] == "_http._tcp" && $0["instances"] == 2 }
        try bob.signal(15)
        try await types.event("updated") { $0["type"] == "_http._tcp" && $0["instances"] == 1 }
        // It breaks RFC 6335, and exists.
        _ = try lab.start("avahi-publish", "-s", "Odd", "_nvstream_dbd._tcp", "81", on: .h1)
        try await types.event("found") { $0["type"] == "_nvstream_dbd._tcp" }
        let both = [#"+ _http._tcp eth0 1 "Web server""#, #"+ _nvstream_dbd._tcp eth0 1 "NVIDIA game stream, debug""#]
        // What a host has sent it does not send again for a second (RFC 6762, section 6).
        var listed: [String] = []
        for _ in 0..<5 where listed != both {
          let once = try lab.bonjourish("types", "--once", on: .h2)
          #expect(try await once.exitCode(within: .seconds(12)) == 0)
          listed = once.outputLines
        }
        #expect(listed == both)
        // On a terminal, a table.
        let terminal = ["script", "-qec", "\(LAN.program("bonjourish")) types --once --backend \(backend)", "/dev/null"]
        let table = try lab.start(terminal, on: .h2)
        #expect(try await table.exitCode(within: .seconds(12)) == 0)
        #expect(
          table.outputLines.map { $0.filter { $0 != "\r" && $0 != "\r\n" } } == [
            "Type                Services  What it is                 On",
            "_http._tcp                 1  Web server                 eth0",
            "_nvstream_dbd._tcp         1  NVIDIA game stream, debug  eth0",
          ])
      }
    }

    @Test(arguments: Backend.allCases) func `recommended domains are listed and followed`(_ backend: Backend) async throws {
      let folder = try TemporaryFolder()
      let pointer = #"{"name": "LABEL._dns-sd._udp.local", "type": "PTR", "base64": "Bm9mZmljZQdleGFtcGxlAA=="}"#
      let records = ["b", "dr"].map { pointer.replacing("LABEL", with: $0) }.joined(separator: ", ")
      try #"{"records": [\#(records)]}"#.write(toFile: folder.path + "/domains.json", atomically: true, encoding: .utf8)
      try await withLab(hosts: 2, daemons: backend == .avahi, backend: backend) { lab in
        let before = try lab.bonjourish("domains", "--once", on: .h2)
        #expect(try await before.exitCode(within: .seconds(12)) == 1)
        #expect(before.outputLines.isEmpty)
        #expect(before.errorLines == ["No domains found: the network recommends none, and local is the only one."])

        let follower = try lab.bonjourish("domains", "--json", on: .h2)
        try await follower.event("settled")
        let publisher = try lab.bonjourish("publish", "--file", folder.path + "/domains.json", "--json", on: .h1)
        try await publisher.event("published")
        try await follower.json { $0["domain"] == "office.example" && $0["purposes"] == ["b", "dr"] }
        let once = try lab.bonjourish("domains", "--once", on: .h2)
        #expect(try await once.exitCode(within: .seconds(12)) == 0)
        #expect(once.outputLines.last == "+ office.example b,dr eth0")
        try publisher.signal(15)
        try await follower.event("lost") { $0["domain"] == "office.example" }
      }
    }

    @Test(arguments: Backend.allCases) func `records are listed once all have answered`(_ backend: Backend) async throws {
      try await withLab(hosts: 2, daemons: true, backend: backend) { lab in
        for (name, port) in [("Ada", "80"), ("Bob", "81")] {
          let publisher = try lab.start("avahi-publish", "-s", name, "_http._tcp", port, on: .h1)
          try await publisher.errorLine { $0.contains("Established") }
        }
        let list = try lab.bonjourish("query", "_http._tcp.local", "PTR", "--once", on: .h2)
        let json = try lab.bonjourish("query", "_http._tcp.local", "PTR", "--once", "--json", on: .h2)
        let nothing = try lab.bonjourish("query", "_ipp._tcp.local", "PTR", "--once", on: .h2)
        for program in [list, json] { #expect(try await program.exitCode(within: .seconds(12)) == 0) }
        #expect(
          Set(list.outputLines.compactMap { $0.split(separator: " ").dropFirst(4).first }) == [
            "Ada._http._tcp.local.", "Bob._http._tcp.local.",
          ])
        #expect(json.events("settled").count == 1 && Set(json.events("found").compactMap { $0["data"]?.string }).count == 2)
        #expect(try await nothing.exitCode(within: .seconds(12)) == 1)
        #expect(nothing.errorLines == ["No PTR records of _ipp._tcp.local found."] && nothing.outputLines.isEmpty)
      }
    }

    @Test(arguments: Backend.allCases) func `a shell gets the names of services within a second`(_ backend: Backend)
      async throws
    {
      try await withLab(hosts: 2, daemons: true) { lab in
        for name in ["Ada's pages", "$(touch /tmp/x) `y` \"z\" 日本", "-h"] {
          let publisher = try lab.start("avahi-publish", "-s", "--", name, "_http._tcp", "80", on: .h1)
          try await publisher.errorLine { $0.contains("Established") }
        }
        let ssh = try lab.start("avahi-publish", "-s", "Shell", "_ssh._tcp", "22", on: .h1)
        try await ssh.errorLine { $0.contains("Established") }
        // A person presses Tab again when a name has come too late, as on a busy machine.
        let all: Set = ["$(touch /tmp/x) `y` \"z\" 日本", "Ada's pages", "Shell"]
        var heard: Set<String> = []
        for _ in 0..<20 where heard != all {
          let names = try lab.start(
            "env", "BONJOURISH_BACKEND=\(backend)", LAN.program("bonjourish"), "--complete=names", on: .h2)
          #expect(try await names.exitCode() == 0)
          heard = Set(names.outputLines)
          #expect(heard.isSubset(of: all) && names.outputLines == heard.sorted() && names.errorLines.isEmpty)
        }
        #expect(heard == all)
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
        #expect(try await nothing.exitCode(within: .seconds(12)) == 1)
        #expect(nothing.outputLines.isEmpty && nothing.errorLines.count == 1)
        #expect(
          nothing.errorLines.first?.hasSuffix(
            "looking up A records of nobody.local: no host has any, or none answered within 1.5 seconds") == true)
        #expect(try await nobody.exitCode(within: .seconds(12)) == 1)
        try await pointers.event("found") { $0["data"] == "Ada._http._tcp.local." }
        try ada.signal(15)
        try await pointers.event("lost") { $0["data"] == "Ada._http._tcp.local." }
      }
    }
  }
}
