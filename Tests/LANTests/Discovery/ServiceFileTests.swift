import CBonjourishLinux
import Foundation
import TestSupport
import Testing

extension OnALAN {
  /// `bonjourish publish` of several things, and its ends.
  struct ServiceFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ content: String) throws -> String {
      let path = "\(folder.path)/\(name)"
      try content.write(toFile: path, atomically: true, encoding: .utf8)
      return path
    }

    private static let services = #"""
      {"services": [
         {"name": "Ada's pages", "type": "http", "port": 8080, "txt": ["b=2", {"base64": "Yj3/AA=="}, "a"]},
         {"name": "Shell", "type": "ssh", "port": 22},
         {"name": "Label", "type": "_ipp._tcp", "port": 631, "host": "labels.local", "subtypes": ["_universal"]}],
       "hosts": [{"name": "labels.local", "addresses": ["10.77.0.99"]}, {"name": "wiki.local", "addresses": ["10.77.0.98"]}],
       "records": [{"name": "docs.local", "alias": "wiki.local"},
                   {"name": "machine.local", "type": "HINFO", "base64": "AUEBQg==", "unique": true}]}
      """#

    @Test(arguments: Backend.allCases) func `a file of services, hosts and records is seen by others`(backend: Backend)
      async throws
    {
      let path = try file("services.json", Self.services)
      try await withLab(backend: backend) { lab in
        let zeroconf = try lab.start(LAN.peer("browse") + ["_ipp._tcp"], on: .h3)
        let publisher = try lab.bonjourish("publish", "--file", path, "--json", "--until", "fd:0", on: .h1)
        for name in ["Ada's pages", "Shell", "Label"] { try await publisher.event("published") { $0["name"]?.string == name } }
        try await publisher.event("published") { $0["host"] == "wiki.local" && $0["addresses"] == ["10.77.0.98"] }
        try await publisher.event("published") { $0["records"] == 2 }

        for (type, name, place) in [
          ("_http._tcp", "Ada's pages", ["h1.local", "8080"]), ("_ssh._tcp", "Shell", ["h1.local", "22"]),
          ("_universal._sub._ipp._tcp", "Label", ["labels.local", "631"]),
        ] {
          let browser = try lab.start("avahi-browse", "-rp", type, on: .h2)
          let line = try await browser.line { AvahiBrowseLine($0).map { $0.event == .resolved && $0.name == name } ?? false }
          let service = try #require(AvahiBrowseLine(line))
          #expect([service.place[0], service.place[2]] == place)
        }
        let label = try await zeroconf.event("found")
        #expect(label["host"] == "labels.local" && label["addresses"] == ["10.77.0.99"])

        for (name, address) in [("labels.local", "10.77.0.99"), ("wiki.local", "10.77.0.98")] {
          let resolver = try lab.start("avahi-resolve", "-4", "-n", name, on: .h2)
          #expect(try await resolver.exitCode() == 0)
          #expect(resolver.outputLines == ["\(name)\t\(address)"])
        }
        let text = try lab.bonjourish("query", "Ada's pages._http._tcp.local", "TXT", "--json", "--backend", "builtin", on: .h2)
        #expect(try await text.event("found")["base64"] == "A2I9MgRiPf8AAWE=")
        for (name, type, data) in [("machine.local", "13", "01410142"), ("docs.local", "5", "0477696b69056c6f63616c00")] {
          let asker = try lab.start(LAN.peer("ask") + [name, type, Lab.Host.h3.address], on: .h3)
          let answer = try await asker.event("answer") { $0["name"]?.string == name }
          let found = answer["data"]?.string ?? ""
          // The name may be compressed.
          #expect(found == data || (type == "5" && found.hasPrefix("0477696b69")), "\(found)")
        }

        try publisher.closeInput()
        #expect(try await publisher.exitCode() == 0)
        #expect(publisher.events("withdrawn").count == 5)
        try await zeroconf.event("lost") { $0["name"] == "Label" }
      }
    }

    @Test(arguments: Backend.allCases) func `a host's service and its TXT record from a file end with a process`(
      backend: Backend
    )
      async throws
    {
      let txt = try file("txt", "z=last\na\nz=again\n")
      try await withLab(backend: backend) { lab in
        let zeroconf = try lab.start(LAN.peer("browse") + ["_ipp._tcp"], on: .h3)
        let publisher = try lab.start(
          [
            "sh", "-c",
            "exec 3<&0; cat <&3 >&2 & exec \"$1\" publish Label ipp 631 --host labels --address 10.77.0.99 --address fd77::99 --txt-file "
              + "\"$0\" --json --no-rename --backend \(backend.rawValue) --until pid:$!", txt, LAN.program("bonjourish"),
          ], on: .h1)
        #expect(try await publisher.event("published")["host"] == "labels.local")
        let found = try await zeroconf.event("found") { $0["name"] == "Label" }
        #expect(found["addresses"] == ["10.77.0.99", "fd77::99"] && found["host"] == "labels.local")
        let text = try lab.bonjourish("query", "Label._ipp._tcp.local", "TXT", "--json", "--backend", "builtin", on: .h2)
        #expect(try await text.event("found")["data"] == #""z=last" "a" "z=again""#)
        let second = try lab.bonjourish("publish", "Label", "ipp", "1", "--no-rename", on: .h2)
        #expect(try await second.exitCode() == 69)
        #expect(second.errorLines.contains { $0.contains("another host has a service with this name") })
        let begun = ContinuousClock.now
        try publisher.closeInput()
        #expect(try await publisher.exitCode() == 0)
        try await zeroconf.event("lost") { $0["name"] == "Label" }
        #expect(ContinuousClock.now - begun < .seconds(5))
        #expect(publisher.events("withdrawn").count == 1)
      }
    }

    @Test(arguments: Backend.allCases) func `a conflict about one of several ends them all`(backend: Backend) async throws {
      let path = try file(
        "services.json",
        #"{"services": [{"name": "A", "type": "http", "port": 1}], "hosts": [{"name": "taken.local", "addresses": ["10.77.0.99"]}]}"#
      )
      try await withLab(backend: backend) { lab in
        let taker = try lab.bonjourish("publish", "--host", "taken", "--address", "10.77.0.97", on: .h2)
        try await taker.line { $0 == "published the host taken.local: 10.77.0.97" }
        let publisher = try lab.bonjourish("publish", "--file", path, on: .h1)
        #expect(try await publisher.exitCode() == 69)
        #expect(
          publisher.errorLines.contains { $0.contains("publishing the host name \"taken.local\": another host has this name") })
        try taker.signal(SIGTERM)
        #expect(try await taker.exitCode() == 0)
        #expect(taker.outputLines.last == "withdrew the host taken.local")
      }
    }

    @Test func `a service manager is told that all is ready, how it is, and the end`() async throws {
      let path = try file("services.json", Self.services)
      try await withLab(hosts: 2, daemons: false, backend: .builtin) { lab in
        for address in ["\(folder.path)/notify", "@bonjourish-notify"] {
          let manager = try lab.start(LAN.peer("manager") + [address], on: .h1)
          try await manager.event("listening")
          let publisher = try lab.start(
            ["env", "NOTIFY_SOCKET=\(address)", LAN.program("bonjourish"), "publish", "--file", path, "--backend", "builtin"],
            on: .h1)
          #expect(try await manager.event("told")["text"] == "READY=1")
          try await manager.event("told") { $0["text"] == "STATUS=published 5 of 5" }
          try publisher.signal(SIGTERM)
          try await manager.event("told") { $0["text"] == "STOPPING=1" }
          #expect(try await publisher.exitCode() == 0)
          // Only now is all that it wrote sure to have been read.
          #expect(publisher.outputLines.count { $0.hasPrefix("published ") } == 5)
          try manager.signal(SIGTERM)
        }
      }
    }

    private static let page = #"{"services": [{"name": "Page", "type": "http", "port": 80}]}"#

    @Test func `a FIFO that nobody writes to is an error at once, and a silent one keeps no signal from ending the program`()
      async throws
    {
      let path = "\(folder.path)/fifo"
      #expect(mkfifo(path, 0o600) == 0)
      try await withLab(daemons: false, backend: .builtin) { lab in
        for option in ["--file", "--txt-file"] {
          let operands = option == "--file" ? [] : ["Page", "http", "80"]
          let command = [LAN.program("bonjourish"), "publish", "--backend", "builtin"] + operands + [option, path]
          let alone = try lab.start(command, on: .h1)
          #expect(try await alone.exitCode(within: .seconds(5)) == 74)
          #expect(alone.errorLines.contains { $0.contains("nobody writes to it") })
        }
        for signal in [SIGTERM, SIGINT] {
          let writer = open(path, O_RDWR)
          defer { close(writer) }
          #expect(write(writer, "{", 1) == 1)
          let waiting = try lab.bonjourish("publish", "--file", path, on: .h1)
          // Once it has read that, it waits for more.
          while unread(writer) > 0 { try await Task.sleep(for: .milliseconds(20)) }
          try waiting.signal(signal)
          #expect(try await waiting.exitCode(within: .seconds(2)) == 0)
        }
        let shell = "\(LAN.program("bonjourish")) publish --backend builtin --file <(sleep 0.2; echo '\(Self.page)') --for 30"
        let piped = try lab.start("bash", "-c", shell, on: .h1)
        try await piped.line { $0.contains("Page") }
      }
    }

    private func unread(_ descriptor: CInt) -> CInt {
      var count: CInt = 0
      return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? count : -1
    }
  }
}
