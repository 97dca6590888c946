import Testing

extension OnALAN {
  /// `bonjourish browse` of several types, and of some services only.
  struct SelectingTests {
    @Test(arguments: Backend.allCases) func `several types are browsed in one list, of which what matches is shown`(
      backend: Backend
    ) async throws {
      try await withLab(hosts: 2, backend: backend) { lab in
        let ada = try lab.bonjourish("publish", "Ada", "http", "80", "path=/a", "--json", on: .h1)
        let bob = try lab.bonjourish("publish", "Bob", "http", "81", "path=/b", "--json", on: .h2)
        let cleo = try lab.start("avahi-publish", "-s", "cleo", "_ipp._tcp", "631", on: .h1)
        for publisher in [ada, bob] { try await publisher.event("published") }
        try await cleo.errorLine { $0.contains("Established") }

        let list = try lab.bonjourish("browse", "ipp", "http", "--once", "--sort", "name", on: .h2)
        #expect(try await list.exitCode() == 0)
        #expect(
          list.outputLines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
            == [#"+ "Ada" _http._tcp"#, #"+ "Bob" _http._tcp"#, #"+ "cleo" _ipp._tcp"#])

        let one = try lab.bonjourish("browse", "http", "ipp", "--filter", "path=*b", "--count", "1", on: .h2)
        #expect(try await one.exitCode() == 0)
        #expect(one.outputLines.count == 1)
        #expect(one.outputLines.first?.hasPrefix(#"+ "Bob" _http._tcp "#) == true)
        #expect(one.outputLines.first?.hasSuffix(#" path="/b""#) == true)

        let columns = try lab.bonjourish(
          "browse", "http", "ipp", "--once", "--sort", "name", "--columns", "host,port,name,txt.path", on: .h2)
        #expect(try await columns.exitCode() == 0)
        #expect(
          columns.outputLines
            == [#"+ h1.local 80 "Ada" "/a""#, #"+ h2.local 81 "Bob" "/b""#, #"+ h1.local 631 "cleo" -"#])
        let terminal = [
          "script", "-qec", "\(LAN.program("bonjourish")) browse http --once --columns name,port,txt.path --backend \(backend)",
          "/dev/null",
        ]
        let table = try lab.start(terminal, on: .h2)
        #expect(try await table.exitCode() == 0)
        #expect(
          table.outputLines.map { $0.filter { $0 != "\r" && $0 != "\r\n" } } == [
            "Name  Port  path", "Ada     80  /a", "Bob     81  /b",
          ])

        let own = try lab.bonjourish("browse", "http", "ipp", "--own", "--once", "--json", on: .h2)
        let others = try lab.bonjourish("browse", "http", "ipp", "--no-own", "--once", "--json", on: .h2)
        for program in [own, others] { #expect(try await program.exitCode() == 0) }
        #expect(own.listed == ["Bob"])
        #expect(others.listed == ["Ada", "cleo"])
        #expect(own.events("settled").count == 2)

        let nothing = try lab.bonjourish("browse", "http", "ipp", "--filter", "path=/c", "--once", on: .h2)
        let silent = try lab.bonjourish("browse", "ssh", "--for", "1.5", "--json", on: .h2)
        for program in [nothing, silent] { #expect(try await program.exitCode() == 1) }
        #expect(nothing.outputLines == [] && nothing.errorLines == ["No matching _http._tcp or _ipp._tcp services found."])
        #expect(silent.events("found") == [] && silent.errorLines == [])
      }
    }
  }
}
